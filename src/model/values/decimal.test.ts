import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { absolute, add, compareDecimals, fromMinorUnits, negate, toDecimal } from './decimal.ts'

const decimal = (text: string) => {
  const value = toDecimal(text)
  if (value === null) throw new Error('no decimal')
  return value
}

describe('exact decimals', () => {
  it('read numbers and texts without losing a digit, absent stays absent', () => {
    expect(['1234.50', ' +7 ', '.25', '-0', '1e3', 0.1, null, '', undefined].map((value) => toDecimal(value))).toEqual([
      '1234.5',
      '7',
      '0.25',
      '0',
      '1000',
      '0.1',
      null,
      null,
      null,
    ])
  })

  it.each([
    ['5.', '5'],
    ['+7.5', '7.5'],
    ['00.5', '0.5'],
    ['1.e5', '100000'],
    ['007', '7'],
    ['-0.50', '-0.5'],
    ['10.05', '10.05'],
  ])('written as %s are %s', (text, plain) => {
    expect(toDecimal(text)).toBe(plain)
  })

  it('refuse what is no number', () => {
    for (const text of ['12,50', '15.789%', 'NaN', 'Infinity', '1e999', '0x10', '1 000', '--1', '9'.repeat(61)]) {
      expect(() => toDecimal(text), text).toThrow(RangeError)
    }
  })

  it('take sixty characters and no more', () => {
    expect(toDecimal('9'.repeat(60))).toBe('9'.repeat(60))
    expect(() => toDecimal('9'.repeat(61))).toThrow(RangeError)
  })

  it('that are absent stay absent', () => {
    expect([negate(null), absolute(null)]).toEqual([null, null])
  })

  it('move minor units exactly, for any currency and length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 25 }), (minor, digits) => {
        const scaled = add(...Array.from({ length: 1 }, () => fromMinorUnits(String(minor), digits)))
        const whole = BigInt(`${scaled.split('.')[0]}${(scaled.split('.')[1] ?? '').padEnd(digits, '0')}`)
        expect(whole).toBe(minor)
      }),
    )
    expect([fromMinorUnits(12345, 2), fromMinorUnits('-5', 3), fromMinorUnits(' 700 ', 0)]).toEqual(['123.45', '-0.005', '700'])
  })

  it('add, negate and compare as on paper', () => {
    expect(add(decimal('0.1'), decimal('0.2'))).toBe('0.3')
    expect(['0', '12.50', '-3'].map((text) => negate(decimal(text)))).toEqual(['0', '-12.5', '3'])
    expect(absolute(decimal('-12.10'))).toBe('12.1')
    expect(compareDecimals(decimal('10'), decimal('9.99'))).toBe(1)
  })
})
