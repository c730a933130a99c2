import type { Db } from '../db/database.ts'

/** The Monday with which a week begins, `YYYY-MM-DD`, UTC: the week of a partition. */
export type Week = string

/** Tables with a partition for each week. */
export const PARTITIONED = ['events', 'deliveries', 'delivery_attempts'] as const
type Partitioned = (typeof PARTITIONED)[number]

/** Name of the partition of a week, as SQL. Throws for what is no day. */
export function partitionOf(table: Partitioned, week: Week): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(week)) throw new Error(`no week: ${week}`)
  return `${table}_${week.replaceAll('-', '')}`
}

/** SQL of a week as text; null where the partition of `table` for it does not exist, or was taken away. */
export function presentWeek(table: Partitioned, week: string): string {
  return `case when to_regclass('${table}_' || to_char(${week}, 'YYYYMMDD')) is not null then to_char(${week}, 'YYYY-MM-DD') end`
}

/** Weeks ahead of the current one whose partitions are made. */
const WEEKS_AHEAD = 2
/** What is recorded late in its week still has time to be appended to the feed and read. */
const DROPPED_DAYS_LATER = 1

interface ExpectedWeek {
  week: Week
  isCurrent: boolean
  /** Whether it is the last of those whose partitions are made. */
  isLast: boolean
}

/**
 * Weeks that should have partitions: from the current one on, in order. A database that was upgraded begins with the
 * next week but a day at least after the upgrade, so that both releases have worked on it by then.
 */
async function listExpectedWeeks(db: Db): Promise<ExpectedWeek[]> {
  const { rows } = await db.query<ExpectedWeek>(
    `select to_char(week, 'YYYY-MM-DD') as week, n = 0 as "isCurrent", n = ${WEEKS_AHEAD} as "isLast" from (
       select n, date_trunc('week', statement_timestamp() at time zone 'UTC')::date + 7 * n as week from generate_series(0, ${WEEKS_AHEAD}) n) weeks
     where week >= (
       select case when min(applied_at) = max(applied_at) then '-infinity'::timestamp
         else date_trunc('week', max(applied_at) at time zone 'UTC' + interval '1 day') + interval '7 days' end
       from schema_migrations where name in ('001-deployment.sql', '086-event-weeks.sql'))
     order by 1`,
  )
  return rows
}

/** Weeks whose partitions exist, oldest first. */
export async function listWeeks(db: Db, table: Partitioned): Promise<Week[]> {
  const { rows } = await db.query<{ week: Week }>(
    `select to_char(to_date(substring(c.relname from length($1) + 2), 'YYYYMMDD'), 'YYYY-MM-DD') as week
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname ~ ('^' || $1 || '_[0-9]{8}$') order by 1`,
    [table],
  )
  return rows.map(({ week }) => week)
}

interface MissingWeek extends ExpectedWeek {
  /** Names of the partitions that do not exist, or were taken out of their tables. */
  partitions: string[]
}

/** Weeks that lack a partition which they should have, in order. */
export async function listMissingWeeks(db: Db): Promise<MissingWeek[]> {
  const expected = await listExpectedWeeks(db)
  const existing = new Map<Partitioned, Week[]>()
  for (const table of PARTITIONED) existing.set(table, await listWeeks(db, table))
  return expected.flatMap(({ week, isCurrent, isLast }) => {
    const partitions = PARTITIONED.filter((table) => !existing.get(table)?.includes(week)).map((table) => partitionOf(table, week))
    return partitions.length > 0 ? [{ week, isCurrent, isLast, partitions }] : []
  })
}

/** Whether the feed of any instance has used a partition. */
export async function hasUsedWeeks(db: Db): Promise<boolean> {
  const { rows } = await db.query('select from feed_weeks limit 1')
  return rows.length > 0
}

/**
 * Makes those partitions of a week that are missing, in one process at a time; returns their names. Needs a transaction.
 */
export async function addWeek(db: Db, week: Week): Promise<string[]> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('event weeks', 0))`)
  const { rows } = await db.query<{ made: string[] }>('select add_event_week($1) as made', [week])
  return rows[0]?.made ?? []
}

/** Weeks that ended more than `days` ago; `isOver`: and a day longer, so that nobody reads them any more. */
export async function listExpiredWeeks(db: Db, weeks: readonly Week[], days: number): Promise<{ week: Week; isOver: boolean }[]> {
  const { rows } = await db.query<{ week: Week; isOver: boolean }>(
    `select to_char(week, 'YYYY-MM-DD') as week, ended < statement_timestamp() - make_interval(days => ${DROPPED_DAYS_LATER}) as "isOver"
     from (select week, (week + 7)::timestamp at time zone 'UTC' + make_interval(days => $2) as ended from unnest($1::date[]) week) weeks
     where ended < statement_timestamp() order by week`,
    [weeks, days],
  )
  return rows
}

/** Takes a week out of all feeds. */
export async function retireWeek(db: Db, week: Week): Promise<void> {
  await db.query('delete from feed_weeks where week = $1', [week])
}

/** Deletes up to `limit` deliveries of a week that are in no partition, such as those that still wait; returns their number. */
export async function deleteUndelivered(db: Db, week: Week, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    'delete from only deliveries where ctid = any (array(select ctid from only deliveries where week = $1 limit $2))',
    [week, limit],
  )
  return rowCount ?? 0
}

/** Deletes the attempts of a week that were made later than in it. Needs a transaction. */
export async function deleteLateAttempts(db: Db, week: Week): Promise<void> {
  await db.query(
    `delete from only delivery_attempts a where exists (
       select from ${partitionOf('deliveries', week)} d where d.instance_id = a.instance_id and d.id = a.delivery_id)`,
  )
}

/** Retention of single attempts. */
export const ATTEMPT_DAYS = 30
/** Days after its week in which attempts of a delivery are in the partition of that week; those made later are in none. */
export const LATE_DAYS = 7

/** SQL of a delivery's week as text; null where its attempts are in no partition, or have expired. */
export function weekOfAttempts(week: string): string {
  return `case when (${week} + 7)::timestamp at time zone 'UTC' + interval '${LATE_DAYS + ATTEMPT_DAYS} days' > statement_timestamp()
    then ${presentWeek('delivery_attempts', week)} end`
}

/** Drops a partition. Needs a transaction. */
export async function dropPartition(db: Db, table: Partitioned, week: Week): Promise<void> {
  await db.query(`drop table if exists ${partitionOf(table, week)}`)
}

/** Retention of keys by which repeated events are recognized: deletes up to `limit`; returns their number. */
export async function deleteOldEventKeys(db: Db, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from event_keys where ctid = any (array(
       select ctid from event_keys where recorded_on < (statement_timestamp() at time zone 'UTC')::date - $1::int order by recorded_on limit $2))`,
    [days, limit],
  )
  return rowCount ?? 0
}

/**
 * Makes deliveries due again that release 1.0.0 has made so in their partitions, where claims do not look. Needs a
 * transaction.
 */
export async function takeBackDue(db: Db, week: Week): Promise<number> {
  const { rowCount } = await db.query(
    `with taken as (delete from ${partitionOf('deliveries', week)} where status = 'pending' and lease is null returning *)
     insert into deliveries (${MOVED_COLUMNS}) select ${MOVED_COLUMNS} from taken on conflict do nothing`,
  )
  return rowCount ?? 0
}

/** Columns of deliveries that move between tables. */
export const MOVED_COLUMNS =
  'instance_id, id, event_id, subscription_id, status, step, attempt_count, due_at, created_at, delivered_at, week, kind'

/**
 * Waits for the attempts that are being recorded, and holds back the others until the transaction ends: recording one moves
 * its delivery to a partition, where a statement that has begun would not find it.
 */
export async function holdInFlight(db: Db, instanceId: string, subscriptionId: string | null): Promise<void> {
  await db.query(
    `select from only deliveries where instance_id = $1 and ($2::uuid is null or subscription_id = $2) and lease is not null order by id for update`,
    [instanceId, subscriptionId],
  )
}
