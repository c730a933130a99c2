import { createHash } from 'node:crypto'
import type { Database } from '../../store/db/database.ts'
import { type DuePosition, EARLIEST, enqueueDueSyncs, spreadOverdue } from '../../store/jobs/due-syncs.ts'

const MINUTE_MS = 60_000
/** A connection overdue by more than this and not even queued was waiting for workers that were not running. */
const LATE_MS = 10 * MINUTE_MS
/** Period over which overdue refreshes are spread after an outage. */
const CATCH_UP_MS = 60 * MINUTE_MS
const BATCH = 1_000
/** Batches per tick, so that a backlog does not delay the other ticks. */
const BATCHES = 20

/**
 * Time of the next refresh after `now`; null: never. Each connection has a fixed phase in the interval, by its id: phases are evenly
 * distributed, and a slow or late refresh does not shift later ones. It is the first such time more than an eighth of
 * the interval away, so that a connection read at another time, such as on request, is read again within little more
 * than one interval.
 */
export function nextRefresh(connection: { id: string; refreshMinutes: number }, now: Date): Date | null {
  if (connection.refreshMinutes === 0) return null
  const intervalMs = connection.refreshMinutes * MINUTE_MS
  const placeMs = Math.floor(intervalMs * spreadOf(connection.id))
  const earliestMs = now.getTime() + intervalMs / 8
  return new Date(Math.ceil((earliestMs - placeMs) / intervalMs) * intervalMs + placeMs)
}

/** From 0 to 1, constant for an id. */
function spreadOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
}

/**
 * Minimum interval between two starts of the scan of due work, and the pause after a scan as a multiple of its
 * duration.
 */
const ANEW_MS = 5_000
const RESTS = 50

/** Position of a process in its scan of due work. */
export interface DueScan {
  position: DuePosition
  /** Times by the process' own clock. */
  beganMs: number
  anewAtMs: number
}

export function openDueScan(): DueScan {
  return { position: EARLIEST, beganMs: 0, anewAtMs: Number.NEGATIVE_INFINITY }
}

/**
 * Scheduler: queues due refreshes; returns their number. Those overdue after an outage get a new time within the next
 * hour instead. Safe in any process at any time. A scan continues where the previous call ended: connections that
 * became due since come later in the order, and those already queued are not read again each second. `aheadMs` is
 * nonzero only in tests, which travel in time.
 */
export async function enqueueDue(database: Database, aheadMs = 0, scan: DueScan = openDueScan()): Promise<number> {
  const nowMs = performance.now()
  if (nowMs >= scan.anewAtMs) {
    if (!(await spreadAll(database, aheadMs))) return 0
    Object.assign(scan, { position: EARLIEST, beganMs: nowMs, anewAtMs: Number.POSITIVE_INFINITY })
  }
  let queued = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const step = await enqueueDueSyncs(database, BATCH, scan.position, aheadMs)
    queued += step.queued
    if (step.end === null) {
      const tookMs = performance.now() - scan.beganMs
      if (scan.anewAtMs === Number.POSITIVE_INFINITY) scan.anewAtMs = scan.beganMs + Math.max(ANEW_MS, tookMs * RESTS)
      break
    }
    scan.position = step.end
  }
  return queued
}

/**
 * Nothing is queued until everything overdue has a new time: otherwise the longest overdue would all run first, at
 * once.
 */
async function spreadAll(database: Database, aheadMs: number): Promise<boolean> {
  for (let batch = 0; batch < BATCHES; batch += 1) {
    if ((await spreadOverdue(database, LATE_MS, CATCH_UP_MS, BATCH, aheadMs)) < BATCH) return true
  }
  return false
}
