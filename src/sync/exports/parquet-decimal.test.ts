import { describe, expect, it } from 'vitest'
import { NotEncodable } from './encode-target.ts'
import { PRECISION, SCALE, toDecimalBytes } from './parquet-decimal.ts'

/** What the bytes mean, by another way than they were made. */
function read(bytes: Uint8Array): bigint {
  return BigInt.asIntN(128, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

describe('an amount of Parquet', () => {
  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['0.0000000001', 1n],
    ['-0.0000000001', -1n],
    ['0.1', 1_000_000_000n],
    ['-1234.56', -12_345_600_000_000n],
    ['900719.9254740991', 9_007_199_254_740_991n],
    ['900719.9254740992', 9_007_199_254_740_992n],
    ['-900719.9254740993', -9_007_199_254_740_993n],
    ['0.42949672960', 4_294_967_296n],
    ['-0.4294967296', -4_294_967_296n],
    ['1.500000000000', 15_000_000_000n],
    ['9999999999999999999999999999.9999999999', 10n ** 38n - 1n],
    ['-9999999999999999999999999999.9999999999', 1n - 10n ** 38n],
  ])('%s is exact', (text, unscaled) => {
    expect(read(toDecimalBytes(text))).toBe(unscaled)
  })

  it('is the same by either way, wherever they meet', () => {
    for (let digits = 1n; digits < 10n ** 20n; digits = digits * 3n + 1n)
      for (let places = 0; places <= SCALE; places++) {
        const text = String(digits).padStart(places + 1, '0')
        const whole = text.slice(0, text.length - places)
        const printed = places === 0 ? whole : `-${whole}.${text.slice(-places)}`
        const unscaled = digits * 10n ** BigInt(SCALE - places)
        expect(read(toDecimalBytes(printed))).toBe(places === 0 ? unscaled : -unscaled)
      }
  })

  it.each([
    ...['0.00000000001', '900719.92547409911', `1${'0'.repeat(PRECISION - SCALE)}`, `-1${'0'.repeat(PRECISION - SCALE)}`],
    ...['1e5', '1.5e3', '', 'true', '.5', '1.'],
  ])('that does not fit, or is none, is refused: %s', (text) => {
    expect(() => toDecimalBytes(text)).toThrow(NotEncodable)
  })
})
