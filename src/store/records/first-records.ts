import type { Entity } from '../../model/catalogue.ts'
import { hasCode } from '../../model/error-code.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { onConflict, rowsOfRun } from '../db/cluster/distribution-key.ts'
import { type Db, sendWithNext } from '../db/database.ts'
import { IN_RECORD_SET, type RecordScope, scopeValues } from './records.ts'
import { COLUMN_ROWS, type StagedColumns, TAKE_NEWER } from './staged-records.ts'

/** Records deleted by one statement. */
const ERASE_BATCH = 20_000

/** Common columns of records written together. */
interface FirstShare extends RecordScope {
  connectionId: string
  runId: string
  entity: Entity
  rawPageId: string
  mappingVersion: number
}

/**
 * Direct insert of records for a connection that has never published: readers see nothing before the first publication,
 * so staging is skipped. Of two versions of one record in a run, the same one wins as in `stageRecords`. Part of a
 * transaction.
 * NOTE a check per record whether it exists costs PostgreSQL as much as one of its two indexes, and hardly any source
 * repeats a record: conflicts are only handled after one occurred.
 */
export async function writeFirstRecords(db: Db, share: FirstShare, { count, values }: StagedColumns): Promise<void> {
  if (count === 0) return
  const { instanceId, companyId, serviceId, connectionId, runId, entity, rawPageId, mappingVersion } = share
  const all = [...values, instanceId, companyId, serviceId, connectionId, runId, entity, rawPageId, mappingVersion]
  const text = insertStatement(db)
  await sendWithNext(db, 'savepoint first_records')
  try {
    const { rowCount } = await db.query({ name: 'write-first-records', text, values: all })
    if (rowCount !== count) throw new Error('the records of a page were not all written')
  } catch (error) {
    if (!isRepeatedRecord(error)) throw error
    await db.query('rollback to savepoint first_records')
    await db.query({
      text: `${text} ${onConflict(db, 'record_set, id, valid_to')} do update set ${TAKE_NEWER}`,
      values: all,
    })
  }
  await sendWithNext(db, 'release savepoint first_records')
}

function insertStatement(db: Db): string {
  const { key, from } = rowsOfRun(db, `${COLUMN_ROWS} r`, { instance: '$9', run: '$13', company: '$10' })
  return `insert into record_versions as kept (instance_id, company_id, service_id, connection_id, run_id, entity, raw_page_id, mapping_version,
      valid_from, orig_id, id, doc, content_hash, sort_key, raw_index, source_version)
    select $9, ${key}, $11, $12, $13, $14, $15, $16, '-infinity', r.orig_id, r.id, r.doc, r.content_hash, r.sort_key, r.raw_index, r.source_version
    ${from}`
}

/** Unique violation: the table has a single unique index. NOTE the coordinator of a cluster does not say which it was. */
function isRepeatedRecord(error: unknown): boolean {
  return hasCode(error, '23505')
}

/** Deletes records written by an earlier page of the run that a later page removes. */
export async function deleteFirstRecords(db: Db, scope: RecordScope, entity: Entity, ids: readonly string[]): Promise<void> {
  await db.query(`delete from record_versions where ${IN_RECORD_SET} and id = any($5)`, [...scopeValues(scope), entity, ids])
}

/**
 * Deletes the record sets before a connection that has never published is read: records of an earlier run, and of an
 * ended connection that are not erased yet.
 */
export async function deleteRecordSets(db: Db, scope: RecordScope): Promise<void> {
  const values = scopeValues(scope)
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
