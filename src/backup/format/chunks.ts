import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { BackupDamaged } from './errors.ts'

/** Plaintext bytes of a chunk. */
export const CHUNK_BYTES = 1024 * 1024
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const LENGTH_BYTES = 4
/** Chunks that are opened ahead of the caller. */
const READ_AHEAD = 3
/** First byte of a chunk's plaintext. */
const STORED = 0
const ZSTD = 1

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
/** One piece of output: with many small ones, most of the time goes into collecting garbage. */
const OUTPUT = { chunkSize: CHUNK_BYTES + 1 }
const LEVEL = { ...OUTPUT, params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Chunk encryption (STREAM): the nonce is the chunk's number and whether it is the last, so that chunks cannot be
 * changed, left out, moved or cut off. The key is used for one file only.
 * Source: https://eprint.iacr.org/2015/189
 */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(index, 0, 6)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/** Writes one chunk: its length, then the encrypted rest. Returns the number of bytes written. */
export async function writeChunk(
  file: FileHandle,
  key: Buffer,
  chunk: { index: number; isLast: boolean; plaintext: Buffer },
): Promise<number> {
  const { index, isLast, plaintext } = chunk
  const smaller = await compress(plaintext, LEVEL)
  const [codec, body] = smaller.length < plaintext.length ? [ZSTD, smaller] : [STORED, plaintext]
  const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast), { authTagLength: TAG_BYTES })
  const parts = [cipher.update(Buffer.of(codec)), cipher.update(body), cipher.final(), cipher.getAuthTag()]
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(1 + body.length + TAG_BYTES)
  const { bytesWritten } = await file.writev([length, ...parts])
  const wanted = LENGTH_BYTES + 1 + body.length + TAG_BYTES
  if (bytesWritten !== wanted) throw Object.assign(new Error('no space left for the backup'), { code: 'ENOSPC' })
  return bytesWritten
}

/**
 * Plaintexts of all chunks of a file from `offset`. Throws `BackupDamaged` at the first that is not as it was written,
 * before any byte of it is passed on. The next chunks are read and decompressed while the caller uses one.
 */
export async function* readChunks(file: FileHandle, key: Buffer, offset: number): AsyncGenerator<Buffer> {
  const { size } = await file.stat()
  const opening: Promise<Buffer>[] = []
  let at = offset
  for (let index = 0; at < size || index === 0; index += 1) {
    const read = await Promise.allSettled([readSealed(file, at)])
    const opened = openRead(key, read[0], { index, at, size })
    // Thrown when it is that chunk's turn.
    opened.catch(() => undefined)
    opening.push(opened)
    const first = opening.length > READ_AHEAD ? opening.shift() : undefined
    if (first) yield await first
    at = read[0].status === 'rejected' ? size : at + LENGTH_BYTES + read[0].value.length
  }
  for (const opened of opening) yield await opened
}

async function openRead(
  key: Buffer,
  read: PromiseSettledResult<Buffer>,
  { index, at, size }: { index: number; at: number; size: number },
): Promise<Buffer> {
  if (read.status === 'rejected') throw read.reason
  return await openChunk(key, read.value, index, at + LENGTH_BYTES + read.value.length === size)
}

async function readSealed(file: FileHandle, at: number): Promise<Buffer> {
  const head = await readExactly(file, at, LENGTH_BYTES)
  const length = head.readUInt32BE()
  if (length < 1 + TAG_BYTES || length > 1 + CHUNK_BYTES + TAG_BYTES) throw damaged(at)
  return await readExactly(file, at + LENGTH_BYTES, length)
}

async function openChunk(key: Buffer, sealed: Buffer, index: number, isLast: boolean): Promise<Buffer> {
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, nonceOf(index, isLast), { authTagLength: TAG_BYTES }).setAuthTag(sealed.subarray(end))
  const first = decipher.update(sealed.subarray(0, end))
  try {
    decipher.final()
  } catch (error) {
    if (isLast && isWhole(key, sealed, index)) throw new BackupDamaged('the backup is cut short: its end is missing')
    throw new BackupDamaged(`the backup was changed, in chunk ${index + 1}`, { cause: error })
  }
  const body = first.subarray(1)
  return first[0] === ZSTD ? await decompress(body, { ...OUTPUT, maxOutputLength: CHUNK_BYTES }) : body
}

/** Whether a chunk at the end of the file is a right one that is not the last. */
function isWhole(key: Buffer, sealed: Buffer, index: number): boolean {
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, nonceOf(index, false), { authTagLength: TAG_BYTES }).setAuthTag(sealed.subarray(end))
  decipher.update(sealed.subarray(0, end))
  try {
    decipher.final()
    return true
  } catch {
    return false
  }
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let got = 0; got < length; ) {
    const { bytesRead } = await file.read(bytes, got, length - got, position + got)
    if (bytesRead === 0) throw new BackupDamaged('the backup is cut short: its end is missing')
    got += bytesRead
  }
  return bytes
}

function damaged(at: number): BackupDamaged {
  return new BackupDamaged(`the backup was changed, at byte ${at}`)
}
