import type { Entity } from '../../model/catalogue.ts'
import type { RunOwner, SyncRun } from '../connections/sync-runs.ts'
import { onConflict, rowsOfRun } from '../db/cluster/distribution-key.ts'
import type { Db } from '../db/database.ts'
import { countRows } from '../db/lists/count-rows.ts'
import { OF_CONNECTION } from '../db/row-companies/of-company.ts'

/** Quarantined record: it could not be normalized; kept in its raw page and listed here with the reason. */
export interface QuarantinedRecord {
  entity: Entity
  origId: string
  reason: string
  rawPageId: string | null
  rawIndex: number
}

type QuarantiningRun = Pick<SyncRun, 'instanceId' | 'companyId' | 'connectionId' | 'id'>

export async function quarantineRecords(db: Db, run: QuarantiningRun, records: QuarantinedRecord[]): Promise<void> {
  if (records.length === 0) return
  const columns = 'unnest($4::text[], $5::text[], $6::text[], $7::uuid[], $8::int[]) as r (entity, orig_id, reason, raw_page_id, raw_index)'
  const { key, from } = rowsOfRun(db, columns, { instance: '$1', run: '$3', company: '$9' })
  await db.query(
    `insert into quarantined_records (instance_id, connection_id, entity, orig_id, reason, raw_page_id, raw_index, run_id, company_id, at)
     select distinct on (r.entity, r.orig_id) $1, $2, r.entity, r.orig_id, r.reason, r.raw_page_id, r.raw_index, $3, ${key}, statement_timestamp()
     ${from}
     ${onConflict(db, 'instance_id, connection_id, entity, orig_id')} do update set reason = excluded.reason, raw_page_id = excluded.raw_page_id,
       raw_index = excluded.raw_index, run_id = excluded.run_id`,
    [
      run.instanceId,
      run.connectionId,
      run.id,
      records.map((r) => r.entity),
      records.map((r) => r.origId),
      records.map((r) => r.reason),
      records.map((r) => r.rawPageId),
      records.map((r) => r.rawIndex),
      run.companyId,
    ],
  )
}

/** After a complete listing: releases records that this run did not quarantine again (fixed or gone). */
export async function releaseQuarantine(db: Db, run: QuarantiningRun, entities: Entity[]): Promise<void> {
  await db.query(`delete from quarantined_records where ${OF_CONNECTION} and entity = any($4) and run_id <> $5`, [
    run.instanceId,
    run.connectionId,
    run.companyId,
    entities,
    run.id,
  ])
}

/** Quarantined record, and when it was first set aside. */
type ListedRecord = QuarantinedRecord & { at: Date }

/** Of one connection, in order. */
const QUARANTINED = `select entity, orig_id as "origId", reason, raw_page_id as "rawPageId", raw_index as "rawIndex", at from quarantined_records
     where ${OF_CONNECTION} order by entity, orig_id`

/** Quarantined records of a connection, by entity and origId: the first `limit` of them; null: all. */
export async function listQuarantined(
  db: Db,
  { instanceId, companyId, id }: RunOwner,
  limit: number | null = null,
): Promise<ListedRecord[]> {
  const { rows } = await db.query<ListedRecord>(`${QUARANTINED} limit $4`, [instanceId, id, companyId, limit])
  return rows
}

/** Page of the quarantined records, by entity and origId, with their total number. */
export async function readQuarantinePage(
  db: Db,
  { instanceId, companyId, id }: RunOwner,
  page: { limit: number; offset: number },
): Promise<{ records: ListedRecord[]; total: number }> {
  const { rows } = await db.query<ListedRecord>(`${QUARANTINED} limit $4 offset $5`, [instanceId, id, companyId, page.limit, page.offset])
  const total = await countRows(db, `from quarantined_records where ${OF_CONNECTION}`, [instanceId, id, companyId])
  return { records: rows, total }
}
