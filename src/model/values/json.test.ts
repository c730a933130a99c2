import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDecimal } from './decimal.ts'
import { parseJson } from './json.ts'

describe('parseJson', () => {
  it('keeps every digit of a number, whatever its length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }), (whole, places) => {
        const digits = String(whole < 0n ? -whole : whole).padStart(places + 1, '0')
        const text = `${whole < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}${places > 0 ? `.${digits.slice(-places)}` : ''}`
        const parsed = parseJson(`{"amount":${text}}`) as { amount: number | string }
        expect(toDecimal(parsed.amount)).toBe(toDecimal(text))
      }),
    )
  })

  it.each([
    '12345678901234567890',
    '-12345678901234567890',
    '[12345678901234567890]',
    '{"a": 12345678901234567890}',
    '[1,12345678901234567890]',
  ])('keeps the digits wherever a number may stand: %s', (text) => {
    expect(JSON.stringify(parseJson(text))).toContain('12345678901234567890"')
  })

  it.each(['{"a":1234567890123456}', '[ 1234567890123456]', '[0,1234567890123456]', '1234567890123456', '[-1234567890123456]'])(
    'keeps the digits of %s, which has one more than a double holds for sure',
    (text) => {
      expect(JSON.stringify(parseJson(text))).toContain('1234567890123456"')
    },
  )

  it('leaves a text of many digits as it is beside a number of as many', () => {
    const parsed = parseJson('{"id":"12345678901234567890","amount":12345678901234567890}')
    expect(parsed).toEqual({ id: '12345678901234567890', amount: '12345678901234567890' })
  })

  it('gives a number of fifteen digits as a number, whatever its exponent', () => {
    expect(parseJson('[12345678901234.5e10, 12345678901234.5E+10]')).toEqual([12345678901234.5e10, 12345678901234.5e10])
    expect(parseJson('[123456789012345.6e10]')).toEqual(['123456789012345.6e10'])
  })

  it('leaves out NUL characters, and no escaped backslash before such letters', () => {
    expect(parseJson('{"name":"Petite\\u0000 caisse","path":"C:\\\\u0000","list":["\\u0000"]}')).toEqual({
      name: 'Petite caisse',
      path: 'C:\\u0000',
      list: [''],
    })
  })

  it('reads everything else as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        if (!/[0-9][0-9.]{15}|\\u0000/.test(text)) expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })
})
