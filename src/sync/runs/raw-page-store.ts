import { randomUUID } from 'node:crypto'
import { createZstdCompress, createZstdDecompress, type ZstdCompress, type ZstdDecompress } from 'node:zlib'
import type { Answers } from '../../connectors/contract/contract.ts'
import { hashLarge, joinLarge } from '../../model/steps/large-bytes.ts'
import { StorageRefused } from '../../object-storage/s3-object.ts'
import type { Db } from '../../store/db/database.ts'
import type { PageSpan } from '../../store/db/partitions/page-spans.ts'
import { SEALED_MIN_BYTES, SealError, type Sealer } from '../../store/keys/sealing.ts'
import { announceObject, claimObject, toObjectKey } from '../../store/records/page-objects.ts'
import { findRawPage, findSamePage, type RawPage, type RawPageId, storeRawPage } from '../../store/records/raw-pages.ts'
import type { Clock, Logging, Store, Vault } from '../context/groups.ts'
import { completeValue, ObjectMissing } from '../pages/complete-value.ts'

/** Bytes that a compressor or decompressor gives at once. */
const CHUNK_BYTES = 64 * 1024

/** Page being stored: packed, compressed and sealed outside the transaction that stores it. */
export interface PreparedPage {
  id: string
  fetchedAt: Date
  contentHash: Uint8Array
  /** Partition to which it goes; null: the table itself. */
  span: PageSpan | null
  /** Sealed on another thread, and uploaded, while the page is normalized. Null when the same bytes are already stored. */
  stored: Promise<StoredValue> | null
}

interface StoredValue {
  sealed: Uint8Array
  /** Object that contains `sealed` except its head; null: there is none. */
  objectId: string | null
}

export interface RawPageKey {
  instanceId: string
  companyId: string
  connectionId: string
  pull: string
  page: number
}

/**
 * Prepares the answers of one page. Bytes identical to the stored page of this pull and number keep that page, so that
 * nothing is written.
 */
export async function preparePage(deps: Store & Vault & Clock & Logging, key: RawPageKey, answers: Answers): Promise<PreparedPage> {
  const packed = await packAnswers(answers)
  const contentHash = await hashLarge(packed)
  const fetchedAt = deps.now()
  const { same, span } = await findSamePage(deps.database, { ...key, contentHash, fetchedAt })
  if (same) return { ...same, contentHash, span, stored: null }
  const id = randomUUID()
  const sealed = through(createZstdCompress({ chunkSize: CHUNK_BYTES }), packed).then((compressed) =>
    deps.sealer.sealLarge(pageContext(key.instanceId, id), compressed),
  )
  const stored = sealed.then(async (value) => ({ sealed: value, objectId: await upload(deps, key, value) }))
  // The error is thrown when the page is stored; it may occur before anyone awaits it.
  stored.catch(() => undefined)
  return { id, fetchedAt, contentHash, span, stored }
}

/**
 * Uploads all but the head if pages are kept in object storage; returns the object's id. Null if the storage refuses:
 * the page is then stored in the database, and moved later.
 */
async function upload(deps: Store & Vault & Logging, key: RawPageKey, sealed: Uint8Array): Promise<string | null> {
  if (!deps.pageObjects?.isDestination) return null
  const objectId = randomUUID()
  const objectKey = toObjectKey(key, objectId)
  await announceObject(deps.database, objectKey)
  try {
    await deps.pageObjects.put(objectKey, sealed.subarray(SEALED_MIN_BYTES))
    return objectId
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    deps.log.warn({ connectionId: key.connectionId, reason: error.message }, 'a raw page stays in the database: object storage')
    return null
  }
}

/**
 * Stores a page in the transaction of its records. If its upload claim has expired meanwhile, the page is stored as a
 * whole.
 */
export async function storePage(db: Db, key: RawPageKey, page: PreparedPage): Promise<void> {
  if (!page.stored) return
  const { sealed, objectId } = await page.stored
  const isThere = objectId !== null && (await claimObject(db, toObjectKey(key, objectId)))
  const value = isThere
    ? { sealed: sealed.subarray(0, SEALED_MIN_BYTES), object: { id: objectId, bytes: sealed.length - SEALED_MIN_BYTES } }
    : { sealed, object: null }
  const { id, fetchedAt, contentHash, span } = page
  await storeRawPage(db, { ...key, id, fetchedAt, contentHash, span, ...value })
}

/** Dependencies for decrypting stored pages. */
export type PageReader = Pick<Vault, 'pageObjects'> & { sealer: Pick<Sealer, 'openLarge'> }

/**
 * Answers of a stored page as received; null when it no longer exists. Throws `SealError` when no key opens it, `ObjectMissing`
 * when its object is lost, and `StorageRefused` when object storage does not answer at present.
 */
export async function openPage(
  db: Db,
  reader: PageReader,
  key: RawPageId,
): Promise<{ answers: Answers; pull: string; page: number; fetchedAt: Date } | null> {
  const stored = await findRawPage(db, key)
  if (!stored) return null
  try {
    return await openStored(reader, stored)
  } catch (error) {
    // The page was moved or deleted meanwhile, or the storage returned the response to another request.
    if (stored.object === null || !(error instanceof ObjectMissing || error instanceof SealError)) throw error
    const now = await findRawPage(db, key)
    return now && (await openStored(reader, now))
  }
}

async function openStored({ sealer, pageObjects }: PageReader, page: RawPage) {
  const { instanceId, id, pull, fetchedAt, object } = page
  const sealed = await completeValue(pageObjects, page.sealed, object && { key: toObjectKey(page, object.id), bytes: object.bytes })
  return { answers: await unpackPage(await sealer.openLarge(pageContext(instanceId, id), sealed)), pull, page: page.page, fetchedAt }
}

/** Answers of a page from its decrypted bytes. */
export async function unpackPage(opened: Uint8Array): Promise<Answers> {
  return unpackAnswers(await through(createZstdDecompress({ chunkSize: CHUNK_BYTES }), opened))
}

function pageContext(instanceId: string, id: string) {
  return { instanceId, table: 'raw_pages', rowId: id, column: 'sealed' }
}

/** What comes out of a compressor or decompressor, which works on other threads. */
async function through(stream: ZstdCompress | ZstdDecompress, bytes: Uint8Array): Promise<Buffer> {
  stream.end(bytes)
  return await joinLarge(await Array.fromAsync(stream))
}

/** Length-prefixed names and bodies, in name order, so that equal answers yield equal bytes. */
async function packAnswers(answers: Answers): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (const name of Object.keys(answers).sort()) {
    const body = answers[name]
    if (!body) continue
    const head = Buffer.from(name)
    const lengths = Buffer.alloc(8)
    lengths.writeUInt32BE(head.length, 0)
    lengths.writeUInt32BE(body.length, 4)
    parts.push(lengths, head, body)
  }
  return await joinLarge(parts)
}

function unpackAnswers(packed: Buffer): Answers {
  const answers: Answers = {}
  for (let at = 0; at < packed.length; ) {
    const nameLength = packed.readUInt32BE(at)
    const bodyLength = packed.readUInt32BE(at + 4)
    const name = packed.subarray(at + 8, at + 8 + nameLength).toString('utf8')
    const start = at + 8 + nameLength
    answers[name] = packed.subarray(start, start + bodyLength)
    at = start + bodyLength
  }
  return answers
}
