import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { Answers } from '../../connectors/contract/contract.ts'
import type { Db } from '../../store/db/database.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { findRawPage, findSamePage, storeRawPage } from '../../store/records/raw-pages.ts'
import type { Clock, Store, Vault } from '../context/groups.ts'
import { hashLarge } from './large-bytes.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Page being stored: packed, compressed and sealed outside the transaction that stores it. */
export interface PreparedPage {
  id: string
  fetchedAt: Date
  contentHash: Uint8Array
  /** Runs on another thread while the page is normalized. Null when the same bytes are already stored. */
  sealed: Promise<Uint8Array> | null
}

export interface RawPageKey {
  instanceId: string
  connectionId: string
  pull: string
  page: number
}

/**
 * Prepares the answers of one page. Bytes identical to the stored page of this pull and number keep that page, so that
 * nothing is written.
 */
export async function preparePage(deps: Store & Vault & Clock, key: RawPageKey, answers: Answers): Promise<PreparedPage> {
  const packed = packAnswers(answers)
  const contentHash = await hashLarge(packed)
  const same = await findSamePage(deps.database, { ...key, contentHash })
  if (same) return { id: same.id, fetchedAt: same.fetchedAt, contentHash, sealed: null }
  const id = randomUUID()
  const sealed = compress(packed).then((compressed) => deps.sealer.seal(pageContext(key.instanceId, id), compressed))
  // The failure reaches whoever stores the page; it may occur before anyone waits.
  sealed.catch(() => undefined)
  return { id, fetchedAt: deps.now(), contentHash, sealed }
}

export async function storePage(db: Db, key: RawPageKey, page: PreparedPage): Promise<void> {
  if (page.sealed) await storeRawPage(db, { ...key, ...page, sealed: await page.sealed })
}

/** Answers of a stored page as received; null when it no longer exists. */
export async function openPage(
  db: Db,
  sealer: Sealer,
  instanceId: string,
  id: string,
): Promise<{ answers: Answers; pull: string; page: number; fetchedAt: Date } | null> {
  const stored = await findRawPage(db, instanceId, id)
  if (!stored) return null
  const answers = await unpackPage(sealer.open(pageContext(instanceId, id), stored.sealed))
  return { answers, pull: stored.pull, page: stored.page, fetchedAt: stored.fetchedAt }
}

/** Answers of a page from its opened bytes. */
export async function unpackPage(opened: Uint8Array): Promise<Answers> {
  return unpackAnswers(await decompress(opened))
}

function pageContext(instanceId: string, id: string) {
  return { instanceId, table: 'raw_pages', rowId: id, column: 'sealed' }
}

/** Length-prefixed names and bodies, in name order, so that equal answers yield equal bytes. */
function packAnswers(answers: Answers): Buffer {
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
  return Buffer.concat(parts)
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
