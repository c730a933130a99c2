import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/values/json.ts'
import type { MapContext } from '../contract/mapping.ts'
import type { AmountRule, DateRule, RateRule } from './profile-rules.ts'
import { readAmount, readCurrency, readDate, readEnum, readFlag, readNumber, readRate, readText, readTimestamp } from './rules.ts'

const words: string[] = []
const context: MapContext = { fetchedAt: new Date(0), unmapped: (field, word) => words.push(`${field}: ${word}`) }

function amount(rule: AmountRule, row: Json, currency = 'CAD') {
  return readAmount(rule, readCurrency({ value: currency }))(row, context)
}

describe('an amount', () => {
  it.each<[AmountRule, Json, string | null]>([
    [{ from: '/a' }, { a: '1,204.50' }, '1204.5'],
    [{ from: '/a' }, { a: 12.345 }, '12.345'],
    [{ from: '/a', mark: ',' }, { a: '1 204,50' }, '1204.5'],
    [{ from: '/a', mark: ',' }, { a: '-1.204,50' }, '-1204.5'],
    [{ from: ['/b', '/a'] }, { b: null, a: '7' }, '7'],
    [{ from: '/a', sign: 'turned' }, { a: '-48210.55' }, '48210.55'],
    [{ from: '/a', sign: 'absolute' }, { a: '-5' }, '5'],
    [{ from: '/a', negativeWhen: { from: '/d', is: ['D'] } }, { a: '5', d: 'D' }, '-5'],
    [{ from: '/a', negativeWhen: { from: '/d', is: ['D'] } }, { a: '-5', d: 'C' }, '5'],
    [{ in: '/i', out: '/o' }, { i: null, o: '9.10' }, '-9.1'],
    [{ in: '/i', out: '/o' }, { i: '9.10', o: '0.00' }, '9.1'],
    [{ from: '/a' }, {}, null],
    [{ from: '/a' }, { a: null }, null],
    [{ from: '/a' }, { a: 0 }, '0'],
  ])('%j of %j is %s', (rule, row, wanted) => {
    expect(amount(rule, row)).toBe(wanted)
  })

  it.each([
    ['CAD', '12.34'],
    ['JPY', '1234'],
    ['KWD', '1.234'],
  ])('in minor units of %s has the digits of that currency', (currency, wanted) => {
    expect(amount({ from: '/a', units: 'minor' }, { a: 1234 }, currency)).toBe(wanted)
  })

  it.each<Json>([{ a: 'twelve' }, { a: true }, { a: { b: 1 } }, { a: [1] }, { a: '1.2.3' }])('%j is refused', (row) => {
    expect(() => amount({ from: '/a' }, row)).toThrow(RangeError)
  })

  it('in minor units with a fraction, or of no currency, is refused', () => {
    expect(() => amount({ from: '/a', units: 'minor' }, { a: 12.5 })).toThrow(RangeError)
    expect(() => amount({ from: '/a', units: 'minor' }, { a: 12 }, '')).toThrow(RangeError)
  })
})

describe('a rate', () => {
  it.each<[RateRule['scale'], Json, string | null]>([
    ['percent', 7.25, '7.25'],
    ['percent', '15.789%', '15.789'],
    ['fraction', 0.0725, '7.25'],
    ['fraction', '15.789 %', '15.789'],
    ['basisPoints', 725, '7.25'],
    ['percent', null, null],
  ])('in %s, %j is %s percent', (scale, value, wanted) => {
    expect(readRate({ from: '/r', scale })({ r: value }, context)).toBe(wanted)
  })
})

describe('a date', () => {
  it.each<[DateRule['form'], Json, string]>([
    ['day', '2026-11-20', '2026-11-20'],
    ['day', '2026-11-20T23:30:00-05:00', '2026-11-20'],
    ['instant', '2026-11-20T23:30:00-05:00', '2026-11-20'],
    ['compact', '20261120', '2026-11-20'],
    ['compact', 20261120, '2026-11-20'],
    ['parts', [2026, 11, 20], '2026-11-20'],
    ['epochSeconds', 1_795_132_800, '2026-11-20'],
    ['epochMilliseconds', 1_795_132_800_000, '2026-11-20'],
    ['MM/DD/YYYY', '11/20/2026', '2026-11-20'],
    ['DD/MM/YYYY', '20/11/2026', '2026-11-20'],
  ])('in the form %s, %j is %s', (form, value, wanted) => {
    expect(readDate({ from: '/d', form })({ d: value }, context)).toBe(wanted)
  })

  it.each<[DateRule['form'], Json]>([
    ['day', '2026-02-30'],
    ['parts', [2026, 2, 30]],
    ['DD/MM/YYYY', '31/04/2026'],
    ['compact', '2026-11-20'],
    ['epochSeconds', 'soon'],
    ['day', true],
  ])('that cannot be is refused: %s %j', (form, value) => {
    expect(() => readDate({ from: '/d', form })({ d: value }, context)).toThrow(RangeError)
  })

  it('of a day alone is midnight of that day; an instant keeps its moment, and one without a zone is UTC', () => {
    expect(readTimestamp({ from: '/d', form: 'day' })({ d: '2026-11-20' }, context)).toBe('2026-11-20T00:00:00+00:00')
    expect(readTimestamp({ from: '/d', form: 'instant' })({ d: '2026-11-20T23:30:00-05:00' }, context)).toBe(
      '2026-11-21T04:30:00.000+00:00',
    )
    expect(readTimestamp({ from: '/d', form: 'instant' })({ d: '2026-11-20T23:30:00' }, context)).toBe('2026-11-20T23:30:00.000+00:00')
  })
})

describe('words, texts, numbers and flags', () => {
  const rule = { from: ['/c', '/p'], words: { 'Loan/Mortgage': 'A', 'Loan/*': 'B' }, otherwise: 'C' }

  it('are found in the table, joined, with a last part of any word', () => {
    const read = readEnum(rule, 'kind', 'D')
    expect([{ c: 'Loan', p: 'Mortgage' }, { c: 'Loan', p: 'Boat' }, { c: 'Loan' }].map((row) => read(row, context))).toEqual([
      'A',
      'B',
      'B',
    ])
  })

  it('that are new are counted and become the other; absent ones are not counted', () => {
    words.splice(0)
    const read = readEnum(rule, 'kind', 'D')
    expect([read({ c: 'Share', p: 'Draft' }, context), read({}, context)]).toEqual(['C', 'C'])
    expect(words).toEqual(['kind: Share/Draft'])
  })

  it.each([
    ['00417700224417', '••••4417'],
    ['****4417', '••••4417'],
    ['xx17', '••••17'],
    ['CA00 5502 1000 123', '••••0123'],
    ['', ''],
  ])('show of the number %s no more than %s', (value, shown) => {
    expect(readNumber({ from: '/n' })({ n: value }, context)).toBe(shown)
  })

  it('take the first place that says something, and never what JavaScript adds to an object', () => {
    expect(readText({ from: ['/a/b', '/c~1d'], otherwise: '?' })({ a: { b: '' }, 'c/d': ' x ' }, context)).toBe('x')
    expect(readText({ from: ['/constructor', '/__proto__'], otherwise: '?' })({}, context)).toBe('?')
  })

  it('tell a flag by the words that mean it', () => {
    const read = readFlag({ from: '/f', is: ['true', 'LOCKED'] })
    expect([{ f: true }, { f: 'LOCKED' }, { f: 'BOOKED' }, {}].map((row) => read(row, context))).toEqual([true, true, false, false])
  })
})
