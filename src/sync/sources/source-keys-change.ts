import { randomUUID } from 'node:crypto'
import { listAppKeyNames, toAppName } from '../../connectors/contract/app-keys.ts'
import type { ConnectorDescription } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { CallbackKind } from '../../model/callback-address.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { sealJson } from '../../store/keys/sealed-json.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import {
  deleteKeys,
  findCurrentKeys,
  findKeysOfApp,
  listKeyUse,
  lockKeys,
  noteKeyTest,
  type SetKey,
  type SourceKeys,
  writeKeys,
} from '../../store/sources/source-keys.ts'
import type { Clock, Store, Vault } from '../context/groups.ts'
import { hideKeys, keysContext, openKeys } from './source-keys.ts'
import { type TestedKeys, testKeys } from './source-keys-test.ts'

/** Thrown for keys that are missing or unknown to the source; nothing was stored. */
export class KeysIncomplete extends Error {
  readonly faults: readonly { name: string; message: string }[]

  constructor(faults: readonly { name: string; message: string }[]) {
    super('the keys are not complete')
    this.faults = faults
  }
}

/** Thrown when the source rejects the keys, with its reason; nothing was stored. */
export class KeysRefused extends Error {}

/** Thrown when the keys were changed concurrently; nothing was stored. */
export class KeysOvertaken extends Error {}

interface InstanceSource {
  instanceId: string
  source: Source
}

interface SavedKeys extends TestedKeys {
  /** Active connections that keep the app they were made with, until their owners reconnect. */
  connectionsOfOtherApps: number
}

/** New values by name; empty text deletes a key. Omitted ones stay, as long as the app is the same. */
type Given = Readonly<Record<string, string>>

/**
 * Tests keys at the source and, unless it rejects them, seals them as the instance's own: new connections use them from
 * then on, in every process. Connections made with another app keep its keys, since their tokens belong to that app.
 * `callback`: the registered redirect address; left out, it stays, and is the source's own for the first keys. `record`
 * runs in the transaction of the change.
 */
export async function saveKeys(
  deps: Store & Vault & Clock,
  { instanceId, source }: InstanceSource,
  { keys: given, callback: wanted }: { keys: Given; callback?: CallbackKind | undefined },
  userId: string,
  record: (db: Db) => Promise<void>,
): Promise<SavedKeys> {
  const { description } = source
  const before = await findCurrentKeys(deps.database, instanceId, description.key)
  const known = before && openKeys(deps, description, before)
  const values = merge(description, given, known?.values ?? {})
  hideKeys(deps.hide, description, values)
  const apps = toApps(deps.hashToken, description, values)
  const same = before && apps.includes(before.app) ? before : await findKeysOfApp(deps.database, instanceId, description.key, apps)
  const app = same?.app ?? apps[0] ?? ''
  const owner = { instanceId, id: same?.id ?? randomUUID(), generation: (same?.generation ?? 0) + 1 }
  const callback = wanted ?? callbackOfNewKeys(before)
  const tested = await testKeys(source.withKeys({ owner, app, callback, values }))
  if (tested.test === 'refused') throw new KeysRefused(tested.reason)
  const names = toNames(values, given, before?.app === app ? before.names : {}, { at: deps.now().toISOString(), by: userId })
  const sealed = sealJson(deps.sealer, keysContext(owner), values)
  await inTransaction(deps.database, async (db) => {
    await lockKeys(db, instanceId, description.key)
    const now = await findCurrentKeys(db, instanceId, description.key)
    if (now?.id !== before?.id || now?.generation !== before?.generation) throw new KeysOvertaken()
    await writeKeys(db, {
      ...owner,
      connectorKey: description.key,
      app,
      callback,
      sealed,
      names,
      test: tested.test,
      testReason: tested.reason,
    })
    await record(db)
  })
  return { ...tested, connectionsOfOtherApps: await countOthers(deps.database, instanceId, description.key, owner.id) }
}

/** Redirect address for keys that name none: the one that the settings of the source show. */
export function callbackOfNewKeys(current: Pick<SourceKeys, 'callback'> | null): CallbackKind {
  return current?.callback ?? 'own'
}

/** Tests the stored keys again; null when there are none. */
export async function testAgain(db: Db, vault: Vault, { instanceId, source }: InstanceSource): Promise<TestedKeys | null> {
  const keys = await findCurrentKeys(db, instanceId, source.description.key)
  if (!keys) return null
  const tested = await testKeys(source.withKeys(openKeys(vault, source.description, keys)))
  await noteKeyTest(db, keys, tested.test, tested.reason)
  return tested
}

/**
 * Deletes all keys of the instance at this source for good. Returns how many connections can no longer be read; null
 * when there was no key.
 */
export async function removeKeys(
  database: Database,
  { instanceId, source }: InstanceSource,
  record: (db: Db) => Promise<void>,
): Promise<number | null> {
  const { key } = source.description
  return await inTransaction(database, async (db) => {
    await lockKeys(db, instanceId, key)
    const used = (await listKeyUse(db, instanceId)).filter(({ connectorKey, keysId }) => connectorKey === key && keysId !== null)
    if (!(await deleteKeys(db, instanceId, key))) return null
    await record(db)
    return used.reduce((sum, { connections }) => sum + connections, 0)
  })
}

/** A new app begins without keys: another app's secrets do not belong to it. */
function merge(description: ConnectorDescription, given: Given, known: Readonly<Record<string, string>>): Record<string, string> {
  const keys = listAppKeyNames(description)
  const unknown = Object.keys(given).filter((name) => !keys.some((key) => key.name === name))
  const appName = toAppName(description) ?? ''
  const isSameApp = (given[appName] ?? known[appName])?.trim() === known[appName]
  const all = { ...(isSameApp ? known : {}), ...given }
  const values = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()] as const])),
  )
  const missing = keys.filter(({ name, isRequired }) => isRequired && !(name in values))
  const faults = [
    ...unknown.map((name) => ({ name, message: `is no key of ${description.name}` })),
    ...missing.map(({ name }) => ({ name, message: isSameApp ? 'is needed' : 'is needed for another app' })),
  ]
  if (faults.length > 0) throw new KeysIncomplete(faults)
  return values
}

/** Hashes that distinguish apps without revealing them: under each hash key, newest first. */
function toApps(hashToken: TokenHash, description: ConnectorDescription, values: Readonly<Record<string, string>>): string[] {
  const name = values[toAppName(description) ?? ''] ?? ''
  return hashToken.all(`app of ${description.key}\n${name}`).map((hash) => Buffer.from(hash).toString('hex').slice(0, 32))
}

function toNames(values: Given, given: Given, known: SourceKeys['names'], now: SetKey): SourceKeys['names'] {
  return Object.fromEntries(Object.keys(values).map((name) => [name, (name in given ? undefined : known[name]) ?? now]))
}

async function countOthers(db: Db, instanceId: string, connectorKey: string, keysId: string): Promise<number> {
  const uses = (await listKeyUse(db, instanceId)).filter((use) => use.connectorKey === connectorKey && use.keysId !== keysId)
  return uses.reduce((sum, { connections }) => sum + connections, 0)
}
