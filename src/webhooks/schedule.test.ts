import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterFailure, DELAYS_MS, shouldDisable } from './schedule.ts'

const DAY_MS = 86_400_000

describe('the schedule', () => {
  test('has ten attempts over 75 hours and 35 minutes', () => {
    expect(DELAYS_MS).toHaveLength(10)
    expect(DELAYS_MS.reduce((sum: number, delay) => sum + delay, 0)).toBe((75 * 60 + 35) * 60_000 + 5000)
  })

  test('every wait stays within a fifth of the table and uses the whole width', () => {
    for (const [made, delayMs] of DELAYS_MS.entries()) {
      if (made === 0) continue
      expect(afterFailure(made, null, () => 0)).toEqual({ retryInMs: Math.round(delayMs * 0.8) })
      expect(afterFailure(made, null, () => 1)).toEqual({ retryInMs: Math.round(delayMs * 1.2) })
    }
  })

  test('the tenth failure is the last, whatever the receiver asks for', () => {
    expect([afterFailure(10, null, () => 0.5), afterFailure(10, 1000, () => 0.5)]).toEqual(['failed', 'failed'])
  })

  test('what a receiver asks for counts between the plain wait and a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(10 * DAY_MS), (made, askedMs) => {
        const next = afterFailure(made, askedMs, () => 0.5)
        return typeof next === 'object' && next.retryInMs === Math.min(Math.max(askedMs, DELAYS_MS[made] ?? 0), DAY_MS)
      }),
    )
  })

  test('a receiver is beyond hope after five days and twenty failures, not after one of both', () => {
    const cases = [
      { failureCount: 20, failingForMs: 5 * DAY_MS },
      { failureCount: 19, failingForMs: 50 * DAY_MS },
      { failureCount: 2000, failingForMs: 5 * DAY_MS - 1 },
    ]
    expect(cases.map(shouldDisable)).toEqual([true, false, false])
  })
})
