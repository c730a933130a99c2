import type { Json } from '../model/json.ts'
import { type Connection, findConnection } from '../store/connections.ts'
import { findCredentials } from '../store/credentials.ts'
import { type Db, inTransaction } from '../store/database.ts'
import { eraseConnectionData } from '../store/erasure.ts'
import { enqueueJob } from '../store/jobs.ts'
import { takeDueErasures } from '../store/owner-connections.ts'
import { eraseRecords } from '../store/records.ts'
import { findService } from './catalogue.ts'
import { credentialsContext } from './credentials.ts'
import { reconcileIn } from './credentials-versions.ts'
import type { SyncDeps } from './deps.ts'
import { raiseEvent } from './events.ts'
import { sourceOf } from './source-keys.ts'

const ERASE_BATCH = 20_000
/** A source that cannot be told for this many tries is left untold; the data goes all the same. */
const FAREWELL_ATTEMPTS = 5
/** Of erasures that are queued in one transaction. */
const MOST_AT_ONCE = 500

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
  place: { instanceId: string; connectionId: string; farewell: Json; keepsData: boolean; attempt: number },
): Promise<void> {
  const connection = await findConnection(deps.database, place.instanceId, place.connectionId)
  if (!connection) return
  await sayFarewell(deps, connection, place)
  await deps.crashPoint?.('after-farewell-before-erase')
  if (place.keepsData) return await tellDisconnected(deps, connection)
  while (!(await eraseRecords(deps.database, place.instanceId, place.connectionId, ERASE_BATCH)));
  await deps.crashPoint?.('after-erase-before-event')
  await tellDisconnected(deps, connection, async (db) => await eraseConnectionData(db, connection.instanceId, connection.id))
}

/** Once for a connection, however often it is called: whoever reads has lost the data when it is locked. */
async function tellDisconnected(deps: SyncDeps, connection: Connection, last: (db: Db) => Promise<void> = async () => undefined) {
  const service = await findService(deps, deps.database, connection.instanceId, connection.serviceId)
  await inTransaction(deps.database, async (db) => {
    await last(db)
    await raiseEvent(db, 'Disconnected', connection, service?.name ?? '', 'erased')
  })
}

/** Erases what was kept for owners who withdrew and whose time to fetch it is over; returns how many connections. */
export async function queueDueErasures(deps: Pick<SyncDeps, 'database'>): Promise<number> {
  return await inTransaction(deps.database, async (db) => {
    const due = await takeDueErasures(db, MOST_AT_ONCE)
    for (const connection of due) await queueErasure(db, connection)
    return due.length
  })
}

/** NOTE a job that has still to tell the source keeps its farewell: payloads are joined. */
export async function queueErasure(db: Db, connection: { instanceId: string; id: string; connectorKey: string }): Promise<void> {
  await enqueueJob(db, {
    instanceId: connection.instanceId,
    kind: 'erase',
    key: `erase/${connection.id}`,
    provider: connection.connectorKey,
    payload: { connectionId: connection.id, keepsData: false },
  })
}

async function sayFarewell(deps: SyncDeps, connection: Connection, place: { farewell: Json; attempt: number }): Promise<void> {
  const source = deps.sources.get(connection.connectorKey)
  if (typeof place.farewell !== 'string' || !source) return
  const connector = await source.load()
  if (!connector.disconnect) return
  const plain = deps.sealer.open(farewellContext(connection), Buffer.from(place.farewell, 'base64'))
  try {
    await connector.disconnect((await sourceOf(deps, source, connection)).kit, JSON.parse(Buffer.from(plain).toString('utf8')))
  } catch (error) {
    if (place.attempt < FAREWELL_ATTEMPTS) throw error
    deps.log.warn({ connectionId: connection.id, connector: connection.connectorKey }, 'the source could not be told of the disconnect')
  }
}
