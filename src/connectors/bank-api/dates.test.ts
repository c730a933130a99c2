import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/values/json.ts'
import { readDay, readInstant } from './dates.ts'
import { fill, fillPath, partsOf, valueAt } from './pointers.ts'

describe('a day', () => {
  it.each<[Json, Parameters<typeof readDay>[1], string | null]>([
    ['2026-02-28', 'day', '2026-02-28'],
    ['2026-02-28T23:30:00-05:00', 'instant', '2026-02-28'],
    ['20260228', 'compact', '2026-02-28'],
    [20260228, 'compact', '2026-02-28'],
    ['20260228153000', 'compact', '2026-02-28'],
    ['2/28/2026', 'MM/DD/YYYY', '2026-02-28'],
    ['28/2/2026', 'DD/MM/YYYY', '2026-02-28'],
    [[2026, 2, 28], 'parts', '2026-02-28'],
    [1772236800, 'epochSeconds', '2026-02-28'],
    ['1772236800', 'epochSeconds', '2026-02-28'],
    [1772236800000, 'epochMilliseconds', '2026-02-28'],
    [null, 'day', null],
    ['', 'compact', null],
    ['', 'epochSeconds', null],
  ])('%j as %s is %s', (value, form, expected) => {
    expect(readDay(value, form)).toBe(expected)
  })

  it.each<[Json, Parameters<typeof readDay>[1]]>([
    ['2026-02-30', 'day'],
    [true, 'day'],
    ['x20260228', 'compact'],
    ['2026022', 'compact'],
    ['2/30/2026', 'MM/DD/YYYY'],
    ['2/28/20261', 'MM/DD/YYYY'],
    ['x2/28/2026', 'MM/DD/YYYY'],
    ['28/2/20261', 'DD/MM/YYYY'],
    ['x28/2/2026', 'DD/MM/YYYY'],
    ['2026-02-28', 'parts'],
    [[2026, 2], 'parts'],
    [[], 'parts'],
    ['soon', 'epochSeconds'],
    [true, 'epochMilliseconds'],
    [[1], 'epochSeconds'],
  ])('%j as %s is none', (value, form) => {
    expect(() => readDay(value, form)).toThrow(RangeError)
  })
})

it('an instant is read with its time zone, or counted from 1970', () => {
  expect(readInstant('2026-02-28T23:30:00-05:00', 'instant')?.toISOString()).toBe('2026-03-01T04:30:00.000Z')
  expect(readInstant(1.5, 'epochSeconds')?.toISOString()).toBe('1970-01-01T00:00:01.500Z')
  expect(readInstant('1500', 'epochMilliseconds')?.toISOString()).toBe('1970-01-01T00:00:01.500Z')
  expect([readInstant(null, 'instant'), readInstant('', 'epochSeconds')]).toEqual([null, null])
})

it.each([
  ['', []],
  ['/a', ['a']],
  ['/a/0/b', ['a', '0', 'b']],
  ['/a~1b/~0c', ['a/b', '~c']],
  ['/~01', ['~1']],
  ['/', ['']],
])('the pointer %j has the segments %j', (pointer, parts) => {
  expect(partsOf(pointer)).toEqual(parts)
})

it.each<[Json, string[], Json | undefined]>([
  [{ a: [{ b: 1 }] }, ['a', '0', 'b'], 1],
  [{ a: 1 }, [], { a: 1 }],
  [{ a: 1 }, ['a', 'b'], undefined],
  [{ a: null }, ['a', 'b'], undefined],
  [['x'], ['x'], undefined],
  [['x'], ['0x'], undefined],
  [['x'], ['x0'], undefined],
  [['x'], ['length'], undefined],
  [{}, ['toString'], undefined],
  [{ '0': 'x' }, ['0'], 'x'],
])('in %j at %j is %j', (value, parts, expected) => {
  expect(valueAt(value, parts)).toEqual(expected)
})

it('a template is filled with values, which a path escapes', () => {
  expect(fill('/a/{id}?x={x}', { id: 'b c', x: '{id}' })).toBe('/a/b c?x={id}')
  expect(fillPath('/a/{id}', { id: 'b/c d' })).toBe('/a/b%2Fc%20d')
  expect(() => fill('/a/{id}', {})).toThrow('{id}')
})
