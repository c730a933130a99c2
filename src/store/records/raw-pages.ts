import { addStoredBytes } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { IS_ATTACHED, isWithinSpan, type PageSpan, partitionOf, SPAN } from '../db/partitions/page-spans.ts'
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

export interface SamePage {
  /** The newest stored page of this pull and number, if its bytes are the same. */
  same: { id: string; fetchedAt: Date } | null
  /** Partition for pages fetched at that time; null: there is none. */
  span: PageSpan | null
}

type SamePageKey = Pick<RawPage, 'instanceId' | 'connectionId' | 'pull' | 'page' | 'contentHash' | 'fetchedAt'> & { companyId: string }

/**
 * Looks for the bytes of a page fetched at `fetchedAt`, so that an unchanged answer is not stored again. A page of a span
 * that has expired does not count: it may be about to be dropped. NOTE with a name, because all partitions are planned.
 */
export async function findSamePage(db: Db, key: SamePageKey): Promise<SamePage> {
  const newest = `select id, fetched_at, reviewed_at, content_hash from raw_pages
     where instance_id = $1 and connection_id = $2 and pull = $3 and page = $4 and ${ofCompany('company_id', '$6')}
     order by fetched_at desc limit 1`
  const values = [key.instanceId, key.connectionId, key.pull, key.page, key.contentHash, key.companyId]
  if (db.isDistributed) {
    const { rows } = await db.query<{ id: string; fetchedAt: Date }>(
      `select id, fetched_at as "fetchedAt" from (${newest}) p where content_hash = $5`,
      values,
    )
    return { same: rows[0] ?? null, span: null }
  }
  const { rows } = await db.query<{ id: string | null; fetchedAt: Date | null; span: PageSpan | null }>({
    name: 'find-same-page',
    text: `select p.id, p.fetched_at as "fetchedAt", (select ${SPAN} from page_spans where ${isWithinSpan('$7::timestamptz')} and ${IS_ATTACHED}) as span
      from (select) one left join lateral (${newest}) p on p.content_hash = $5
        and not (p.reviewed_at is null and exists (select from page_spans where closed_at is not null and ${isWithinSpan('p.fetched_at')}))`,
    values: [...values, key.fetchedAt],
  })
  const [row] = rows
  return {
    same: row?.id && row.fetchedAt ? { id: row.id, fetchedAt: row.fetchedAt } : null,
    span: row?.span ?? null,
  }
}

/** `span`: partition to which the page goes; null: the table itself. */
export async function storeRawPage(db: Db, page: RawPage & { companyId: string; span: PageSpan | null }): Promise<void> {
  await db.query(
    `insert into ${page.span === null ? 'raw_pages' : partitionOf(page.span)}
       (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes, company_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[page.instanceId, page.id, page.connectionId, page.pull, page.page, page.fetchedAt, page.contentHash, page.sealed],
      ...[page.object?.id ?? null, page.object?.bytes ?? null, page.companyId],
    ],
  )
  await addStoredBytes(db, page, page.sealed.length + (page.object?.bytes ?? 0))
}

export async function findRawPage(db: Db, { instanceId, companyId, id }: RawPageId): Promise<RawPage | null> {
  const { rows } = await db.query<RawPage>({
    name: 'find-raw-page',
    text: `select instance_id as "instanceId", id, connection_id as "connectionId", pull, page, fetched_at as "fetchedAt",
       content_hash as "contentHash", sealed,
       case when object_id is not null then jsonb_build_object('id', object_id, 'bytes', object_bytes) end as object
     from raw_pages where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$3')}`,
    values: [instanceId, id, companyId],
  })
  return rows[0] ?? null
}
