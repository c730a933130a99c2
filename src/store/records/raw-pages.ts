import { THROUGH_CONNECTION } from '../connections/through-connection.ts'
import type { Db } from '../db/database.ts'

/** Raw page: the answers of one page as received, compressed and sealed. */
export interface RawPage {
  instanceId: string
  id: string
  connectionId: string
  pull: string
  page: number
  fetchedAt: Date
  contentHash: Uint8Array
  /** Of a page with an object its first `OBJECT_HEAD_BYTES`. */
  sealed: Uint8Array
  /** Object that holds the rest of `sealed`; null: `sealed` is whole. */
  object: PageObject | null
}

export interface PageObject {
  id: string
  bytes: number
}

/**
 * The newest stored page of this pull and number if its bytes are the same, so that an unchanged answer is not stored
 * again.
 */
export async function findSamePage(
  db: Db,
  key: Pick<RawPage, 'instanceId' | 'connectionId' | 'pull' | 'page' | 'contentHash'>,
): Promise<{ id: string; fetchedAt: Date } | null> {
  const { rows } = await db.query<{ id: string; fetchedAt: Date; same: boolean }>(
    `select id, fetched_at as "fetchedAt", content_hash = $5 as same from raw_pages
     where instance_id = $1 and connection_id = $2 and pull = $3 and page = $4 order by fetched_at desc limit 1`,
    [key.instanceId, key.connectionId, key.pull, key.page, key.contentHash],
  )
  return rows[0]?.same ? rows[0] : null
}

export async function storeRawPage(db: Db, page: RawPage): Promise<void> {
  await db.query(
    `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[page.instanceId, page.id, page.connectionId, page.pull, page.page, page.fetchedAt, page.contentHash, page.sealed],
      ...[page.object?.id ?? null, page.object?.bytes ?? null],
    ],
  )
}

export async function findRawPage(db: Db, instanceId: string, id: string): Promise<RawPage | null> {
  const { rows } = await db.query<RawPage>(
    `select instance_id as "instanceId", id, connection_id as "connectionId", pull, page, fetched_at as "fetchedAt",
       content_hash as "contentHash", sealed,
       case when object_id is not null then jsonb_build_object('id', object_id, 'bytes', object_bytes) end as object
     from raw_pages where instance_id = $1 and id = $2`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

/** Connections with pages fetched more than `months` ago. */
export async function listConnectionsWithOldPages(db: Db, months: number): Promise<{ instanceId: string; connectionId: string }[]> {
  const { rows } = await db.query<{ instanceId: string; connectionId: string }>(
    `select distinct instance_id as "instanceId", connection_id as "connectionId" from raw_pages
     where fetched_at < statement_timestamp() - make_interval(months => $1)`,
    [months],
  )
  return rows
}

/**
 * Retention: deletes pages of a connection fetched more than `months` ago that no active or quarantined record came
 * from; returns their number. The others stay as the evidence of published data.
 */
export async function deleteOldPages(db: Db, instanceId: string, connectionId: string, months: number): Promise<number> {
  const { rowCount } = await db.query(
    `with told as materialized (
       select distinct raw_page_id as id from record_versions
       where ${THROUGH_CONNECTION} and valid_to is null and not deleted
       union select raw_page_id from quarantined_records where instance_id = $1 and connection_id = $2)
     delete from raw_pages p where p.instance_id = $1 and p.connection_id = $2
       and p.fetched_at < statement_timestamp() - make_interval(months => $3) and not exists (select from told where told.id = p.id)`,
    [instanceId, connectionId, months],
  )
  return rowCount ?? 0
}
