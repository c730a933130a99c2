import { expect, it } from 'vitest'
import type { SourceLimit } from '../../connectors/contract/limits.ts'
import { shortestMinutesOf } from './shortest-interval.ts'

const HOUR_MS = 3_600_000
const limit = (calls: number, perMs: number, scope: 'app' | 'entity' = 'entity') => ({ name: 'n', scope, calls, perMs }) as SourceLimit
const shortest = (limits: SourceLimit[] | undefined, pulls: number) =>
  shortestMinutesOf({ ...(limits ? { limits } : {}) } as never, { pulls: Array(pulls).fill({}) })

it.each<[string, SourceLimit[] | undefined, number, number]>([
  ['no limits', undefined, 3, 15],
  ['no limit', [], 3, 15],
  ['a limit that lasts', [limit(12, HOUR_MS)], 3, 15],
  ['a limit that does not last', [limit(12, HOUR_MS)], 4, 20],
  ['a limit that does not divide', [limit(7, HOUR_MS)], 3, 26],
  ['a limit of all customers', [limit(1, HOUR_MS, 'app')], 3, 15],
  ['calls at the same time', [{ name: 'n', scope: 'entity', concurrent: 1 } as SourceLimit], 3, 15],
  ['the narrower of two', [limit(12, HOUR_MS), limit(24, 24 * HOUR_MS)], 4, 240],
  ['a limit of months', [limit(1, 60 * 24 * HOUR_MS)], 1, 30 * 24 * 60],
])('the shortest interval with %s', (_what, limits, pulls, minutes) => {
  expect(shortest(limits, pulls)).toBe(minutes)
})
