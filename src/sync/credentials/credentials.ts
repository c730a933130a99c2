import { type Credentials, SourceError } from '../../connectors/contract/contract.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { findCredentials } from '../../store/connections/credentials.ts'
import type { Db } from '../../store/db/database.ts'
import { openJson, sealJson } from '../../store/keys/sealed-json.ts'
import type { Vault } from '../context/groups.ts'
import { hideAll } from '../context/hide-all.ts'

export interface OpenCredentials {
  credentials: Credentials
  generation: number
}

/** Opened credentials with their refresh time. */
export interface StoredCredentials extends OpenCredentials {
  refreshAt: Date | null
  refreshInMs: number
  refreshFailures: number
}

export type ConnectionKey = Pick<Connection, 'instanceId' | 'id'>

/** Opens the sealed credentials unchanged. */
export async function readCredentials(db: Db, vault: Vault, connectionKey: ConnectionKey): Promise<StoredCredentials> {
  const stored = await findCredentials(db, connectionKey.instanceId, connectionKey.id)
  if (!stored) throw new SourceError('reconnect', 'the connection has no credentials')
  const credentials = openJson<Credentials>(vault.sealer, credentialsContext(connectionKey, stored.generation), stored.sealed)
  hideAll(vault.hide, credentials.secret)
  const { generation, refreshAt, refreshInMs, refreshFailures } = stored
  return { credentials, generation, refreshAt, refreshInMs, refreshFailures }
}

export function sealCredentials(vault: Vault, connectionKey: ConnectionKey, generation: number, credentials: Credentials): Uint8Array {
  hideAll(vault.hide, credentials.secret)
  return sealJson(vault.sealer, credentialsContext(connectionKey, generation), credentials)
}

/** Seal context of a generation of credentials. */
export function credentialsContext(connectionKey: ConnectionKey, generation: number) {
  return { instanceId: connectionKey.instanceId, table: 'connections', rowId: connectionKey.id, column: 'credentials', generation }
}
