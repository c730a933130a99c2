import { setTimeout as delay } from 'node:timers/promises'

/** Clock of the rate limiter. Tests over a whole day provide their own. */
export interface RateLimiterClock {
  /** Monotonic time of this process. */
  nowMs(): number
  sleep(ms: number): Promise<void>
  /** Timer that can be cancelled; does not keep the process alive. */
  after(ms: number, work: () => void): () => void
  /** Replaces the database clock; null for the database's own. */
  databaseTime(): Date | null
}

export const systemClock: RateLimiterClock = {
  nowMs: () => performance.now(),
  sleep: async (ms) => await delay(ms),
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
  databaseTime: () => null,
}
