import { type Database, inTransaction } from '../../../src/store/db/database.ts'
import { appendWaitingEvents } from '../../../src/store/webhooks/event-feeds.ts'
import { listShownEvents } from '../../../src/store/webhooks/events-of-runs.ts'

/** Appends the committed events of an instance to its feed, as a dispatcher does. */
export async function placeEvents(database: Database, instanceId: string): Promise<void> {
  const shown = await listShownEvents(database, instanceId)
  await inTransaction(database, (db) => appendWaitingEvents(db, instanceId, 'all', shown))
}
