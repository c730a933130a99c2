import type { Entity } from '../../model/catalogue.ts'
import type { Db } from '../db/database.ts'
import { FIRST_ID, IN_RECORD_SET, type RecordScope } from './records.ts'
import { COLUMN_ROWS, type StagedColumns, TAKE_NEWER } from './staged-records.ts'

/** Records deleted by one statement. */
const ERASE_BATCH = 20_000

/** What records that are written together share. */
interface FirstShare extends RecordScope {
  connectionId: string
  runId: string
  entity: Entity
  rawPageId: string
  mappingVersion: number
}

/**
 * Writes records of a connection that has never published where they stay: nobody sees them before there is a publication. Of two versions of one
 * record in a run the one stays that `stageRecords` would keep. Part of a transaction. NOTE to ask for each record whether it is there already takes
 * PostgreSQL as long as one of its two indexes, and hardly a source tells of a record twice: that is asked only where it turns out to be so.
 */
export async function writeFirstRecords(db: Db, share: FirstShare, { count, values }: StagedColumns): Promise<void> {
  if (count === 0) return
  const { instanceId, companyId, serviceId, connectionId, runId, entity, rawPageId, mappingVersion } = share
  const all = [...values, instanceId, companyId, serviceId, connectionId, runId, entity, rawPageId, mappingVersion]
  await db.query('savepoint first_records')
  try {
    await db.query({ name: 'write-first-records', text: WRITE, values: all })
  } catch (error) {
    if (!isAnotherOfRecord(error)) throw error
    await db.query('rollback to savepoint first_records')
    await db.query({
      text: `${WRITE} on conflict (record_set, id, valid_to) do update set ${TAKE_NEWER}`,
      values: all,
    })
  }
  await db.query('release savepoint first_records')
}

const WRITE = `insert into record_versions as kept (instance_id, company_id, service_id, connection_id, run_id, entity, raw_page_id, mapping_version,
    valid_from, orig_id, id, doc, content_hash, sort_key, raw_index, source_version)
  select $9, $10, $11, $12, $13, $14, $15, $16, '-infinity', r.orig_id, r.id, r.doc, r.content_hash, r.sort_key, r.raw_index, r.source_version
  from ${COLUMN_ROWS} r`

function isAnotherOfRecord(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'record_versions_of_record'
}

/** Takes back what an earlier page of the run wrote of records that a later page removes. */
export async function deleteFirstRecords(db: Db, scope: RecordScope, entity: Entity, ids: readonly string[]): Promise<void> {
  await db.query(`delete from record_versions where ${IN_RECORD_SET} and id = any($5)`, [
    scope.instanceId,
    scope.companyId,
    scope.serviceId,
    entity,
    ids,
  ])
}

/**
 * Deletes all that lies at this place, before a connection that has never published reads: what a run before wrote, and what an ended connection
 * left that nobody has erased yet.
 */
export async function deleteRecordSets(db: Db, scope: RecordScope): Promise<void> {
  const values = [scope.instanceId, scope.companyId, scope.serviceId]
  for (const entity of ['Accounts', 'Transactions'] as const) {
    for (let after: string | null = FIRST_ID; after !== null; ) {
      const { rows }: { rows: { last: string | null }[] } = await db.query<{ last: string | null }>(
        `with next as (select id from record_versions where ${IN_RECORD_SET} and id > $5 order by id limit ${ERASE_BATCH}),
           gone as (delete from record_versions where ${IN_RECORD_SET} and id = any (array(select id from next)))
         select max(id::text) as last from next`,
        [...values, entity, after],
      )
      after = rows[0]?.last ?? null
    }
  }
  await db.query('delete from record_coverage where instance_id = $1 and company_id = $2 and service_id = $3', values)
}
