import { addStoredBytes } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'

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

/** Raw page with what tells where it is. */
export interface RawPageId {
  instanceId: string
  /** Null where the row lacks it, before all are filled. */
  companyId: string | null
  id: string
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
  key: Pick<RawPage, 'instanceId' | 'connectionId' | 'pull' | 'page' | 'contentHash'> & { companyId: string },
): Promise<{ id: string; fetchedAt: Date } | null> {
  const { rows } = await db.query<{ id: string; fetchedAt: Date; same: boolean }>(
    `select id, fetched_at as "fetchedAt", content_hash = $5 as same from raw_pages
     where instance_id = $1 and connection_id = $2 and pull = $3 and page = $4 and ${ofCompany('company_id', '$6')}
     order by fetched_at desc limit 1`,
    [key.instanceId, key.connectionId, key.pull, key.page, key.contentHash, key.companyId],
  )
  return rows[0]?.same ? rows[0] : null
}

export async function storeRawPage(db: Db, page: RawPage & { companyId: string }): Promise<void> {
  await db.query(
    `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes, company_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[page.instanceId, page.id, page.connectionId, page.pull, page.page, page.fetchedAt, page.contentHash, page.sealed],
      ...[page.object?.id ?? null, page.object?.bytes ?? null, page.companyId],
    ],
  )
  await addStoredBytes(db, page, page.sealed.length + (page.object?.bytes ?? 0))
}

export async function findRawPage(db: Db, { instanceId, companyId, id }: RawPageId): Promise<RawPage | null> {
  const { rows } = await db.query<RawPage>(
    `select instance_id as "instanceId", id, connection_id as "connectionId", pull, page, fetched_at as "fetchedAt",
       content_hash as "contentHash", sealed,
       case when object_id is not null then jsonb_build_object('id', object_id, 'bytes', object_bytes) end as object
     from raw_pages where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$3')}`,
    [instanceId, id, companyId],
  )
  return rows[0] ?? null
}
