import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/values/json.ts'
import { readAmount, readCurrency, readDate, readEnum, readFlag, readNumber, readRate, readText, readTimestamp } from './rules.ts'

const unmapped: string[] = []
const CONTEXT = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => void unmapped.push(`${field}: ${word}`) }
const inCad = () => 'CAD'

describe('a text', () => {
  it.each<[Json, string]>([
    [{ a: ' x ' }, 'x'],
    [{ a: 7 }, '7'],
    [{ a: false }, 'false'],
    [{ a: '', b: 'second' }, 'second'],
    [{ a: null, b: 'second' }, 'second'],
    [{ b: 'second' }, 'second'],
    [{ a: 0, b: 'second' }, '0'],
    [{}, 'none'],
  ])('of %j is the first one that is there', (row, expected) => {
    expect(readText({ from: ['/a', '/b'], otherwise: 'none' })(row, CONTEXT)).toBe(expected)
  })

  it('without a rule, or without a value, is empty', () => {
    expect([readText(undefined)({ a: 1 }, CONTEXT), readText({ from: '/a' })({}, CONTEXT), readText({ value: 'v' })({}, CONTEXT)]).toEqual([
      '',
      '',
      'v',
    ])
  })

  it('is no object', () => {
    expect(() => readText({ from: '/a' })({ a: {} }, CONTEXT)).toThrow(RangeError)
    expect(() => readText({ from: '/a' })({ a: ['x'] }, CONTEXT)).toThrow(RangeError)
  })

  it('of a currency has capital letters', () => {
    expect(readCurrency({ from: '/a' })({ a: 'cad' }, CONTEXT)).toBe('CAD')
  })
})

describe('an account number', () => {
  it.each<[Json, string]>([
    ['12345678', '••••5678'],
    [12345678, '••••5678'],
    ['****1234', '••••1234'],
    ['xxxx 1234', '••••1234'],
    ['•••12', '••••12'],
    ['XX-9', '••••9'],
    ['··#.1', '••••1'],
    ['1234', '••••234'],
    ['12*4', '••••24'],
    ['****12345', '••••2345'],
    ['****', ''],
    ['12xx', '••••2xx'],
    ['', ''],
    [null, ''],
  ])('%j is shown as %s', (number, expected) => {
    expect(readNumber({ from: '/a' })({ a: number }, CONTEXT)).toBe(expected)
  })

  it('without a rule is empty, and is no truth value', () => {
    expect(readNumber(undefined)({ a: '1234' }, CONTEXT)).toBe('')
    expect(() => readNumber({ from: '/a' })({ a: true }, CONTEXT)).toThrow(RangeError)
  })
})

describe('an amount', () => {
  it.each<[Json, '.' | ',', string | null]>([
    ['1,234.50', '.', '1234.5'],
    ['1,234,567', '.', '1234567'],
    ['1 234.5', '.', '1234.5'],
    ['1\u00a0234', '.', '1234'],
    ['1\u202f234', '.', '1234'],
    ["1'234", '.', '1234'],
    ['1’234', '.', '1234'],
    ['1.234,5', ',', '1234.5'],
    ['1.234.567,5', ',', '1234567.5'],
    [12.5, '.', '12.5'],
    ['', '.', null],
    [null, '.', null],
  ])('%j with the mark %s', (value, mark, expected) => {
    expect(readAmount({ from: '/a', mark }, inCad)({ a: value }, CONTEXT)).toBe(expected)
  })

  it.each(['1,23', '1,2345', ',123', '1 , 234', '- 5'])('%j is none', (value) => {
    expect(() => readAmount({ from: '/a' }, inCad)({ a: value }, CONTEXT)).toThrow()
  })

  it('in minor units has the digits of its currency, and no fraction', () => {
    const of = (currency: string, a: Json) => readAmount({ from: '/a', units: 'minor' }, () => currency)({ a }, CONTEXT)
    expect([of('CAD', 1250), of('JPY', '1250'), of('KWD', 1250), of('CAD', null)]).toEqual(['12.5', '1250', '1.25', null])
    for (const currency of ['', 'CA', 'CADX', 'xCAD', 'cad']) expect(() => of(currency, 1250)).toThrow(RangeError)
    expect(() => of('CAD', '12.5')).toThrow(RangeError)
  })

  it('of two columns is money in, or money out', () => {
    const read = (row: Json) => readAmount({ in: '/in', out: '/out' }, inCad)(row, CONTEXT)
    expect([{ in: 5 }, { in: -5 }, { out: 5 }, { out: -5 }, { in: 0, out: 5 }, { in: 5, out: 7 }, { in: 0 }, {}].map(read)).toEqual([
      ...['5', '5', '-5', '-5', '-5', '5', '0', null],
    ])
  })

  it('has the sign that its rule says', () => {
    const row = (a: Json, mark = '') => ({ a, mark })
    const marked = readAmount({ from: '/a', negativeWhen: { from: '/mark', is: ['D'] } }, inCad)
    expect([
      marked(row(5, 'D'), CONTEXT),
      marked(row(-5, 'D'), CONTEXT),
      marked(row(-5, 'C'), CONTEXT),
      marked(row(null, 'D'), CONTEXT),
    ]).toEqual([...['-5', '-5', '5', null]])
    expect(readAmount({ from: '/a', sign: 'turned' }, inCad)(row(5), CONTEXT)).toBe('-5')
    expect(readAmount({ from: '/a', sign: 'absolute' }, inCad)(row(-5), CONTEXT)).toBe('5')
    expect(readAmount({ from: '/a' }, inCad)(row(-5), CONTEXT)).toBe('-5')
    expect(readAmount(undefined, inCad)(row(-5), CONTEXT)).toBeNull()
  })
})

it.each<[Json, 'percent' | 'fraction' | 'basisPoints', string | null]>([
  ['7.25', 'percent', '7.25'],
  [0.0725, 'fraction', '7.25'],
  [725, 'basisPoints', '7.25'],
  [' 7.25% ', 'fraction', '7.25'],
  [null, 'percent', null],
])('a rate of %j as %s', (value, scale, expected) => {
  expect(readRate({ from: '/a', scale })({ a: value }, CONTEXT)).toBe(expected)
  expect(readRate(undefined)({ a: value }, CONTEXT)).toBeNull()
})

it('a day stays a day, and as a time it is midnight', () => {
  expect(readDate({ from: '/a', form: 'day' })({ a: '2026-02-28' }, CONTEXT)).toBe('2026-02-28')
  expect(readTimestamp({ from: '/a', form: 'day' })({ a: '2026-02-28' }, CONTEXT)).toBe('2026-02-28T00:00:00+00:00')
  expect(readTimestamp({ from: '/a', form: 'instant' })({ a: '2026-02-28T01:00:00+01:00' }, CONTEXT)).toBe('2026-02-28T00:00:00.000+00:00')
  expect(readTimestamp({ from: '/a', form: 'instant' })({}, CONTEXT)).toBeNull()
  expect([readDate(undefined)({}, CONTEXT), readTimestamp(undefined)({}, CONTEXT)]).toEqual([null, null])
})

describe('a word', () => {
  const read = (words: Record<string, string>, row: Json, otherwise?: string) =>
    readEnum({ from: ['/a', '/b'], words, ...(otherwise === undefined ? {} : { otherwise }) }, 'field', 'fallback')(row, CONTEXT)

  it('is found as it is, then with any last one', () => {
    expect(read({ 'x/y': 'both', 'x/*': 'any' }, { a: 'x', b: 'y' })).toBe('both')
    expect(read({ 'x/y': 'both', 'x/*': 'any' }, { a: 'x', b: 'z' })).toBe('any')
    expect(read({ 'x/': 'alone' }, { a: 'x' })).toBe('alone')
    expect(read({ '1/true': 'typed' }, { a: 1, b: true })).toBe('typed')
  })

  it('that is not known is counted, one that is absent is not', () => {
    unmapped.length = 0
    expect([read({}, { a: 'q' }), read({}, { b: 'r' }, 'other'), read({}, {}), read({}, { a: '' }, 'other')]).toEqual([
      'fallback',
      'other',
      'fallback',
      'other',
    ])
    expect(unmapped).toEqual(['field: q/', 'field: /r'])
  })

  it('without a rule is the fallback', () => {
    expect([readEnum(undefined, 'field', 'fallback')({}, CONTEXT), readEnum({ value: 'v' }, 'field', null)({}, CONTEXT)]).toEqual([
      'fallback',
      'v',
    ])
  })
})

it('a flag is one of its words', () => {
  const read = (a: Json) => readFlag({ from: '/a', is: ['P', 'true'] })({ a }, CONTEXT)
  expect([read('P'), read(true), read('p'), read(null), read('')]).toEqual([true, true, false, false, false])
  expect([readFlag(undefined)({}, CONTEXT), readFlag({ value: true })({}, CONTEXT)]).toEqual([false, true])
})
