import type { Json } from '../model/json.ts'
import { type Connection, findConnection } from '../store/connections.ts'
import { findCredentials } from '../store/credentials.ts'
import { type Db, inTransaction } from '../store/database.ts'
import { eraseConnectionData } from '../store/erasure.ts'
import { eraseRecords } from '../store/records.ts'
import { boundTo, findService } from './catalogue.ts'
import { credentialsContext } from './credentials.ts'
import { reconcileIn } from './credentials-versions.ts'
import type { SyncDeps } from './deps.ts'
import { raiseEvent } from './events.ts'

const ERASE_BATCH = 20_000
/** A source that cannot be told for this many tries is left untold; the data goes all the same. */
const FAREWELL_ATTEMPTS = 5

function farewellContext(connection: Pick<Connection, 'instanceId' | 'id'>) {
  return { instanceId: connection.instanceId, table: 'jobs', rowId: connection.id, column: 'farewell' }
}

/** The credentials once more, sealed for the job that tells the source; null when there are none. */
export async function stashForFarewell(deps: SyncDeps, db: Db, connection: Connection): Promise<string | null> {
  await reconcileIn(deps, db, connection)
  const stored = await findCredentials(db, connection.instanceId, connection.id)
  if (!stored) return null
  const plain = deps.sealer.open(credentialsContext(connection, stored.generation), stored.sealed)
  return Buffer.from(deps.sealer.seal(farewellContext(connection), plain)).toString('base64')
}

/**
 * Tells the source that we are leaving and deletes everything that came through the connection, then says so. May be killed anywhere and
 * run again.
 */
export async function eraseConnection(
  deps: SyncDeps,
  place: { instanceId: string; connectionId: string; farewell: Json; attempt: number },
): Promise<void> {
  const connection = await findConnection(deps.database, place.instanceId, place.connectionId)
  if (!connection) return
  await sayFarewell(deps, connection, place)
  await deps.crashPoint?.('after-farewell-before-erase')
  while (!(await eraseRecords(deps.database, place.instanceId, place.connectionId, ERASE_BATCH)));
  await deps.crashPoint?.('after-erase-before-event')
  const service = await findService(deps, deps.database, connection.instanceId, connection.serviceId)
  await inTransaction(deps.database, async (db) => {
    await eraseConnectionData(db, connection.instanceId, connection.id)
    await raiseEvent(db, 'Disconnected', connection, service?.name ?? '', 'erased')
  })
}

async function sayFarewell(deps: SyncDeps, connection: Connection, place: { farewell: Json; attempt: number }): Promise<void> {
  const source = deps.sources.get(connection.connectorKey)
  if (typeof place.farewell !== 'string' || !source) return
  const connector = await source.load()
  if (!connector.disconnect) return
  const plain = deps.sealer.open(farewellContext(connection), Buffer.from(place.farewell, 'base64'))
  try {
    await connector.disconnect(boundTo(source, connection).kit, JSON.parse(Buffer.from(plain).toString('utf8')))
  } catch (error) {
    if (place.attempt < FAREWELL_ATTEMPTS) throw error
    deps.log.warn({ connectionId: connection.id, connector: connection.connectorKey }, 'the source could not be told of the disconnect')
  }
}
