import { type Credentials, SourceError } from '../../connectors/contract/contract.ts'
import type { Json } from '../../model/values/json.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { findCredentials } from '../../store/connections/credentials.ts'
import type { Db } from '../../store/db/database.ts'
import type { Hide, Vault } from '../context/groups.ts'

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
  const plain = vault.sealer.open(credentialsContext(connectionKey, stored.generation), stored.sealed)
  const credentials = JSON.parse(Buffer.from(plain).toString('utf8')) as Credentials
  hideAll(vault.hide, credentials.secret)
  const { generation, refreshAt, refreshInMs, refreshFailures } = stored
  return { credentials, generation, refreshAt, refreshInMs, refreshFailures }
}

export function sealCredentials(vault: Vault, connectionKey: ConnectionKey, generation: number, credentials: Credentials): Uint8Array {
  hideAll(vault.hide, credentials.secret)
  return vault.sealer.seal(credentialsContext(connectionKey, generation), Buffer.from(JSON.stringify(credentials)))
}

/** Every string in a secret is redacted: a source's error could quote any of them. */
function hideAll(hide: Hide, secret: Json): void {
  if (typeof secret === 'string') hide(secret)
  else if (typeof secret === 'object' && secret !== null) for (const part of Object.values(secret)) hideAll(hide, part)
}

/** Seal context of a generation of credentials. */
export function credentialsContext(connectionKey: ConnectionKey, generation: number) {
  return { instanceId: connectionKey.instanceId, table: 'connections', rowId: connectionKey.id, column: 'credentials', generation }
}
