import { type Credentials, SourceError } from '../../connectors/contract/contract.ts'
import {
  type CredentialVersion,
  listLeftVersions,
  listVersions,
  lockCredentialsInUse,
  shredVersions,
} from '../../store/connections/credential-versions.ts'
import { writeRefreshed } from '../../store/connections/credentials.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { openJson, sealJson } from '../../store/keys/sealed-json.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { Vault } from '../context/groups.ts'
import { type ConnectionKey, sealCredentials } from './credentials.ts'

const AT_ONCE = 1_000

/** Seals a fresh set as a version of its row. */
export function sealVersion(
  sealer: Sealer,
  connectionKey: ConnectionKey,
  id: string,
  baseGeneration: number,
  credentials: Credentials,
): Uint8Array {
  return sealJson(sealer, versionContext(connectionKey, id, baseGeneration), credentials)
}

/**
 * Activates the newest stored version, by the source's clock, if it is newer than the set in use; shreds the others.
 */
export async function reconcileVersions(database: Database, vault: Vault, connectionKey: ConnectionKey): Promise<'moved' | 'unchanged'> {
  // Usually there is none, and no row needs a lock.
  if ((await listVersions(database, connectionKey.instanceId, connectionKey.id)).length === 0) return 'unchanged'
  return await inTransaction(database, (db) => reconcileIn(db, vault, connectionKey))
}

/**
 * Activates or shreds versions that processes stored and could not activate before they died; returns the number of
 * connections.
 */
export async function reconcileLeftVersions(database: Database, vault: Vault): Promise<number> {
  const left = await listLeftVersions(database, AT_ONCE)
  for (const { instanceId, connectionId } of left) await reconcileVersions(database, vault, { instanceId, id: connectionId })
  return left.length
}

/** Like `reconcileVersions`, in the caller's transaction. */
export async function reconcileIn(db: Db, vault: Vault, connectionKey: ConnectionKey): Promise<'moved' | 'unchanged'> {
  const inUse = await lockCredentialsInUse(db, connectionKey.instanceId, connectionKey.id)
  const [newest] = await listVersions(db, connectionKey.instanceId, connectionKey.id)
  if (!newest) return 'unchanged'
  // A direct successor of the set in use is newer, whatever the clocks say. A refresh from before the owner's latest
  // authorization is void.
  const isNewer =
    inUse !== null &&
    newest.baseGeneration >= inUse.grantedGeneration &&
    (newest.baseGeneration === inUse.generation || inUse.issuedAt === null || newest.issuedAt > inUse.issuedAt)
  if (isNewer) await moveTo(db, vault, connectionKey, inUse.generation, newest)
  await shredVersions(db, connectionKey.instanceId, connectionKey.id, null)
  return isNewer ? 'moved' : 'unchanged'
}

async function moveTo(db: Db, vault: Vault, connectionKey: ConnectionKey, generation: number, version: CredentialVersion): Promise<void> {
  const context = versionContext(connectionKey, version.id, version.baseGeneration)
  const credentials = openJson<Credentials>(vault.sealer, context, version.sealed)
  const { issuedAt, expiresAt, refreshAt } = version
  const sealed = sealCredentials(vault, connectionKey, generation + 1, credentials)
  const from = { instanceId: connectionKey.instanceId, connectionId: connectionKey.id, generation }
  if (await writeRefreshed(db, from, null, { sealed, issuedAt, expiresAt, refreshAt })) return
  throw new SourceError('unavailable', 'the credentials moved under a lock')
}

function versionContext(connectionKey: ConnectionKey, id: string, baseGeneration: number) {
  return {
    instanceId: connectionKey.instanceId,
    table: 'credential_versions',
    rowId: `${connectionKey.id}/${id}`,
    column: 'sealed',
    generation: baseGeneration + 1,
  }
}
