import { listInstanceIds } from '../store/access/instances.ts'
import type { Database } from '../store/db/database.ts'
import { deleteOldAttempts } from '../store/webhooks/delivery-log.ts'
import { ATTEMPT_DAYS, deleteOldEventKeys } from '../store/webhooks/event-weeks.ts'
import { deleteOldEvents } from '../store/webhooks/events.ts'
import { deleteOldRequests } from '../store/webhooks/receiver-requests.ts'
import { dropExpiredWeeks } from './event-partitions.ts'

/** Retention of events and their deliveries. */
const EVENT_DAYS = 90
/** Retention of requests to our receivers. */
const REQUEST_DAYS = 7
/** Rows of one statement. */
const BATCH = 5_000
/** Of each class, per instance and run: twelve million rows a day. */
const BATCHES = 100

/**
 * Retention: drops the partitions of weeks that have expired, and deletes expired rows that are in none, in batches, a
 * bounded number per instance and run.
 */
export async function pruneEvents(database: Database, isStopping: () => boolean = () => false, batch = BATCH): Promise<void> {
  await dropExpiredWeeks(database, EVENT_DAYS)
  await inBatches(() => deleteOldEventKeys(database, EVENT_DAYS + 7, batch), batch, isStopping)
  for (const instanceId of await listInstanceIds(database)) {
    await deleteOldRequests(database, instanceId, REQUEST_DAYS)
    await inBatches(() => deleteOldAttempts(database, instanceId, ATTEMPT_DAYS, batch), batch, isStopping)
    await inBatches(() => deleteOldEvents(database, instanceId, EVENT_DAYS, batch), batch, isStopping)
    if (isStopping()) return
  }
}

async function inBatches(remove: () => Promise<number>, batch: number, isStopping: () => boolean): Promise<void> {
  for (let count = 0; count < BATCHES && !isStopping(); count += 1) if ((await remove()) < batch) return
}
