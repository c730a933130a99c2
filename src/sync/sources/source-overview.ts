import { type AppKeyText, appKeyTextOf } from '../../connectors/contract/app-key-texts.ts'
import { listAppKeyNames } from '../../connectors/contract/app-keys.ts'
import type { Source, Sources } from '../../connectors/sources.ts'
import type { CallbackKind } from '../../model/callback-address.ts'
import { findUser } from '../../store/access/users.ts'
import type { Db } from '../../store/db/database.ts'
import { type KeyUse, listCurrentKeys, listHiddenSources, listKeyUse, type SourceKeys } from '../../store/sources/source-keys.ts'
import { closedBy, type UnavailableReason } from './source-access.ts'
import { callbackOfNewKeys } from './source-keys-change.ts'
import { listTenantSources } from './tenant-sources.ts'

/** Source as shown in the settings of an instance. Of keys it has kinds and dates, never a value. */
export interface SourceOverview {
  source: Source
  closedBy: UnavailableReason | null
  isHidden: boolean
  /** Whose keys new connections use; `none` when missing, `unneeded` when the source needs none. */
  keysFrom: 'instance' | 'deployment' | 'simulator' | 'none' | 'unneeded'
  /** Redirect address of the instance's own app, or of one that it would register. */
  callback: CallbackKind
  keys: KeyOverview[]
  tested: Pick<SourceKeys, 'test' | 'testReason' | 'testedAt'> | null
  connections: number
  /** Number of connections made with another app than the current one. */
  connectionsOfOtherApps: number
}

interface KeyOverview {
  name: string
  isRequired: boolean
  text: AppKeyText
  set: { at: Date; by: string | null } | null
}

/** All sources, in the order of the catalogue. */
export async function listSourceOverviews(db: Db, sources: Sources, instanceId: string): Promise<SourceOverview[]> {
  const keys = await listCurrentKeys(db, instanceId)
  const access = {
    hidden: new Set(await listHiddenSources(db, instanceId)),
    keyed: new Set(keys.map(({ connectorKey }) => connectorKey)),
  }
  const uses = await listKeyUse(db, instanceId)
  const emails = await emailsOf(db, instanceId, keys)
  return (await listTenantSources(db, sources, instanceId)).map((source) => {
    const { key } = source.description
    const own = keys.find(({ connectorKey }) => connectorKey === key) ?? null
    return {
      source,
      closedBy: closedBy(access, source),
      isHidden: access.hidden.has(key),
      keysFrom: keysFrom(source, own),
      callback: callbackOfNewKeys(own),
      keys: listAppKeyNames(source.description).map((each) => ({
        ...each,
        text: appKeyTextOf(source.description, each.name),
        set: toSet(own?.names[each.name], emails),
      })),
      tested: own,
      ...countUses(uses, key, own?.id ?? null),
    }
  })
}

function keysFrom({ description, environment, isEnabled }: Source, own: SourceKeys | null): SourceOverview['keysFrom'] {
  if (own) return 'instance'
  if (description.appKeys.length === 0) return 'unneeded'
  if (!isEnabled) return 'none'
  return environment === 'sandbox' ? 'simulator' : 'deployment'
}

function toSet(set: SourceKeys['names'][string] | undefined, emails: ReadonlyMap<string, string>): KeyOverview['set'] {
  return set ? { at: new Date(set.at), by: emails.get(set.by) ?? null } : null
}

function countUses(uses: readonly KeyUse[], key: string, keysId: string | null) {
  const here = uses.filter(({ connectorKey }) => connectorKey === key)
  const total = (some: readonly KeyUse[]) => some.reduce((sum, { connections }) => sum + connections, 0)
  return { connections: total(here), connectionsOfOtherApps: total(here.filter((use) => use.keysId !== keysId)) }
}

async function emailsOf(db: Db, instanceId: string, keys: readonly SourceKeys[]): Promise<Map<string, string>> {
  const ids = new Set(keys.flatMap(({ names }) => Object.values(names).map(({ by }) => by)))
  const users = await Promise.all([...ids].map((id) => findUser(db, instanceId, id)))
  return new Map(users.flatMap((user) => (user ? [[user.id, user.email] as const] : [])))
}
