import { describe, expect, it } from 'vitest'
import type { ColumnType } from '../../store/db/list-selection.ts'
import { toFilterValue } from './filter-value.ts'

const ID = '3f0c9a52-7d59-4c7e-9f5e-3a8f1f0f2b11'

describe('a value of a filter', () => {
  it.each<[ColumnType, string, string | null]>([
    ['number', '0', '0'],
    ['number', '-12.50', '-12.50'],
    ['number', '+7', '+7'],
    ['number', `${'9'.repeat(30)}.${'9'.repeat(30)}`, `${'9'.repeat(30)}.${'9'.repeat(30)}`],
    ...['9'.repeat(31), `1.${'9'.repeat(31)}`, '1.', '.5', '1e3', ' 1', '1 ', '', '--1', 'NaN', '1,5'].map(
      (text): [ColumnType, string, null] => ['number', text, null],
    ),
    ['boolean', 'TRUE', 'true'],
    ['boolean', 'False', 'false'],
    ...['yes', '1', 'true ', 'untrue', 'falsehood'].map((text): [ColumnType, string, null] => ['boolean', text, null]),
    ['uuid', ID.toUpperCase(), ID],
    ['uuid', ID.slice(1), null],
    ['string', 'As It Is ', 'As It Is '],
  ])('of the type %s, %s, is %s', (type, text, value) => {
    expect(toFilterValue(text, type)).toBe(value)
  })

  it.each<[string, string | null]>([
    ['2026-11-20', '2026-11-20T00:00:00.000000Z'],
    ['2026-11-20T17:43:05', '2026-11-20T17:43:05.000000Z'],
    ['2026-11-20T17:43:05Z', '2026-11-20T17:43:05.000000Z'],
    ['2026-11-20T17:43:05.1', '2026-11-20T17:43:05.100000Z'],
    ['2026-11-20T17:43:05.123456Z', '2026-11-20T17:43:05.123456Z'],
    ['2026-11-20T17:43:05+05:30', '2026-11-20T12:13:05.000000Z'],
    ['2026-11-20T17:43:05 0530', '2026-11-20T12:13:05.000000Z'],
    ['2026-11-20T17:43:05-05:30', '2026-11-20T23:13:05.000000Z'],
    ['2026-11-20T17:43:05.25-23:59', '2026-11-21T17:42:05.250000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59', '9999-12-31T23:59:59.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
    ...[
      ...['2026', '2026-11', '2026-02-29', '2026-13-01', '2026-11-20T24:00:00', '2026-11-20T17:60:00', '2026-11-20T17:43', '2026-11-20Z'],
      ...['2026-11-20T17:43:05.1234567', '2026-11-20T17:43:05.', '2026-11-20T17:43:05+24:00', '2026-11-20T17:43:05+05:60', '0000-12-31'],
      ...['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', 'x2026-11-20', '2026-11-20x', '26-11-20', ''],
    ].map((text): [string, null] => [text, null]),
  ])('of the type date, %s, is %s', (text, value) => {
    expect(toFilterValue(text, 'date')).toBe(value)
  })

  it.each<[string, string | null]>([
    ['2026-11-20', '2026-11-20'],
    ['2026-11-20T00:00:00', '2026-11-20'],
    ['2026-11-20T00:00:00Z', '2026-11-20'],
    ['2026-11-20T00:00:00.000Z', '2026-11-20'],
    ['2026-11-20T00:00:01', null],
    ['2026-11-20T00:00:00.000001', null],
    ['2026-11-20T05:00:00+05:00', '2026-11-20'],
    ['2026-11-21T05:00:00+29:00', null],
    ['2026-11-19T19:00:00-05:00', null],
    ['2026-11-31', null],
    ['', null],
  ])('of the type day, %s, is %s', (text, value) => {
    expect(toFilterValue(text, 'day')).toBe(value)
  })
})
