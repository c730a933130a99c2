import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { InstanceKind } from '../../../store/access/instances.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)
/** 240 random bits, of which 48 are shown. */
const SECRET_BYTES = 30
const SECRET_DIGITS = 41
const CHECK_DIGITS = 6
const SHOWN_DIGITS = 8

/** Text of an API key. Secret scanners find it by this pattern and the checksum. */
const SHAPE = new RegExp(`^ch_(?:live|test)_[0-9A-Za-z]{${SECRET_DIGITS + CHECK_DIGITS}}$`)

/**
 * New API key: `ch_live_` or `ch_test_`, by the kind of its instance, a random part in base 62, and its checksum
 * (CRC-32) in six digits. `prefix` is the part that may be shown again.
 */
export function newApiKey(kind: InstanceKind): { text: string; prefix: string } {
  const head = `ch_${kind}_`
  const body = head + toBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS)
  return { text: body + checksumOf(body), prefix: body.slice(0, head.length + SHOWN_DIGITS) }
}

/** Whether a text is meant to be an API key and not an access token. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith('ch_')
}

/** Whether a text could be one of our keys: detects truncated and mistyped keys without a query. */
export function isWholeApiKey(text: string): boolean {
  return SHAPE.test(text) && checksumOf(text.slice(0, -CHECK_DIGITS)) === text.slice(-CHECK_DIGITS)
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECK_DIGITS)
}

function toBase62(value: bigint, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest /= BASE) text = DIGITS.charAt(Number(rest % BASE)) + text
  return text
}
