import { deleteOldNotes, deleteOldPlaces, listFeeds } from '../../store/changes/change-feed.ts'
import { placeChanges } from '../../store/changes/place-changes.ts'
import { isDistributedTable } from '../../store/db/cluster/distributed-tables.ts'
import type { Database } from '../../store/db/database.ts'
import { deleteOldReplays } from '../../store/records/replays.ts'
import { deleteExpiredRows, type ExpiredPosition, expiredBefore, FIRST_POSITION } from '../../store/retention/expired-rows.ts'
import { deleteExpiredOfNodes } from '../../store/retention/expired-rows-of-nodes.ts'
import { dropExpiredSpans } from '../../store/retention/expired-spans.ts'
import { deleteOldPages, listConnectionsWithOldPages } from '../../store/retention/old-pages.ts'
import { deleteOldRuns, listConnectionsWithOldRuns, monthBefore } from '../../store/retention/old-runs.ts'
import { AGED_CLASSES, type AgedClass, RULES } from '../../store/retention/rules.ts'
import { raiseVersionHorizon } from '../../store/retention/version-horizon.ts'

/** Retention of replay reports. */
const REPLAY_DAYS = 90
/** Retention of places in change feeds. */
const CHANGE_DAYS = 90
/** Rows looked at by one statement. */
const BATCH = 1_000

/** Classes of data with a retention period. */
export const RETAINED_CLASSES = [...AGED_CLASSES, 'runs', 'rawPages'] as const
export type RetainedClass = (typeof RETAINED_CLASSES)[number]

/** Retention period of each class in months; null: kept as long as the company. */
export type RetentionMonths = Readonly<Record<RetainedClass, number | null>>

interface Progress {
  onDeleted(of: RetainedClass, count: number): void
  isStopping(): boolean
}

const QUIETLY: Progress = { onDeleted: () => undefined, isStopping: () => false }

/**
 * Retention: deletes data that has expired and that nothing needs, in small batches. Safe in any process at any time.
 */
export async function applyRetention(database: Database, months: RetentionMonths, progress: Progress = QUIETLY): Promise<void> {
  const walks: [RetainedClass, number | null, (term: number) => AsyncGenerator<number>][] = [
    ...AGED_CLASSES.map((of): (typeof walks)[number] => [of, months[of], (term) => walkExpired(database, of, term)]),
    ['runs', months.runs, (term) => walkConnections(database, term, listConnectionsWithOldRuns, deleteOldRuns)],
    ['rawPages', months.rawPages, (term) => walkPages(database, term)],
  ]
  for (const [of, term, walk] of walks) {
    if (term === null) continue
    for await (const deleted of walk(term)) {
      if (deleted > 0) progress.onDeleted(of, deleted)
      if (progress.isStopping()) return
    }
  }
  await deleteOldReplays(database, REPLAY_DAYS)
  // Assigns places in feeds that nobody has read for long, so that notes of changes do not accumulate.
  for (const instanceId of await listFeeds(database)) {
    if (progress.isStopping()) return
    await placeChanges(database, instanceId)
  }
  while ((await deleteOldNotes(database, BATCH)) === BATCH && !progress.isStopping());
  await deleteOldPlaces(database, CHANGE_DAYS)
}

/** Deletes batch by batch; yields the number of deleted rows of each. */
async function* walkExpired(database: Database, of: AgedClass, months: number): AsyncGenerator<number> {
  const before = await expiredBefore(database, months)
  // Committed before the first deletion, so that a reader of an earlier time learns that versions are missing.
  if (of === 'versions') await raiseVersionHorizon(database, before)
  const remove = database.isDistributed && isDistributedTable(RULES[of].table) ? deleteExpiredOfNodes : deleteExpiredRows
  for (let after: ExpiredPosition | null = FIRST_POSITION; after !== null; ) {
    const { deleted, next }: { deleted: number; next: ExpiredPosition | null } = await remove(database, RULES[of], before, after, BATCH)
    yield deleted
    after = next
  }
}

/** Pages in partitions, which are dropped, and then those that are in none. */
async function* walkPages(database: Database, months: number): AsyncGenerator<number> {
  yield* dropExpiredSpans(database, await monthBefore(database, months))
  yield* walkConnections(database, months, listConnectionsWithOldPages, deleteOldPages)
}

/** Deletes old rows of one connection after another, until all connections have been reviewed this month. */
async function* walkConnections(
  database: Database,
  months: number,
  list: typeof listConnectionsWithOldRuns,
  deleteOld: typeof deleteOldRuns,
): AsyncGenerator<number> {
  const before = await monthBefore(database, months)
  for (;;) {
    const connections = await list(database, before, BATCH)
    if (connections.length === 0) return
    for (const { instanceId, connectionId } of connections) yield await deleteOld(database, instanceId, connectionId, before)
  }
}
