import { THROUGH_CONNECTION, throughConnection } from '../connections/through-connection.ts'
import { addStoredBytes, queueObjectRemoval } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { OF_CONNECTION, ofCompany } from '../db/row-companies/of-company.ts'

/** Start of the current month: pages that are kept are reviewed once a month. */
const THIS_MONTH = `date_trunc('month', statement_timestamp(), 'UTC')`

/** Ids of the pages that the records of a connection came from: parameters of `throughConnection`. */
export const PAGES_OF_RECORDS = `select raw_page_id as id from record_versions where ${THROUGH_CONNECTION} and valid_to is null and not deleted
  union select raw_page_id from quarantined_records where ${OF_CONNECTION}`

/** Raw pages that are in no partition; on a cluster none are in one. */
const inTable = ({ isDistributed }: Db): string => (isDistributed ? 'raw_pages' : 'only raw_pages')

/**
 * Connections with raw pages in no partition that were fetched before `before` and not reviewed this month; each once. NOTE each half
 * has an index of its own, as for old runs.
 */
export async function listConnectionsWithOldPages(
  db: Db,
  before: Date,
  limit: number,
): Promise<{ instanceId: string; connectionId: string }[]> {
  const { rows } = await db.query<{ instanceId: string; connectionId: string }>(
    `select distinct instance_id as "instanceId", connection_id as "connectionId" from (
       (select instance_id, connection_id from ${inTable(db)} where reviewed_at is null and fetched_at < $1 order by fetched_at limit $2)
       union all (select instance_id, connection_id from ${inTable(db)} where reviewed_at < ${THIS_MONTH} order by reviewed_at limit $2)) oldest`,
    [before, limit],
  )
  return rows
}

/**
 * Retention of the old raw pages of a connection that are in no partition: deletes those that no active and no quarantined record came from;
 * returns their number. The others are marked as reviewed: they stay as the evidence of published data, or because the
 * period is longer than at their last review.
 */
export async function deleteOldPages(db: Db, instanceId: string, connectionId: string, before: Date): Promise<number> {
  const { rows } = await db.query<{ deleted: number; bytes: number; objects: string[] }>(
    `with due as materialized (select id, fetched_at >= $5 as is_young from ${inTable(db)}
         where ${OF_CONNECTION} and case when reviewed_at is null then fetched_at < $5 else reviewed_at < ${THIS_MONTH} end),
       needed as materialized (select id from due where is_young union ${PAGES_OF_RECORDS}),
       gone as (delete from ${inTable(db)} where instance_id = $1 and ${ofCompany('company_id', '$3')}
         and id in (select id from due except select id from needed)
         returning octet_length(sealed) + coalesce(object_bytes, 0) as bytes, object_id),
       reviewed as (update ${inTable(db)} set reviewed_at = statement_timestamp()
         where instance_id = $1 and ${ofCompany('company_id', '$3')} and id in (select id from due intersect select id from needed))
     select count(*)::int as deleted, coalesce(sum(bytes), 0)::float8 as bytes,
       coalesce(array_agg(object_id) filter (where object_id is not null), '{}') as objects from gone`,
    [...(await throughConnection(db, instanceId, connectionId)), before],
  )
  const [row] = rows
  if (!row) throw new Error('a count returned no row')
  const connection = { instanceId, connectionId }
  await addStoredBytes(db, connection, -row.bytes)
  await queueObjectRemoval(db, connection, row.objects)
  return row.deleted
}
