import { createHash } from 'node:crypto'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { enqueueDueSyncs, spreadOverdue } from '../../store/jobs/due-syncs.ts'

const HOUR_MS = 3_600_000
/** A connection that is later than this and not even queued waited for workers that were not there. */
const LATE_MS = 10 * 60_000
/** What an outage left behind is caught up with over this time. */
const CATCH_UP_MS = HOUR_MS
const BATCH = 1_000
/** Batches of one turn, so that a flood does not keep the others waiting for the next one. */
const BATCHES = 20

/**
 * Hours from `now` to the next refresh. Each connection has its own place in the interval, by its id: places are evenly spread, and a
 * refresh that takes long or starts late moves no later one. It is the first such place more than an eighth of the interval away, so that what was
 * read at another time, such as by hand, is read again within little more than one interval.
 */
export function nextRefreshHours(connection: { id: string; refreshHours: number }, now: Date): number {
  const intervalMs = connection.refreshHours * HOUR_MS
  const placeMs = Math.floor(intervalMs * spreadOf(connection.id))
  const earliestMs = now.getTime() + intervalMs / 8
  const nextMs = Math.ceil((earliestMs - placeMs) / intervalMs) * intervalMs + placeMs
  return (nextMs - now.getTime()) / HOUR_MS
}

/** From 0 to 1, the same for an id for ever. */
function spreadOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
}

/**
 * Queues what is due; gives how many. What an outage left behind is not queued at once: it gets a new time within the next hour. Any
 * process may call it at any time. `aheadMs` is 0 but in tests, which travel in time.
 */
export async function enqueueDue(database: Database, aheadMs = 0): Promise<number> {
  return await inTransaction(database, async (db) => {
    await spreadOverdue(db, LATE_MS, CATCH_UP_MS, aheadMs)
    let queued = 0
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const added = await enqueueDueSyncs(db, BATCH, aheadMs)
      queued += added
      if (added < BATCH) break
    }
    return queued
  })
}
