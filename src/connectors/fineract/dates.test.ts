import { expect, it } from 'vitest'
import { readDay } from './dates.ts'

it('a day is three numbers, or a text', () => {
  expect([readDay([2026, 2, 28]), readDay('2026-02-28'), readDay(null), readDay(undefined)]).toEqual([
    '2026-02-28',
    '2026-02-28',
    null,
    null,
  ])
})

it.each([[[2026, 2, 30]], [[2026, 2]], [[2026]], [[]]])('%j is none', (wire) => {
  expect(() => readDay(wire)).toThrow(RangeError)
})
