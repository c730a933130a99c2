import { expect, it } from 'vitest'
import { partitionOf } from './event-weeks.ts'

it('a partition has the name of its table and week', () => {
  expect(partitionOf('deliveries', '2026-12-28')).toBe('deliveries_20261228')
})

it.each(['', '2026-12-2', '2026-12-28x', 'x2026-12-28', '2026-12-28; drop table events', 'events'])('%j is no week', (week) => {
  expect(() => partitionOf('events', week)).toThrow(`no week: ${week}`)
})
