import { createHmac, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '../../model/values/secret.ts'
import { BackupDamaged, WrongPassphrase } from './errors.ts'

/** Beginning of the file in clear: magic (8), version (1), scrypt’s log2 N (1), r (1), p (1), salt (32), check of the key (16). */
export const HEADER_BYTES = 60

const MAGIC = Buffer.from('CHBACKUP')
const VERSION = 1
const SALT_AT = 12
const CHECK_AT = 44
const KEY_BYTES = 32
/** 128 MiB, a third of a second. Source: https://www.rfc-editor.org/rfc/rfc7914#section-2 */
const COST = { logN: 17, r: 8, p: 1 }
/** A forged header must not exhaust the memory. */
const MAX_LOG_N = 20

const derive = promisify<Buffer, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

/** New header, and the key of its chunks. */
export async function createHeader(passphrase: Secret): Promise<{ header: Buffer; key: Buffer }> {
  const start = Buffer.concat([MAGIC, Buffer.of(VERSION, COST.logN, COST.r, COST.p), randomBytes(CHECK_AT - SALT_AT)])
  const master = await deriveMaster(passphrase, start)
  return { header: Buffer.concat([start, checkOf(master, start)]), key: keyOf(master, start) }
}

/** Key of the chunks behind this header. Throws `BackupDamaged` and `WrongPassphrase`. */
export async function openHeader(header: Buffer, passphrase: Secret): Promise<Buffer> {
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC))
    throw new BackupDamaged('this file is no backup of Countinghouse')
  const version = header[MAGIC.length] ?? 0
  if (version > VERSION) throw new BackupDamaged(`this backup has format ${version}, which a later version of Countinghouse reads`)
  const start = header.subarray(0, CHECK_AT)
  const master = await deriveMaster(passphrase, start)
  if (!timingSafeEqual(checkOf(master, start), header.subarray(CHECK_AT, HEADER_BYTES))) throw new WrongPassphrase()
  return keyOf(master, start)
}

async function deriveMaster(passphrase: Secret, start: Buffer): Promise<Buffer> {
  const [logN = 0, r = 0, p = 0] = start.subarray(MAGIC.length + 1, SALT_AT)
  if (logN < 1 || logN > MAX_LOG_N || r < 1 || r > 8 || p < 1 || p > 4) throw new BackupDamaged('the header of the backup was changed')
  const N = 2 ** logN
  const bytes = Buffer.from(passphrase.reveal().normalize('NFKC'))
  return await derive(bytes, start.subarray(SALT_AT), KEY_BYTES, { N, r, p, maxmem: 128 * N * r * p + 2 ** 20 })
}

/** The check covers the header, so that a changed one is not taken for a right one. */
function checkOf(master: Buffer, start: Buffer): Buffer {
  return createHmac('sha256', master)
    .update('countinghouse backup check')
    .update(start)
    .digest()
    .subarray(0, HEADER_BYTES - CHECK_AT)
}

function keyOf(master: Buffer, start: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, start, 'countinghouse backup chunks', KEY_BYTES))
}
