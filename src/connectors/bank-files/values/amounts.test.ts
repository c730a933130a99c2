import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AmountSum, ExactSum, plainAmount, signedAmount, toUnits } from './amounts.ts'

const SAFE = BigInt(Number.MAX_SAFE_INTEGER)

/** Whole numbers about the edges of what a double holds, and others. */
const whole = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 999_999_999_999_999),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.bigInt({ min: SAFE - 2n, max: SAFE + 2n }),
)

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength, size: 'max' })

/** An amount as a bank writes it, in the forms that are read in a double and in those that are not. */
const written = fc
  .tuple(fc.constantFrom('', '', '', '-', '+'), digits(1, 20), fc.option(fc.tuple(fc.constantFrom(',', '.'), digits(0, 10))))
  .map(([sign, integer, fraction]) => ({ text: `${sign}${integer}${fraction === null ? '' : fraction.join('')}`, sign, integer, fraction }))

const mark = fc.constantFrom('C', 'D', 'RC', 'RD', 'EC', 'ED', 'CRDT', 'DBIT', null)
const DEBITS = new Set<string | null>(['D', 'RC', 'ED', 'DBIT'])

describe('a sum of whole numbers', () => {
  it('is that of whole numbers of any size', () => {
    fc.assert(
      fc.property(fc.array(whole, { maxLength: 40 }), (values) => {
        const sum = new ExactSum()
        for (const value of values) sum.add(value)
        expect(sum.total).toBe(values.reduce<bigint>((total, value) => total + BigInt(value), 0n))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a sum of amounts', () => {
  it('is exact to the tenth decimal, whatever their signs, decimals and lengths', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(written, mark), { maxLength: 40 }), (amounts) => {
        const sum = new AmountSum()
        let total = 0n
        for (const [{ text, sign, integer, fraction }, each] of amounts) {
          expect(sum.add(text, each)).toBe(true)
          const units = BigInt(integer) * 10n ** 10n + BigInt((fraction?.[1] ?? '').padEnd(10, '0'))
          total += (sign === '-') === DEBITS.has(each) ? units : -units
        }
        expect(sum.units).toBe(total)
      }),
      { numRuns: 500 },
    )
  })

  it('agrees with each amount read alone, for any text', () => {
    const text = fc.oneof(fc.string({ unit: fc.constantFrom(..."0123456789,.-+ '\u00a0"), maxLength: 24 }), fc.string({ maxLength: 16 }))
    fc.assert(
      fc.property(text, mark, (given, each) => {
        const sum = new AmountSum()
        const units = toUnits(given, each)
        expect(sum.add(given, each)).toBe(units !== null)
        expect(sum.units).toBe(units ?? 0n)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('an amount', () => {
  it.each(['', ' ', ',', '.', '-', '+.', '-,', "'", '1-', '1.2.3,4,5', 'x'])('is not what has no number: "%s"', (text) => {
    expect(plainAmount(text)).toBeNull()
  })

  it.each([
    [',50', '0.50'],
    ['-.5', '-0.5'],
    ['5,', '5.'],
    ['1 234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1.234,56', '1234.56'],
    ["1'234.56", '1234.56'],
  ])('is read with any separators: %s', (text, plain) => {
    expect(plainAmount(text)).toBe(plain)
  })
})

describe('an amount in minor units', () => {
  it.each([
    ['USD', '123.45'],
    ['JPY', '12345'],
    ['KWD', '12.345'],
    ['CLF', '1.2345'],
  ])('has the decimals of its currency: %s', (currency, expected) => {
    expect(signedAmount({ text: '12345', mark: 'C', unit: 'minor', currency: null, date: null }, currency)).toBe(expected)
  })
})
