import { describe, expect, it } from 'vitest'
import { toDecimal } from '../../../model/values/decimal.ts'
import { fullNumbers } from './full-numbers.ts'
import { debitLessCredit, isDay, positive, toDayTimestamp, toMaskedNumber, versionAt } from './raw-values.ts'

describe('full account numbers', () => {
  it.each([
    ['123456', ['123456']],
    [123456, ['123456']],
    ['12 34-56', ['123456']],
    ['12345', []],
    ['x123456', []],
    ['123456x', []],
    ['••••123456', []],
    ['de89 3704 0044 0532 0130 00', ['DE89370400440532013000']],
    ['NO9386011117947', ['NO9386011117947']],
    ['NO93860111179', []],
    ['D189370400440532013000', []],
    ['DEX9370400440532013000', []],
    ['DE8X370400440532013000', []],
    ['1DE89370400440532013000', []],
    [`MT84${'M'.repeat(30)}`, [`MT84${'M'.repeat(30)}`]],
    [`MT84${'M'.repeat(31)}`, []],
    ['DE89370400440532013.00', []],
    [null, []],
    [undefined, []],
    [{}, []],
  ])('of %j', (text, expected) => {
    expect(fullNumbers(text)).toEqual(expected)
  })

  it('are kept in the order of the texts', () => {
    expect(fullNumbers('654321', 'none', '123456')).toEqual(['654321', '123456'])
  })
})

describe('a masked number', () => {
  it.each([
    ['1234567', '••••4567'],
    ['12-34 A', '••••234A'],
    ['xxx9z', '••••xx9z'],
    ['1', '••••1'],
    ['--', ''],
    ['', ''],
    [null, ''],
    [undefined, ''],
  ])('of %j', (number, expected) => {
    expect(toMaskedNumber(number)).toBe(expected)
  })
})

it.each([
  ['12.5', '12.5'],
  ['0', null],
  ['-1', null],
  [null, null],
] as const)('a positive amount of %j is %j', (value, expected) => {
  expect(positive(toDecimal(value))).toBe(expected)
})

it.each([
  ['2026-02-28', true],
  ['2026-02-30', false],
  ['yesterday', false],
  ['', false],
  [20260228, false],
  [null, false],
  [undefined, false],
])('%j: is it a day? %j', (value, expected) => {
  expect(isDay(value)).toBe(expected)
})

it.each([
  ['2026-02-28T01:02:03.004Z', { version: '2026-02-28T01:02:03.004Z' }],
  ['2026-02-28T01:02:03+02:00', { version: '2026-02-27T23:02:03.000Z' }],
  ['someday', {}],
  [20260228, {}],
  [null, {}],
  [undefined, {}],
])('a change at %j has the version %j', (changed, expected) => {
  expect(versionAt(changed)).toEqual(expected)
})

it('a day as a timestamp begins at midnight UTC', () => {
  expect([toDayTimestamp('2026-02-28'), toDayTimestamp(null), toDayTimestamp(undefined)]).toEqual(['2026-02-28T00:00:00+00:00', null, null])
  expect(() => toDayTimestamp('2026-02-30')).toThrow(RangeError)
})

it.each([
  ['10.50', '3', '7.5'],
  [1, 2.5, '-1.5'],
  ['0', '0', '0'],
  ['x', '3', null],
  ['3', 'x', null],
  [null, '3', null],
  ['3', undefined, null],
  [true, 1, null],
])('debit %j less credit %j is %j', (debit, credit, expected) => {
  expect(debitLessCredit(debit, credit)).toBe(expected)
})
