import type { Database, Db } from '../db/database.ts'
import { withLockRetries } from '../db/partitions/lock-retries.ts'
import { IS_ATTACHED, isWithinSpan, type PageSpan, partitionOf, SPAN } from '../db/partitions/page-spans.ts'

/** Partitions that have not expired, about: a look-up of a page asks all of them, however long pages are kept. */
const PARTITIONS = 8
/** Days before its first one on which a partition is made. */
const DAYS_AHEAD = 14

const TODAY = `(statement_timestamp() at time zone 'UTC')::date`

/**
 * Makes the partitions of raw pages that are missing, for this month and those to come; returns their names. The longer pages
 * are kept (`months`), the more months are in one; null: for ever, in no new partition. Those that were there are logged:
 * what was fetched meanwhile is in the table itself, where it stays. On a cluster there are none.
 */
export async function addPageSpans(
  database: Database,
  months: number | null,
  log: { warn(fields: { partitions: string[] }, message: string): void },
): Promise<string[]> {
  if (database.isDistributed) return []
  const known = new Set(await listSpans(database))
  const made = (await withLockRetries(database, (db) => addSpans(db, months))) ?? []
  const partitions = made.filter((span) => known.has(span)).map(partitionOf)
  if (partitions.length > 0) log.warn({ partitions }, 'partitions of raw pages were missing; they have been made')
  return made.map(partitionOf)
}

async function addSpans(db: Db, months: number | null): Promise<PageSpan[]> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('page spans', 0))`)
  if (months !== null) while (await addSpan(db, Math.ceil(months / PARTITIONS)));
  const { rows } = await db.query<{ span: PageSpan; isMade: boolean }>(
    `select ${SPAN} as span, add_page_span(begins, ends) as "isMade" from page_spans where closed_at is null order by begins`,
  )
  return rows.filter(({ isMade }) => isMade).map(({ span }) => span)
}

/** Adds the next span if it begins soon. */
async function addSpan(db: Db, months: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into page_spans (begins, ends) select begins, begins + make_interval(months => $1) from (
       select greatest(max(ends), date_trunc('month', ${TODAY})::date) as begins from page_spans) next
     where begins <= ${TODAY} + ${DAYS_AHEAD}`,
    [months],
  )
  return rowCount === 1
}

async function listSpans(db: Db): Promise<PageSpan[]> {
  const { rows } = await db.query<{ span: PageSpan }>(`select ${SPAN} as span from page_spans`)
  return rows.map(({ span }) => span)
}

/**
 * Names of partitions of raw pages that should be there, in order: that of now if pages are not kept for ever, and those that
 * were made.
 */
export async function listMissingPagePartitions(db: Db, months: number | null): Promise<string[]> {
  if (db.isDistributed) return []
  const { rows } = await db.query<{ span: PageSpan }>(
    `select ${SPAN} as span from page_spans where closed_at is null and not ${IS_ATTACHED}
     union all select to_char(date_trunc('month', ${TODAY}), 'YYYYMMDD')
       where $1 and not exists (select from page_spans where ${isWithinSpan('statement_timestamp()')})
     order by 1`,
    [months !== null],
  )
  return rows.map(({ span }) => partitionOf(span))
}
