import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { type Database, type Db, openDatabase } from '../../src/store/db/database.ts'
import type { LimitKey } from '../../src/store/sources/source-limits.ts'
import { type Permit, RateLimitAllocator } from '../../src/sync/rate-limits/rate-limit-allocator.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { VirtualClock } from './virtual-clock.ts'

const home = databaseForTests()
const pools: Database[] = []
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
})

/** A question to the database: when, how many calls are wanted, for how long, and what is returned. */
interface Exchange {
  atMs: number
  wanted: number
  leaseMs: number
  settled: { granted: number; ages: number[] }[]
}

let clock: VirtualClock
let allocator: RateLimitAllocator
let exchanges: Exchange[]
let errors: unknown[]
let fault: Error | null
let connectorKey: string

beforeEach(() => {
  const pool = openDatabase(home.url, { max: 3 })
  pools.push(pool)
  clock = new VirtualClock()
  ;[exchanges, errors, fault, connectorKey] = [[], [], null, `books-${crypto.randomUUID()}`]
  const asked = async (query: { values: unknown[] }) => {
    const [, , settled, wanted, leaseMs] = query.values
    const returned = JSON.parse(String(settled)).map(({ granted, ages }: Exchange['settled'][number]) => ({ granted, ages }))
    exchanges.push({ atMs: clock.nowMs(), wanted: Number(wanted), leaseMs: Number(leaseMs), settled: returned })
    if (fault) throw fault
    return await pool.query(query as never)
  }
  allocator = new RateLimitAllocator(clock.watch({ query: asked as unknown as Db['query'] }), clock, (error) => errors.push(error))
})

const limit = (calls: number, perMs: number): LimitKey => ({ scope: '', name: `${calls} in ${perMs}`, calls, perMs })
const PER_MINUTE = limit(60, 60_000)
const acquire = (limits: LimitKey[] = [PER_MINUTE], timeoutMs = 30_000, waitMs = 5_000): Promise<Permit> =>
  clock.runUntil(allocator.acquire({ connectorKey, limits, timeoutMs, deadlineMs: clock.nowMs() + waitMs }))
const pass = (ms: number): Promise<void> => clock.runUntil(clock.sleep(ms))
const times = (): number[] => exchanges.map(({ atMs }) => atMs)

describe('a lease', () => {
  it.each([
    ['a twelfth of a window', [limit(60, 60_000)], 5],
    ['the whole calls of a twelfth', [limit(71, 60_000)], 5],
    ['a twelfth of the smallest', [limit(600, 60_000), limit(24, 3_600_000)], 2],
    ['one at least', [limit(8, 1_000)], 1],
    ['twenty at most', [limit(6_000, 60_000)], 20],
    ['twenty where only concurrent calls are limited', [limit(5, 0)], 20],
    ['as many as the windows give, whatever is concurrent', [limit(1, 0), limit(36, 60_000)], 3],
  ])('has %s', async (_what, limits, wanted) => {
    await acquire(limits)
    expect(exchanges.map((each) => each.wanted)).toEqual([wanted])
  })

  it.each([
    [1_000, 36_000],
    [30_000, 36_000],
    [60_000, 66_000],
  ])('for calls of %s ms lasts %s ms', async (timeoutMs, leaseMs) => {
    await acquire([PER_MINUTE], timeoutMs)
    expect(exchanges).toEqual([{ atMs: 0, wanted: 5, leaseMs, settled: [] }])
  })

  it('serves its calls one after the other, then is returned with the age of each', async () => {
    for (let index = 0; index < 6; index += 1) {
      const permit = await acquire()
      await pass(10)
      permit.done()
    }
    expect(exchanges).toEqual([
      { atMs: 0, wanted: 5, leaseMs: 36_000, settled: [] },
      { atMs: 50, wanted: 5, leaseMs: 36_000, settled: [{ granted: 5, ages: [40, 30, 20, 10, 0] }] },
    ])
  })

  it('is used for new calls for five seconds', async () => {
    const limits = [limit(6_000, 60_000), limit(10, 0)]
    for (let index = 0; index < 13; index += 1) {
      const permit = await acquire(limits)
      await pass(200)
      permit.done()
      await pass(index === 11 ? 199 : 200)
    }
    expect(times()).toEqual([0])
    await pass(1)
    ;(await acquire(limits)).done()
    expect(times().slice(0, 2)).toEqual([0, 5_200])
  })

  it('serves no call that may last longer than itself', async () => {
    ;(await acquire()).done()
    await acquire([PER_MINUTE], 35_001)
    expect(times()).toHaveLength(2)
    expect(exchanges.at(-1)?.settled).toHaveLength(1)
  })

  it('serves a call that ends with it', async () => {
    ;(await acquire()).done()
    await acquire([PER_MINUTE], 35_000)
    expect(times()).toHaveLength(1)
  })

  it('takes a call back that was not made', async () => {
    const once = [limit(1, 60_000)]
    ;(await acquire(once)).giveBack()
    ;(await acquire(once)).done()
    expect(times()).toEqual([0])
    await expect(acquire(once)).rejects.toBeInstanceOf(SourcePaused)
  })

  it('is returned a quarter of a second after its last call', async () => {
    ;(await acquire()).done()
    await pass(249)
    expect(exchanges).toHaveLength(1)
    await pass(1)
    expect(exchanges.slice(1)).toEqual([{ atMs: 250, wanted: 0, leaseMs: 0, settled: [{ granted: 5, ages: [250] }] }])
    await pass(10_000)
    expect(exchanges, 'once').toHaveLength(2)
  })

  it('is kept while one call follows another, and a lane that is empty asks nothing', async () => {
    for (let index = 0; index < 4; index += 1) {
      ;(await acquire()).done()
      await pass(249)
    }
    const last = await acquire()
    await pass(1_000)
    expect(times()).toEqual([0])
    last.done()
  })

  it('is returned when the process ends, and not again', async () => {
    ;(await acquire()).done()
    await clock.runUntil(allocator.close())
    expect(exchanges.map(({ wanted, settled }) => [wanted, settled.length])).toEqual([
      [5, 0],
      [0, 1],
    ])
    await pass(1_000)
    expect([exchanges.length, errors]).toEqual([2, []])
  })

  it('that cannot be returned expires, and the error is reported', async () => {
    ;(await acquire()).done()
    fault = new Error('the database is away')
    await pass(250)
    expect(errors).toEqual([fault])
  })
})

describe('a call that finds no permit', () => {
  const CONCURRENT = [limit(1, 0)]

  it('looks again after 50 ms and then half as often, every second at last, until its time is up', async () => {
    await acquire(CONCURRENT)
    exchanges = []
    const refused = await acquire(CONCURRENT).catch((error: unknown) => error)
    expect(times()).toEqual([0, 50, 150, 350, 750, 1_550, 2_550, 3_550, 4_550])
    expect(refused).toMatchObject({ name: 'SourcePaused', message: expect.stringContaining('1 in 0 is used up'), retryAfterMs: 1_000 })
  })

  it('has one as soon as another call gives it up', async () => {
    const first = await acquire(CONCURRENT)
    const second = acquire(CONCURRENT)
    first.done()
    await second
    expect(times().at(-1)).toBe(0)
  })

  it('waits for the window where that is in time, and says otherwise how long', async () => {
    const window = [limit(1, 3_000)]
    ;(await acquire(window)).done()
    const permit = await acquire(window)
    expect(clock.nowMs()).toBeGreaterThanOrEqual(3_000)
    expect(clock.nowMs()).toBeLessThan(3_300)
    permit.done()
    const error = await acquire(window, 30_000, 2_000).catch((each: unknown) => each)
    expect(error).toMatchObject({ name: 'SourcePaused', retryAfterMs: expect.toSatisfy((ms) => ms > 2_000) })
  })

  it('shares the question of another that is asking for the same limits', async () => {
    const wanted = { connectorKey, limits: [PER_MINUTE], timeoutMs: 30_000, deadlineMs: 5_000 }
    const all = Promise.all([allocator.acquire(wanted), allocator.acquire(wanted), allocator.acquire(wanted)])
    await clock.runUntil(all)
    expect(exchanges).toHaveLength(3)
    for (const permit of await all) permit.done()
    await pass(250)
    expect(exchanges.at(-1)?.settled.map(({ ages }) => ages.length)).toEqual([1, 1, 1])
  })

  it('fails with the database, and the next one asks again', async () => {
    fault = new Error('the database is away')
    await expect(acquire()).rejects.toThrow('the database is away')
    fault = null
    ;(await acquire()).done()
    await pass(250)
    expect(exchanges.map(({ wanted }) => wanted)).toEqual([5, 5, 0])
  })
})
