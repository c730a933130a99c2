import type { Entity } from '../model/catalogue.ts'
import type { Db } from './database.ts'

/** A record of a running run that differs from what is published. `doc` null says that the source removed it. */
export interface StagedRecord {
  entity: Entity
  origId: string
  id: string
  /** Finished JSON text. */
  doc: string | null
  contentHash: Uint8Array | null
  sourceVersion: string | null
  sortKey: string
  rawPageId: string | null
  rawIndex: number
  mappingVersion: number
}

/**
 * Stages a page's records in one statement. Of two versions of one record in a run the one with the higher source version stays, without
 * versions the later page.
 */
export async function stageRecords(db: Db, instanceId: string, runId: string, seq: number, records: StagedRecord[]): Promise<void> {
  if (records.length === 0) return
  await db.query(
    `insert into staged_records as staged (instance_id, run_id, entity, orig_id, seq, id, doc, content_hash, source_version, sort_key,
       raw_page_id, raw_index, mapping_version)
     select $1, $2, r.entity, r.orig_id, $3, r.id, r.doc, r.content_hash, r.source_version, r.sort_key, r.raw_page_id, r.raw_index,
       r.mapping_version
     from unnest($4::text[], $5::text[], $6::uuid[], $7::text[], $8::bytea[], $9::text[], $10::text[], $11::uuid[], $12::int[], $13::int[])
       as r (entity, orig_id, id, doc, content_hash, source_version, sort_key, raw_page_id, raw_index, mapping_version)
     on conflict (instance_id, run_id, entity, orig_id) do update set seq = excluded.seq, doc = excluded.doc,
       content_hash = excluded.content_hash, source_version = excluded.source_version, sort_key = excluded.sort_key,
       raw_page_id = excluded.raw_page_id, raw_index = excluded.raw_index, mapping_version = excluded.mapping_version
     where staged.source_version is null or excluded.source_version is null or excluded.source_version >= staged.source_version`,
    [
      instanceId,
      runId,
      seq,
      records.map((r) => r.entity),
      records.map((r) => r.origId),
      records.map((r) => r.id),
      records.map((r) => r.doc),
      records.map((r) => r.contentHash),
      records.map((r) => r.sourceVersion),
      records.map((r) => r.sortKey),
      records.map((r) => r.rawPageId),
      records.map((r) => r.rawIndex),
      records.map((r) => r.mappingVersion),
    ],
  )
}

/** Takes back what an earlier page of the run staged for records that a later page showed as published. */
export async function unstageRecords(db: Db, instanceId: string, runId: string, entity: Entity, origIds: string[]): Promise<void> {
  await db.query(
    'delete from staged_records where instance_id = $1 and run_id = $2 and entity = $3 and orig_id = any($4) and source_version is null',
    [instanceId, runId, entity, origIds],
  )
}
