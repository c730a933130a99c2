import type { HttpResponse } from '../../src/connectors/contract/contract.ts'
import { type LimitedCall, SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { VirtualClock } from './virtual-clock.ts'

export function answer(status: number, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers, body: new Uint8Array() }
}

/** Two workers on one database, each with a separate pool and rate limiter, in virtual time. */
export interface TwoLimiters {
  clock: VirtualClock
  limiters: readonly [SharedRateLimiter, SharedRateLimiter]
  home: TestDatabase
  /** Result of a call: its status, or the wait required by the rate limiter. A call takes no time. */
  call(
    limiter: SharedRateLimiter,
    response: () => HttpResponse | Promise<HttpResponse>,
    call?: Partial<LimitedCall>,
  ): Promise<number | { waitMs: number }>
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

export async function openTwoLimiters(): Promise<TwoLimiters> {
  const home = await testDatabase()
  const clock = new VirtualClock()
  const pools: Database[] = [openDatabase(home.url, { max: 3 }), openDatabase(home.url, { max: 3 })]
  const open = (pool: Database) => new SharedRateLimiter(clock.watch(pool), { clock, onError: () => undefined })
  const [first, second] = pools.map(open)
  if (!first || !second) throw new Error('expected two rate limiters')
  return {
    clock,
    limiters: [first, second],
    home,
    call: async (limiter, response, call = {}) => {
      const whole = { connectorKey: 'books', limits: [], entity: 'bakery', place: { host: 'api' }, timeoutMs: 30_000, ...call }
      try {
        return (await clock.runUntil(limiter.run(whole, async () => await response()))).status
      } catch (error) {
        if (error instanceof SourcePaused) return { waitMs: error.retryAfterMs ?? 0 }
        throw error
      }
    },
    pass: async (ms) => await clock.runUntil(clock.sleep(ms)),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
      await home.drop()
    },
  }
}
