import { DISTRIBUTED_TABLES } from '../db/cluster/distributed-tables.ts'
import { queueObjectRemoval } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { IS_ATTACHED, IS_THERE, type PageSpan, partitionOf, SPAN } from '../db/partitions/page-spans.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { THROUGH_CONNECTION, throughConnection } from './through-connection.ts'

/**
 * Deletes all data of a connection except its records: pages, runs, files, quarantined records. Its row and timeline
 * stay as history.
 */
export async function eraseConnectionData(db: Db, instanceId: string, connectionId: string): Promise<void> {
  const values = await throughConnection(db, instanceId, connectionId)
  const rest = values.slice(0, 3)
  const ofCompanyItself = ofCompany('company_id', '$3')
  const ofItsRuns = `instance_id = $1 and ${ofCompanyItself}
    and run_id = any (array(select id from sync_runs where instance_id = $1 and connection_id = $2 and ${ofCompanyItself}))`
  await db.query(`delete from staged_records where ${ofItsRuns} and seq >= 0`, rest)
  await db.query(`delete from staged_runs where ${ofItsRuns}`, rest)
  if (db.isDistributed) {
    // Elsewhere a foreign key deletes them with their runs.
    await db.query(`delete from run_pages where ${ofItsRuns}`, rest)
    await queueRemovalOfObjects(db, rest)
  }
  for (const table of ['raw_pages', 'sync_runs', 'source_files', 'quarantined_records'])
    await db.query(`delete from ${table} where instance_id = $1 and connection_id = $2 and ${ofCompanyItself}`, rest)
  if (!db.isDistributed) await eraseDetachedPages(db, instanceId, connectionId)
  if (db.isDistributed) await db.query('delete from stored_bytes where instance_id = $1 and connection_id = $2', [instanceId, connectionId])
  for (const table of ['credential_versions', 'replay_parts'])
    await db.query(`delete from ${table} where instance_id = $1 and connection_id = $2`, [instanceId, connectionId])
  await db.query(`delete from record_versions where ${THROUGH_CONNECTION}`, values)
  await db.query(
    `update connections set cursors = '{}', fault = null, fault_code = null, trouble = null, erase_at = null, erased_at = clock_timestamp()
     where instance_id = $1 and id = $2`,
    [instanceId, connectionId],
  )
}

/** Pages in partitions that retention has detached from their table and is about to drop. */
async function eraseDetachedPages(db: Db, instanceId: string, connectionId: string): Promise<void> {
  const { rows } = await db.query<{ span: PageSpan }>(
    `select ${SPAN} as span from page_spans where closed_at is not null and ${IS_THERE} and not ${IS_ATTACHED}`,
  )
  for (const { span } of rows)
    await db.query(`delete from ${partitionOf(span)} where instance_id = $1 and connection_id = $2`, [instanceId, connectionId])
}

/** NOTE locked, so that none is moved to an object between this and its deletion. */
async function queueRemovalOfObjects(db: Db, [instanceId, connectionId, companyId]: readonly (string | null)[]): Promise<void> {
  if (instanceId == null || connectionId == null) return
  const { rows } = await db.query<{ id: string | null }>(
    'select object_id as id from raw_pages where instance_id = $1 and connection_id = $2 and company_id = $3 for update',
    [instanceId, connectionId, companyId],
  )
  await queueObjectRemoval(
    db,
    { instanceId, connectionId },
    rows.flatMap(({ id }) => id ?? []),
  )
}

/** Deletes what is left of a company in tables whose foreign keys do not: on a cluster in all that are distributed. */
export async function eraseCompanyRows(db: Db, instanceId: string, companyId: string): Promise<void> {
  for (const table of db.isDistributed ? DISTRIBUTED_TABLES : ['record_coverage'])
    await db.query(`delete from ${table} where instance_id = $1 and company_id = $2`, [instanceId, companyId])
}
