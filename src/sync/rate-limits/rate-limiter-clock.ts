import { setTimeout as delay } from 'node:timers/promises'

/** The time by which the gate waits. Proofs over a whole day bring their own. */
export interface RateLimiterClock {
  /** Of this process; never goes back. */
  nowMs(): number
  sleep(ms: number): Promise<void>
  /** Does something later unless cancelled; does not keep the process alive. */
  after(ms: number, work: () => void): () => void
  /** Stands in for the database's clock; null leaves it to the database. */
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
