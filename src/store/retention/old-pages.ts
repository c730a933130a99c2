import { THROUGH_CONNECTION, throughConnection } from '../connections/through-connection.ts'
import { addStoredBytes, condemnObjects } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { OF_CONNECTION, ofCompany } from '../db/row-companies/of-company.ts'

/** Start of the current month: pages that are kept are reviewed once a month. */
const THIS_MONTH = `date_trunc('month', statement_timestamp(), 'UTC')`

/**
 * Connections with raw pages that were fetched before `before` and not reviewed this month; each once. NOTE each half
 * has an index of its own, as for old runs.
 */
export async function listConnectionsWithOldPages(
  db: Db,
  before: Date,
  limit: number,
): Promise<{ instanceId: string; connectionId: string }[]> {
  const { rows } = await db.query<{ instanceId: string; connectionId: string }>(
    `select distinct instance_id as "instanceId", connection_id as "connectionId" from (
       (select instance_id, connection_id from raw_pages where reviewed_at is null and fetched_at < $1 order by fetched_at limit $2)
       union all (select instance_id, connection_id from raw_pages where reviewed_at < ${THIS_MONTH} order by reviewed_at limit $2)) oldest`,
    [before, limit],
  )
  return rows
}

/**
 * Retention of the old raw pages of a connection: deletes those that no active and no quarantined record came from;
 * returns their number. The others are marked as reviewed: they stay as the evidence of published data, or because the
 * period is longer than at their last review.
 */
export async function deleteOldPages(db: Db, instanceId: string, connectionId: string, before: Date): Promise<number> {
  const { rows } = await db.query<{ deleted: number; bytes: number; objects: string[] }>(
    `with due as materialized (select id, fetched_at >= $5 as is_young from raw_pages
         where ${OF_CONNECTION} and case when reviewed_at is null then fetched_at < $5 else reviewed_at < ${THIS_MONTH} end),
       needed as materialized (
         select id from due where is_young
         union select raw_page_id from record_versions where ${THROUGH_CONNECTION} and valid_to is null and not deleted
         union select raw_page_id from quarantined_records where ${OF_CONNECTION}),
       gone as (delete from raw_pages where instance_id = $1 and ${ofCompany('company_id', '$3')}
         and id in (select id from due except select id from needed)
         returning octet_length(sealed) + coalesce(object_bytes, 0) as bytes, object_id),
       reviewed as (update raw_pages set reviewed_at = statement_timestamp()
         where instance_id = $1 and ${ofCompany('company_id', '$3')} and id in (select id from due intersect select id from needed))
     select count(*)::int as deleted, coalesce(sum(bytes), 0)::float8 as bytes,
       coalesce(array_agg(object_id) filter (where object_id is not null), '{}') as objects from gone`,
    [...(await throughConnection(db, instanceId, connectionId)), before],
  )
  const [row] = rows
  if (!row) throw new Error('a count returned no row')
  const connection = { instanceId, connectionId }
  await addStoredBytes(db, connection, -row.bytes)
  await condemnObjects(db, connection, row.objects)
  return row.deleted
}
