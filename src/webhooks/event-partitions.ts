import { type Database, type Db, inTransaction } from '../store/db/database.ts'
import { withLockRetries } from '../store/db/partitions/lock-retries.ts'
import {
  ATTEMPT_DAYS,
  addWeek,
  deleteLateAttempts,
  deleteUndelivered,
  dropPartition,
  hasUsedWeeks,
  LATE_DAYS,
  listExpiredWeeks,
  listMissingWeeks,
  listWeeks,
  retireWeek,
  takeBackDue,
  type Week,
} from '../store/webhooks/event-weeks.ts'
import type { WebhookLog } from './deps.ts'

/** Rows deleted per statement. */
const BATCH = 5_000

/**
 * Makes the partitions of this week and the next two, where they do not exist; returns their names. Those that are missing
 * in the week in which we are are logged: what was recorded meanwhile is in the tables of all weeks, where it stays.
 */
export async function addEventWeeks(database: Database, log: Pick<WebhookLog, 'warn'>): Promise<string[]> {
  const made: string[] = []
  for (const { week, isCurrent } of await listMissingWeeks(database)) {
    const partitions = (await withLockRetries(database, (db) => addWeek(db, week))) ?? []
    made.push(...partitions)
    if (isCurrent && partitions.length > 0 && (await hasUsedWeeks(database)))
      log.warn({ partitions }, 'partitions of this week were missing; they have been made')
  }
  return made
}

/** Drops the partitions of weeks that ended more days ago than events (`eventDays`), or attempts, are kept. */
export async function dropExpiredWeeks(database: Database, eventDays: number): Promise<void> {
  const weeks = [...new Set([...(await listWeeks(database, 'events')), ...(await listWeeks(database, 'deliveries'))])]
  for (const { week, isOver } of await listExpiredWeeks(database, weeks, eventDays)) {
    await inTransaction(database, (db) => retireWeek(db, week))
    while ((await inTransaction(database, (db) => deleteUndelivered(db, week, BATCH))) === BATCH);
    if (!isOver) continue
    // Deliveries first: whoever reads them asks for their events.
    await withLockRetries(database, (db) => dropDeliveries(db, week))
    await withLockRetries(database, (db) => dropPartition(db, 'events', week))
  }
  const ofAttempts = await listWeeks(database, 'delivery_attempts')
  for (const { week, isOver } of await listExpiredWeeks(database, ofAttempts, ATTEMPT_DAYS + LATE_DAYS))
    if (isOver) await withLockRetries(database, (db) => dropPartition(db, 'delivery_attempts', week))
  for (const week of await listWeeks(database, 'deliveries')) await inTransaction(database, (db) => takeBackDue(db, week))
}

async function dropDeliveries(db: Db, week: Week): Promise<void> {
  const existing = await listWeeks(db, 'deliveries')
  if (!existing.includes(week)) return
  await deleteLateAttempts(db, week)
  await dropPartition(db, 'deliveries', week)
}
