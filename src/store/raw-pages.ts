import type { Db } from './database.ts'

/** One page of answers as received, compressed and sealed. */
export interface RawPage {
  instanceId: string
  id: string
  connectionId: string
  pull: string
  page: number
  fetchedAt: Date
  contentHash: Uint8Array
  sealed: Uint8Array
}

/** The newest stored page at this place when its bytes were the same, so that an unchanged answer is not stored again. */
export async function findSamePage(
  db: Db,
  place: Pick<RawPage, 'instanceId' | 'connectionId' | 'pull' | 'page' | 'contentHash'>,
): Promise<{ id: string; fetchedAt: Date } | null> {
  const { rows } = await db.query<{ id: string; fetchedAt: Date; same: boolean }>(
    `select id, fetched_at as "fetchedAt", content_hash = $5 as same from raw_pages
     where instance_id = $1 and connection_id = $2 and pull = $3 and page = $4 order by fetched_at desc limit 1`,
    [place.instanceId, place.connectionId, place.pull, place.page, place.contentHash],
  )
  return rows[0]?.same ? rows[0] : null
}

export async function storeRawPage(db: Db, page: RawPage): Promise<void> {
  await db.query(
    `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [page.instanceId, page.id, page.connectionId, page.pull, page.page, page.fetchedAt, page.contentHash, page.sealed],
  )
}

export async function findRawPage(db: Db, instanceId: string, id: string): Promise<RawPage | null> {
  const { rows } = await db.query<RawPage>(
    `select instance_id as "instanceId", id, connection_id as "connectionId", pull, page, fetched_at as "fetchedAt",
       content_hash as "contentHash", sealed from raw_pages where instance_id = $1 and id = $2`,
    [instanceId, id],
  )
  return rows[0] ?? null
}
