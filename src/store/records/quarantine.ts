import type { Entity } from '../../model/catalogue.ts'
import type { Db } from '../db/database.ts'

/** Quarantined record: it could not be normalized; kept in its raw page and listed here with the reason. */
export interface QuarantinedRecord {
  entity: Entity
  origId: string
  reason: string
  rawPageId: string | null
  rawIndex: number
}

export async function quarantineRecords(
  db: Db,
  run: { instanceId: string; id: string; connectionId: string },
  records: QuarantinedRecord[],
): Promise<void> {
  if (records.length === 0) return
  await db.query(
    `insert into quarantined_records (instance_id, connection_id, entity, orig_id, reason, raw_page_id, raw_index, run_id)
     select distinct on (r.entity, r.orig_id) $1, $2, r.entity, r.orig_id, r.reason, r.raw_page_id, r.raw_index, $3
     from unnest($4::text[], $5::text[], $6::text[], $7::uuid[], $8::int[]) as r (entity, orig_id, reason, raw_page_id, raw_index)
     on conflict (instance_id, connection_id, entity, orig_id) do update set reason = excluded.reason, raw_page_id = excluded.raw_page_id,
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
    ],
  )
}

/** After a complete listing: releases records that this run did not quarantine again (fixed or gone). */
export async function releaseQuarantine(
  db: Db,
  run: { instanceId: string; id: string; connectionId: string },
  entities: Entity[],
): Promise<void> {
  await db.query('delete from quarantined_records where instance_id = $1 and connection_id = $2 and entity = any($3) and run_id <> $4', [
    run.instanceId,
    run.connectionId,
    entities,
    run.id,
  ])
}

export async function listQuarantined(db: Db, instanceId: string, connectionId: string): Promise<(QuarantinedRecord & { at: Date })[]> {
  const { rows } = await db.query<QuarantinedRecord & { at: Date }>(
    `select entity, orig_id as "origId", reason, raw_page_id as "rawPageId", raw_index as "rawIndex", at from quarantined_records
     where instance_id = $1 and connection_id = $2 order by entity, orig_id`,
    [instanceId, connectionId],
  )
  return rows
}
