import { THROUGH_CONNECTION, throughConnection } from '../connections/through-connection.ts'
import type { Db } from '../db/database.ts'
import { OF_CONNECTION, ofCompany } from '../db/row-companies/of-company.ts'

/**
 * First instant of the month `months` months ago, by the database clock: each connection is looked at once a month, not
 * each day.
 */
export async function monthBefore(db: Db, months: number): Promise<Date> {
  const { rows } = await db.query<{ before: Date }>(
    `select date_trunc('month', statement_timestamp(), 'UTC') - make_interval(months => $1) as before`,
    [months],
  )
  const [row] = rows
  if (!row) throw new Error('the database has no clock')
  return row.before
}

/**
 * Connections with runs that ended, or were last reviewed, before `before`; each once. NOTE each half has an index of
 * its own: under row-level security a condition with `coalesce` is not used with one.
 */
export async function listConnectionsWithOldRuns(
  db: Db,
  before: Date,
  limit: number,
): Promise<{ instanceId: string; connectionId: string }[]> {
  const { rows } = await db.query<{ instanceId: string; connectionId: string }>(
    `select distinct instance_id as "instanceId", connection_id as "connectionId" from (
       (select instance_id, connection_id from sync_runs where reviewed_at is null and ended_at < $1 order by ended_at limit $2)
       union all (select instance_id, connection_id from sync_runs where reviewed_at < $1 order by reviewed_at limit $2)) oldest`,
    [before, limit],
  )
  return rows
}

const NEWEST = `select id from sync_runs where ${OF_CONNECTION} and ended_at is not null`

/**
 * Retention of the old runs of a connection: deletes those that no record version and no quarantined record came from;
 * returns their number. The others are marked as reviewed. The newest run stays, with the newest that published and the
 * newest that read the source: data quality and retention of files ask for them.
 */
export async function deleteOldRuns(db: Db, instanceId: string, connectionId: string, before: Date): Promise<number> {
  const { rows } = await db.query<{ deleted: number }>(
    `with due as materialized (select id from sync_runs
         where ${OF_CONNECTION} and ended_at is not null and coalesce(reviewed_at, ended_at) < $5),
       needed as materialized (
         select run_id as id from record_versions where ${THROUGH_CONNECTION} and run_id = any (array(select id from due))
         union select run_id from quarantined_records where ${OF_CONNECTION}
         union (${NEWEST} order by started_at desc, id limit 1)
         union (${NEWEST} and state = 'published' order by started_at desc, id limit 1)
         union (${NEWEST} and state in ('published', 'unchanged') and reason <> 'replay' order by started_at desc, id limit 1)),
       gone as (delete from sync_runs where instance_id = $1 and ${ofCompany('company_id', '$3')}
         and id in (select id from due except select id from needed) returning 1),
       reviewed as (update sync_runs set reviewed_at = statement_timestamp()
         where instance_id = $1 and ${ofCompany('company_id', '$3')} and id in (select id from due intersect select id from needed))
     select count(*)::int as deleted from gone`,
    [...(await throughConnection(db, instanceId, connectionId)), before],
  )
  return rows[0]?.deleted ?? 0
}
