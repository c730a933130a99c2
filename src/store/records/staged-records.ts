import type { Entity } from '../../model/catalogue.ts'
import type { RunKey } from '../connections/run-pages.ts'
import { onConflict, rowsOfRun } from '../db/cluster/distribution-key.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { inRecordSet, type RecordScope, scopeValues } from './records.ts'

/** Staged record: it differs from the published version in a running run. `doc` null: the source removed it. */
export interface StagedRecord {
  origId: string
  id: string
  /** Finished JSON text. */
  doc: string | null
  contentHash: Uint8Array | null
  sourceVersion: string | null
  sortKey: string
  rawIndex: number
}

/** Common columns of records staged together. */
interface StagedShare {
  instanceId: string
  companyId: string
  runId: string
  /** Sequence number of their page. */
  seq: number
  entity: Entity
  rawPageId: string
  mappingVersion: number
}

const HASH_BYTES = 16
const NO_HASH = Buffer.alloc(HASH_BYTES)

/** Records as parameters of one statement. */
export interface StagedColumns {
  count: number
  values: readonly unknown[]
}

/**
 * One text per column, a line per record, and hashes concatenated as bytes: arrays would be escaped and unescaped
 * element by element.
 */
export function toColumns(records: readonly StagedRecord[]): StagedColumns {
  const [origIds, sortKeys] = [records.map((r) => r.origId), records.map((r) => r.sortKey)]
  const separator = findSeparator([...origIds, ...sortKeys])
  const versions = records.map((r) => r.sourceVersion)
  const values = [
    Buffer.concat(records.map((r) => r.contentHash ?? NO_HASH)),
    separator,
    origIds.join(separator),
    records.map((r) => r.id).join('\n'),
    // JSON text has no line breaks.
    records.map((r) => r.doc ?? '').join('\n'),
    sortKeys.join(separator),
    records.map((r) => r.rawIndex).join('\n'),
    versions.some((version) => version !== null) ? versions : null,
  ]
  return { count: records.length, values }
}

/**
 * `StagedColumns` as rows: the first eight parameters of a statement. NOTE the array of an empty text is empty, which
 * yields nulls.
 */
export const COLUMN_ROWS = `(select coalesce(c.orig_id, '') as orig_id, c.id, nullif(c.doc, '') as doc,
    case when c.doc <> '' then substring($1::bytea from (c.hash_position * ${HASH_BYTES} - ${HASH_BYTES - 1})::int for ${HASH_BYTES}) end as content_hash,
    coalesce(c.sort_key, '') as sort_key, c.raw_index, c.source_version
  from unnest(string_to_array($3, $2), string_to_array($4, E'\\n')::uuid[], string_to_array($5, E'\\n'), string_to_array($6, $2),
    string_to_array($7, E'\\n')::int[], $8::text[]) with ordinality as c (orig_id, id, doc, sort_key, raw_index, source_version, hash_position))`

/** `on conflict` assignments: the newer version of a record wins, unless the source says that it is older. */
export const TAKE_NEWER = `orig_id = excluded.orig_id, doc = excluded.doc, content_hash = excluded.content_hash,
    source_version = excluded.source_version, sort_key = excluded.sort_key, raw_page_id = excluded.raw_page_id, raw_index = excluded.raw_index,
    mapping_version = excluded.mapping_version
  where kept.source_version is null or excluded.source_version is null or excluded.source_version >= kept.source_version`

/**
 * Stages the records of a page in one statement. Of two versions of one record in a run the higher source version wins;
 * without versions, the later page.
 */
export async function stageRecords(db: Db, share: StagedShare, { count, values }: StagedColumns): Promise<void> {
  if (count === 0) return
  const { key, from } = rowsOfRun(db, `${COLUMN_ROWS} r`, { instance: '$9', run: '$10', company: '$15' })
  await db.query({
    name: 'stage-records',
    text: `insert into staged_records as kept (instance_id, run_id, seq, entity, raw_page_id, mapping_version, orig_id, id, doc, content_hash, sort_key,
       raw_index, source_version, company_id)
     select $9, $10, $11, $12, $13, case when r.doc is null then 0 else $14::int end, r.orig_id, r.id, r.doc, r.content_hash, r.sort_key, r.raw_index,
       r.source_version, ${key}
     ${from}
     ${onConflict(db, 'id, run_id, entity')} do update set seq = excluded.seq, ${TAKE_NEWER}`,
    values: [
      ...[...values, share.instanceId, share.runId, share.seq, share.entity, share.rawPageId, share.mappingVersion],
      share.companyId,
    ],
  })
}

/** A character that occurs in none of the texts. */
function findSeparator(texts: string[]): string {
  let code = 10
  while (texts.some((text) => text.includes(String.fromCharCode(code)))) code += 1
  return String.fromCharCode(code)
}

/**
 * Unstages records that an earlier page of the run staged and a later page showed as published, unless the staged
 * version is newer.
 */
export async function unstageRecords(
  db: Db,
  { instanceId, companyId, id }: RunKey,
  entity: Entity,
  shown: readonly Pick<StagedRecord, 'id' | 'sourceVersion'>[],
): Promise<void> {
  await db.query(
    `delete from staged_records s where s.instance_id = $1 and s.run_id = $2 and s.entity = $3 and s.id = any($4)
       and ${ofCompany('s.company_id', '$6')} and not exists (select from unnest($4::uuid[], $5::text[]) as shown (id, version) where shown.id = s.id and shown.version < s.source_version)`,
    [instanceId, id, entity, shown.map((record) => record.id), shown.map(({ sourceVersion }) => sourceVersion), companyId],
  )
}

/** Instance ($1), run ($2) and company ($3). */
const OF_RUN = `instance_id = $1 and run_id = $2 and ${ofCompany('company_id', '$3')}`

export async function countStaged(db: Db, { instanceId, companyId, id }: RunKey): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count from staged_records where ${OF_RUN} and seq >= 0`, [
    instanceId,
    id,
    companyId,
  ])
  return rows[0]?.count ?? 0
}

/** Staged accounts that were never published. */
export async function listNewAccounts(
  db: Db,
  scope: RecordScope,
  runId: string,
): Promise<{ id: string; origId: string; rawPageId: string; rawIndex: number }[]> {
  const { rows } = await db.query<{ id: string; origId: string; rawPageId: string; rawIndex: number }>(
    `select s.id, s.orig_id as "origId", s.raw_page_id as "rawPageId", s.raw_index as "rawIndex" from staged_records s
     where s.instance_id = $1 and s.run_id = $4 and ${ofCompany('s.company_id', '$2')} and s.seq >= 0 and s.entity = 'Accounts' and s.doc is not null
       and not exists (select from record_versions r where ${inRecordSet('r', { entity: "'Accounts'" })} and r.id = s.id and r.valid_to is null) order by s.orig_id`,
    [...scopeValues(scope), runId],
  )
  return rows
}

export async function dropStaged(db: Db, { instanceId, companyId, id }: RunKey, entity: Entity, ids: string[]): Promise<void> {
  await db.query(`delete from staged_records where ${OF_RUN} and entity = $4 and id = any($5)`, [instanceId, id, companyId, entity, ids])
}

/**
 * Stages the removal of published accounts, and for some also of their transactions: accounts under new ids have
 * replaced them.
 */
export async function stageEnded(
  db: Db,
  scope: RecordScope,
  runId: string,
  ended: { accounts: string[]; movementsOf: string[] },
): Promise<void> {
  if (ended.accounts.length + ended.movementsOf.length === 0) return
  await db.query(
    `insert into staged_records (instance_id, run_id, entity, orig_id, seq, id, raw_page_id, raw_index, mapping_version, company_id)
     select $1, $4, r.entity, r.orig_id, 0, r.id, r.raw_page_id, r.raw_index, r.mapping_version, r.company_id from record_versions r
     where r.record_set = any (record_set_keys($2, $3)) and r.instance_id = $1 and r.company_id = $2 and r.service_id = $3 and r.valid_to is null and not r.deleted
       and (r.entity = 'Accounts' and r.id = any($5) or r.entity = 'Transactions' and r.doc::json ->> 'accountOrigId' = any($6))
     on conflict do nothing`,
    [...scopeValues(scope), runId, ended.accounts, ended.movementsOf],
  )
}

/** Raw pages of this run with staged records; a removal refers to the page that last showed the record. */
export async function listStagedPages(db: Db, { instanceId, companyId, id }: RunKey): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select distinct raw_page_id as id from staged_records where ${OF_RUN} and seq >= 0 and doc is not null`,
    [instanceId, id, companyId],
  )
  return rows.map((row) => row.id)
}
