import { NotEncodable } from './encode-target.ts'

/** Precision and scale of amounts and percentages. No number is rounded: one that does not fit ends the export. */
export const PRECISION = 38
export const SCALE = 10
/** Length of an amount: two's complement, big-endian. Source: https://parquet.apache.org/docs/file-format/types/logicaltypes/#decimal */
export const DECIMAL_BYTES = 16

const LIMIT = 10n ** BigInt(PRECISION)
const WORD = 2 ** 32
const PRINTED = /^-?\d+(?:\.\d+)?$/

/** Unscaled value of an exact decimal, in units of its last place. Throws `NotEncodable`. */
export function toDecimalBytes(text: string): Uint8Array {
  if (!PRINTED.test(text)) throw new NotEncodable()
  const point = text.indexOf('.')
  const digits = point < 0 ? text : text.slice(0, point) + text.slice(point + 1)
  const places = point < 0 ? 0 : text.length - point - 1
  // Most unscaled values are exact as a double, which takes a tenth of the time.
  if (places <= SCALE) {
    const unscaled = Number(digits) * 10 ** (SCALE - places)
    if (Number.isSafeInteger(unscaled)) return toBytes(unscaled)
  }
  return toLargeBytes(text)
}

/** NOTE the product above is exact where it is safe: both factors are whole numbers, and so is the result. */
function toBytes(unscaled: number): Uint8Array {
  const bytes = new Uint8Array(DECIMAL_BYTES)
  const high = Math.floor(unscaled / WORD)
  if (unscaled < 0) bytes.fill(0xff, 0, 8)
  writeWord(bytes, 8, high)
  writeWord(bytes, 12, unscaled - high * WORD)
  return bytes
}

function writeWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24
  bytes[at + 1] = word >>> 16
  bytes[at + 2] = word >>> 8
  bytes[at + 3] = word
}

function toLargeBytes(text: string): Uint8Array {
  const [whole = '', fraction = ''] = text.split('.')
  const digits = fraction.replace(/0+$/, '')
  const unscaled = BigInt(whole + digits.padEnd(SCALE, '0'))
  if (digits.length > SCALE || unscaled >= LIMIT || unscaled <= -LIMIT) throw new NotEncodable()
  const bytes = new Uint8Array(DECIMAL_BYTES)
  const view = new DataView(bytes.buffer)
  view.setBigInt64(0, unscaled >> 64n)
  view.setBigInt64(8, unscaled)
  return bytes
}
