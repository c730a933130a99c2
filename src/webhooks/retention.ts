import { listInstanceIds } from '../store/access/instances.ts'
import type { Database } from '../store/db/database.ts'
import { deleteOldAttempts } from '../store/webhooks/delivery-log.ts'
import { deleteOldEvents } from '../store/webhooks/events.ts'
import { deleteOldRequests } from '../store/webhooks/receiver-requests.ts'

/** Retention of events and their deliveries, and of single attempts. */
const EVENT_DAYS = 90
const ATTEMPT_DAYS = 30
/** Retention of requests to our receivers. */
const REQUEST_DAYS = 7
const BATCH = 5_000

/** Retention: deletes expired rows, a bounded number per instance and run. */
export async function pruneEvents(database: Database): Promise<void> {
  for (const instanceId of await listInstanceIds(database)) {
    await deleteOldRequests(database, instanceId, REQUEST_DAYS)
    await deleteOldAttempts(database, instanceId, ATTEMPT_DAYS, BATCH)
    await deleteOldEvents(database, instanceId, EVENT_DAYS, BATCH)
  }
}
