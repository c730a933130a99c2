const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * Delay before each of the ten attempts, from the one before: 75 h 35 min in all.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
 */
export const DELAYS_MS = [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, DAY] as const

/** Jitter of a fifth in both directions, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

/**
 * Next step after failed attempt number `attemptsMade` (from 1). A `Retry-After` is honoured between the regular delay
 * and one day. `random` returns numbers from 0 to 1.
 */
export function afterFailure(attemptsMade: number, retryAfterMs: number | null, random: () => number): 'failed' | { retryInMs: number } {
  const delayMs = DELAYS_MS[attemptsMade]
  if (delayMs === undefined) return 'failed'
  if (retryAfterMs !== null) return { retryInMs: Math.min(Math.max(retryAfterMs, delayMs), DAY) }
  return { retryInMs: Math.round(delayMs * (1 - JITTER + 2 * JITTER * random())) }
}

const DISABLE_AFTER_MS = 5 * DAY
const DISABLE_AFTER_FAILURES = 20

/** Whether a receiver has failed for so long and so often that its subscription is disabled. */
export function shouldDisable(health: { failureCount: number; failingForMs: number }): boolean {
  return health.failingForMs >= DISABLE_AFTER_MS && health.failureCount >= DISABLE_AFTER_FAILURES
}
