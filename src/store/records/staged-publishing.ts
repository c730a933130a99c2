import type { Entity } from '../../model/catalogue.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { IN_RECORD_SET, NOT_DELETED, type RecordScope, scopeValues, VERSION_COLUMNS } from './records.ts'

/** Records published per statement: a million in one would exceed its time limit. */
const PUBLISH_BATCH = 20_000

interface Publisher {
  id: string
  connectionId: string
}

/**
 * Batch of a run's staged records of one entity: those of pages `from` to `to`, and of these the ids `above` to `upTo`.
 */
interface Batch {
  entity: Entity
  from: number
  to: number
  above: string
  upTo: string
}

/**
 * Publishes the staged records of a run: closes the versions they replace and opens the new ones; a staged removal
 * opens a deleted version. Returns how many records are new, changed or removed.
 */
export async function publishStaged(db: Db, scope: RecordScope, run: Publisher, at: Date): Promise<number> {
  let changed = 0
  for (const batch of await listBatches(db, scope, run.id)) {
    changed += await closeReplaced(db, scope, run, at, batch)
    changed += await openStaged(db, scope, run, at, batch)
  }
  return changed
}

/** Batches: accounts first, pages in order, as many together as one statement takes; a larger page is split. */
async function listBatches(db: Db, { instanceId, companyId }: RecordScope, runId: string): Promise<Batch[]> {
  const { rows: pages } = await db.query<{ entity: Entity; seq: string; count: number }>(
    `select entity, seq, count(*)::int as count
     from (select instance_id, entity, seq from staged_records where run_id = $2 and ${ofCompany('company_id', '$3')} and seq >= 0 offset 0) s
     where instance_id = $1 group by entity, seq order by entity, seq`,
    [instanceId, runId, companyId],
  )
  const batches: Batch[] = []
  let room = 0
  for (const { entity, seq, count } of pages) {
    const page = Number(seq)
    const last = batches.at(-1)
    if (last?.entity === entity && count <= room) {
      last.to = page
      room -= count
      continue
    }
    const parts = Math.ceil(count / PUBLISH_BATCH)
    for (let part = 0; part < parts; part += 1) {
      batches.push({ entity, from: page, to: page, above: idAt(part / parts), upTo: idAt((part + 1) / parts) })
    }
    room = parts === 1 ? PUBLISH_BATCH - count : 0
  }
  return batches
}

/** Id at this fraction of the id space; ids are evenly distributed. */
function idAt(share: number): string {
  const head =
    share === 1
      ? 'ffffffff'
      : Math.floor(share * 2 ** 32)
          .toString(16)
          .padStart(8, '0')
  const tail = share === 1 ? 'ffff-ffff-ffff-ffffffffffff' : '0000-0000-0000-000000000000'
  return `${head}-${tail}`
}

/**
 * Staged records of a batch. NOTE always read by page, whatever the planner estimates: by id, every record is in
 * another part of the table.
 */
const STAGED = `(select * from staged_records where run_id = $5 and ${ofCompany('company_id', '$2')} and seq >= 0 and seq between $6 and $7 offset 0) s
  where s.instance_id = $1 and s.entity = $4 and s.id > $8 and s.id <= $9`

function toValues(scope: RecordScope, run: Publisher, at: Date, batch: Batch): unknown[] {
  const { entity, from, to, above, upTo } = batch
  return [...scopeValues(scope), entity, run.id, from, to, above, upTo, at]
}

/**
 * Closes the versions that a batch replaces and opens the deleted ones; returns the number deleted. NOTE no joins with
 * a free choice of plan: without statistics, as in the middle of a first sync, PostgreSQL may scan one table for each
 * row of the other.
 */
async function closeReplaced(db: Db, scope: RecordScope, run: Publisher, at: Date, batch: Batch): Promise<number> {
  const values = toValues(scope, run, at, batch)
  const current = `${IN_RECORD_SET} and valid_to is null`
  await db.query(
    `update record_versions set valid_to = $10 where ${current}
       and id = any (array(select id from ${STAGED} and doc is not null))`,
    values,
  )
  const removed = `id = any (array(select id from ${STAGED} and doc is null))`
  const closed = await db.query(`update record_versions set valid_to = $10 where ${current} and ${NOT_DELETED} and ${removed}`, values)
  if (closed.rowCount === 0) return 0
  // The last text becomes the text of the deleted version, marked, so that includeDeleted can show it; its source
  // version is kept too, so that a late older page does not restore the record.
  const { rowCount } = await db.query(
    `insert into record_versions (${VERSION_COLUMNS})
     select $1, c.company_id, $3, $4, c.id, $10, s.orig_id, $11, true, deleted_document(c.doc, $10), c.content_hash, coalesce(s.source_version, c.source_version), c.sort_key, $5,
       s.raw_page_id, s.raw_index, s.mapping_version
     from (select * from record_versions where ${IN_RECORD_SET} and valid_to = $10 and ${removed} offset 0) c cross join lateral (
       select * from staged_records where instance_id = $1 and run_id = $5 and ${ofCompany('company_id', '$2')} and entity = $4 and id = c.id offset 0) s`,
    [...values, run.connectionId],
  )
  return rowCount ?? 0
}

/** In the order of the source, which is often the order of lists, so that their index grows locally. */
async function openStaged(db: Db, scope: RecordScope, run: Publisher, at: Date, batch: Batch): Promise<number> {
  const { rowCount } = await db.query(
    `insert into record_versions (${VERSION_COLUMNS})
     select $1, ${db.isDistributed ? 's.company_id' : '$2'}, $3, $4, id, $10, orig_id, $11, false, doc, content_hash, source_version, sort_key, $5, raw_page_id, raw_index, mapping_version
     from ${STAGED} and doc is not null`,
    [...toValues(scope, run, at, batch), run.connectionId],
  )
  return rowCount ?? 0
}
