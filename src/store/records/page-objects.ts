import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { SEALED_MIN_BYTES } from '../keys/sealing.ts'
import type { PageObject, RawPageId } from './raw-pages.ts'

/** An upload that no page has claimed after this time is removed: no attempt of a run takes that long. */
const UNCLAIMED_MINUTES = 60
/** Failed removals are retried after this time. */
const AGAIN_MINUTES = 10

export interface PageKey extends RawPageId {
  connectionId: string
}

/** Object key within the bucket, without the prefix. */
export function toObjectKey({ instanceId, connectionId }: Pick<PageKey, 'instanceId' | 'connectionId'>, objectId: string): string {
  return `${instanceId}/${connectionId}/${objectId}`
}

/** Announces an upload before it begins: the object will either be claimed by a page or be removed. */
export async function announceObject(db: Db, objectKey: string): Promise<void> {
  await db.query(
    `insert into unclaimed_objects (object_key, due_at) values ($1, clock_timestamp() + make_interval(mins => ${UNCLAIMED_MINUTES}))`,
    [objectKey],
  )
}

/** Claims an uploaded object in the transaction that stores its page. False if it is being removed. */
export async function claimObject(db: Db, objectKey: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from unclaimed_objects where object_key = $1 and not is_condemned', [objectKey])
  return rowCount === 1
}

/** Marks objects that no page has claimed in time for removal, and returns up to `limit` objects to remove. */
export async function claimObjectsToRemove(db: Db, limit: number): Promise<string[]> {
  await db.query(
    `update unclaimed_objects set is_condemned = true where object_key = any (array(
       select object_key from unclaimed_objects where not is_condemned and due_at < statement_timestamp() order by due_at limit $1)) and not is_condemned`,
    [limit],
  )
  const { rows } = await db.query<{ objectKey: string }>(
    `select object_key as "objectKey" from unclaimed_objects where is_condemned and due_at <= statement_timestamp() order by due_at limit $1`,
    [limit],
  )
  return rows.map(({ objectKey }) => objectKey)
}

export async function forgetObjects(db: Db, objectKeys: readonly string[]): Promise<void> {
  await db.query('delete from unclaimed_objects where object_key = any ($1) and is_condemned', [objectKeys])
}

/** Failed removals are retried later. */
export async function postponeObjects(db: Db, objectKeys: readonly string[]): Promise<void> {
  await db.query(
    `update unclaimed_objects set due_at = clock_timestamp() + make_interval(mins => ${AGAIN_MINUTES})
     where object_key = any ($1) and is_condemned`,
    [objectKeys],
  )
}

/** Number of objects of an instance without a page that the storage may still have. */
export async function countObjectsLeft(db: Db, instanceId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from unclaimed_objects where starts_with(object_key, $1 || '/')`,
    [instanceId],
  )
  return rows[0]?.count ?? 0
}

export interface PageWindow {
  pages: PageKey[]
  /** Last page that was read; null at the end. */
  last: { instanceId: string; id: string } | null
}

/** Next `limit` pages after `after`, ordered by instance and id: those in object storage, or those not in it. */
export async function listPageWindow(db: Db, isInStorage: boolean, after: PageWindow['last'], limit: number): Promise<PageWindow> {
  const { rows } = await db.query<PageKey & { isWanted: boolean }>(
    `select instance_id as "instanceId", id, connection_id as "connectionId", company_id as "companyId", (object_id is not null) = $1 as "isWanted" from raw_pages
     where (instance_id, id) > ($2, $3) order by instance_id, id limit $4`,
    [isInStorage, after?.instanceId ?? FIRST_ID, after?.id ?? FIRST_ID, limit],
  )
  return { pages: rows.filter(({ isWanted }) => isWanted), last: rows.length === limit ? (rows.at(-1) ?? null) : null }
}

/**
 * Keeps only the head of a page whose other bytes are now in the object. False if the page was deleted or moved
 * meanwhile. A concurrent change of the sealing key changes only the head.
 */
export async function moveToObject(db: Db, { instanceId, companyId, id }: PageKey, object: PageObject): Promise<boolean> {
  const { rowCount } = await db.query(
    `update raw_pages set sealed = substr(sealed, 1, ${SEALED_MIN_BYTES}), object_id = $3, object_bytes = $4
     where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$5')} and object_id is null
       and octet_length(sealed) = ${SEALED_MIN_BYTES} + $4`,
    [instanceId, id, object.id, object.bytes, companyId],
  )
  return rowCount === 1
}

/**
 * Restores the bytes of an object into its page; the object is removed an hour later, because readers may be about to
 * read it. Call it within a transaction.
 */
export async function moveToDatabase(db: Db, key: PageKey, object: PageObject, bytes: Uint8Array): Promise<boolean> {
  const { rowCount } = await db.query(
    `update raw_pages set sealed = sealed || $4, object_id = null, object_bytes = null
     where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$5')} and object_id = $3`,
    [key.instanceId, key.id, object.id, bytes, key.companyId],
  )
  if (rowCount !== 1) return false
  await db.query(
    `insert into unclaimed_objects (object_key, is_condemned, due_at)
     values ($1, true, clock_timestamp() + make_interval(mins => ${UNCLAIMED_MINUTES}))`,
    [toObjectKey(key, object.id)],
  )
  return true
}

/** For `doctor`: objects of some of the newest and oldest pages, and the number of removals that are an hour late. */
export async function readPageObjects(db: Db, samples: number): Promise<{ sample: { key: string; bytes: number }[]; late: number }> {
  const { rows } = await db.query<{ key: string; bytes: number }>(
    `select instance_id || '/' || connection_id || '/' || object_id as key, object_bytes as bytes
     from ((select * from raw_pages order by fetched_at desc limit 500) union all (select * from raw_pages order by fetched_at limit 500)) p
     where object_id is not null limit $1`,
    [samples],
  )
  const counted = await db.query<{ late: number }>(
    `select count(*)::int as late from unclaimed_objects where is_condemned and due_at < statement_timestamp() - interval '1 hour'`,
  )
  return { sample: rows, late: counted.rows[0]?.late ?? 0 }
}
