import { expect, it } from 'vitest'
import { backoffMs, retryMs } from './worker.ts'

const MINUTE_MS = 60_000

it.each([
  [1, 500, 4_500],
  [2, 500, 8_500],
  [3, 500, 16_500],
  [4, 4 * MINUTE_MS, 6 * MINUTE_MS],
  [5, 12 * MINUTE_MS, 18 * MINUTE_MS],
  [6, 24 * MINUTE_MS, 36 * MINUTE_MS],
  [7, 48 * MINUTE_MS, 72 * MINUTE_MS],
  [8, 48 * MINUTE_MS, 72 * MINUTE_MS],
  [20, 48 * MINUTE_MS, 72 * MINUTE_MS],
])('the wait after failed attempt %i is between %i and %i ms', (attempt, leastMs, mostMs) => {
  expect([retryMs(attempt, 0), retryMs(attempt, 0.5)]).toEqual([leastMs, (leastMs + mostMs) / 2])
  // Rounded up.
  expect([0, 1]).toContain(retryMs(attempt, 1) - mostMs)
  const waitMs = retryMs(attempt)
  expect(waitMs >= leastMs && waitMs <= mostMs).toBe(true)
})

it.each([
  [0, 2_500],
  [1, 4_500],
  [8, 512_500],
  [9, 900_500],
  [30, 900_500],
])('a backoff of %i steps is at most %i ms', (attempt, mostMs) => {
  expect([backoffMs(attempt, 0), backoffMs(attempt, 1)]).toEqual([500, mostMs])
  expect(Number.isInteger(backoffMs(attempt, 0.123_456_7))).toBe(true)
})
