import type { Sources } from '../../connectors/sources.ts'
import { type Connection, findConnection } from '../../store/connections/connections.ts'
import { eraseConnectionData } from '../../store/connections/erasure.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { enqueueJob } from '../../store/jobs/jobs.ts'
import { claimDueErasures } from '../../store/owners/owner-connections.ts'
import { eraseRecords } from '../../store/records/records.ts'
import type { Catalogue, CrashPoints, Store } from '../context/groups.ts'
import { raiseServiceEvent } from './events.ts'

const ERASE_BATCH = 20_000
/** Maximum number of erasures queued in one transaction. */
const MAX_AT_ONCE = 500

/**
 * Erasure job: deletes all data of an ended connection, unless it is kept for its owner, and raises the event. Calls no
 * source, so nothing there can delay it. Safe to kill and repeat.
 */
export async function eraseConnection(
  deps: Store & Catalogue & CrashPoints,
  job: { instanceId: string; connectionId: string; keepsData: boolean },
): Promise<void> {
  const connection = await findConnection(deps.database, job.instanceId, job.connectionId)
  if (!connection) return
  if (job.keepsData) return await raiseDisconnected(deps.database, deps.sources, connection)
  while ((await eraseRecords(deps.database, job.instanceId, job.connectionId, ERASE_BATCH)) === ERASE_BATCH);
  await deps.crashPoint?.('after-erase-before-event')
  await raiseDisconnected(
    deps.database,
    deps.sources,
    connection,
    async (db) => await eraseConnectionData(db, connection.instanceId, connection.id),
  )
}

/** Raises the event once per connection, however often it is called. */
async function raiseDisconnected(
  database: Database,
  sources: Sources,
  connection: Connection,
  last: (db: Db) => Promise<void> = async () => undefined,
) {
  await inTransaction(database, async (db) => {
    await last(db)
    await raiseServiceEvent(db, sources, 'Disconnected', connection, 'erased')
  })
}

/**
 * Queues erasures of data kept for owners who withdrew, once its retention is over; returns the number of connections.
 */
export async function queueDueErasures(database: Database): Promise<number> {
  return await inTransaction(database, async (db) => {
    const due = await claimDueErasures(db, MAX_AT_ONCE)
    for (const connection of due) await queueErasure(db, connection)
    return due.length
  })
}

/** NOTE no provider: internal work does not wait for slots of a source. */
export async function queueErasure(db: Db, connection: { instanceId: string; id: string }, keepsData = false): Promise<void> {
  await enqueueJob(db, {
    instanceId: connection.instanceId,
    kind: 'erase',
    key: `erase/${connection.id}`,
    payload: { connectionId: connection.id, keepsData },
  })
}
