import { beforeEach, describe, expect, it } from 'vitest'
import type { LimitKey } from '../../src/store/sources/source-limits.ts'
import { type Permit, RateLimitAllocator } from '../../src/sync/rate-limits/rate-limit-allocator.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { ObservedDatabase } from './observed-database.ts'
import { VirtualClock } from './virtual-clock.ts'

const home = databaseForTests()
const EXCHANGE = 'exchange-source-permits'

/** Notes how long was waited. */
class NotingClock extends VirtualClock {
  readonly sleptMs: number[] = []

  override sleep(ms: number): Promise<void> {
    this.sleptMs.push(ms)
    return super.sleep(ms)
  }
}

let clock: NotingClock
let observed: ObservedDatabase
let allocator: RateLimitAllocator

beforeEach(async () => {
  await home.database.query('truncate source_limits, source_pauses')
  clock = new NotingClock()
  observed = new ObservedDatabase(clock.watch(home.database))
  allocator = new RateLimitAllocator(observed.db, clock, () => undefined)
})

const limit = (calls: number, perMs: number, more: Partial<LimitKey> = {}): LimitKey => ({
  scope: '',
  name: 'window',
  calls,
  perMs,
  ...more,
})
const request = (limits: LimitKey[], waitMs = 5_000, connectorKey = 'books') => ({
  ...{ connectorKey, limits, timeoutMs: 30_000, deadlineMs: clock.nowMs() + waitMs },
})
const acquire = (...given: Parameters<typeof request>): Promise<Permit> => clock.runUntil(allocator.acquire(request(...given)))
const pass = (ms: number): Promise<void> => clock.runUntil(clock.sleep(ms))
const outcomeOf = async (work: Promise<unknown>) => await clock.runUntil(work).catch((error: unknown) => error)
const at = (afterMs: number): Date => new Date(clock.databaseTime().getTime() - clock.nowMs() + afterMs)
/** Exchanges since the last call, each as the database gets it. */
const exchanges = () =>
  observed.statements.splice(0).map(({ values: [connectorKey, limits, settled, wanted, leaseMs, time] }) => {
    return { connectorKey, limits: JSON.parse(String(limits)), settled: JSON.parse(String(settled)), wanted, leaseMs, time }
  })
const stored = async () =>
  (
    await home.database.query(
      'select connector_key as key, scope, calls, per_ms::int as "perMs", steps::int8[]::text[] as steps, taken from source_limits order by 1, 2, 3',
    )
  ).rows

describe('a lane', () => {
  const MINUTE = limit(60, 60_000, { scope: 'bakery' })

  it.each<[string, LimitKey[], string, number]>([
    ['the same limits', [MINUTE], 'books', 0],
    ['the limits of other books', [{ ...MINUTE, scope: 'garage' }], 'books', 1],
    ['a limit of another name', [{ ...MINUTE, name: 'other' }], 'books', 1],
    ['one limit more', [MINUTE, limit(60, 60_000)], 'books', 1],
    ['another source', [MINUTE], 'other', 1],
  ])('has the calls for %s', async (_what, limits, connectorKey, asked) => {
    ;(await acquire([MINUTE])).done()
    exchanges()
    ;(await acquire(limits, 5_000, connectorKey)).done()
    expect(exchanges()).toHaveLength(asked)
  })

  it('takes a lease and returns it as it was granted, by the time of the limiter', async () => {
    await pass(100)
    const permit = await acquire([MINUTE])
    await pass(10)
    permit.done()
    await pass(250)
    const until = at(36_100).getTime()
    expect(exchanges()).toEqual([
      { connectorKey: 'books', limits: [MINUTE], settled: [], wanted: 5, leaseMs: 36_000, time: at(100) },
      { connectorKey: 'books', limits: [MINUTE], settled: [{ until, granted: 5, ages: [250] }], wanted: 0, leaseMs: 0, time: at(360) },
    ])
    const second = String(Math.floor(at(110).getTime() / 1_000))
    expect(await stored()).toEqual([{ key: 'books', scope: 'bakery', calls: 60, perMs: 60_000, steps: [second], taken: [1] }])
  })

  it('gives back the calls that were not made', async () => {
    ;(await acquire([MINUTE])).giveBack()
    await pass(250)
    expect(exchanges()[1]?.settled).toMatchObject([{ granted: 5, ages: [] }])
    expect(await stored()).toMatchObject([{ steps: [], taken: [] }])
  })

  it('uses each of its leases, the full ones only', async () => {
    const pair = limit(24, 60_000)
    const both = [await acquire([pair]), await acquire([pair])]
    for (const permit of both) permit.done()
    exchanges()
    const again = [await acquire([pair]), await acquire([pair])]
    for (const permit of again) permit.done()
    expect(exchanges(), 'a call is left in each').toEqual([])
    ;(await acquire([pair])).done()
    expect(exchanges()).toMatchObject([{ wanted: 2, settled: [{ ages: [0, 0] }, { ages: [0, 0] }] }])
    await pass(250)
    expect(exchanges(), 'each is returned once').toMatchObject([{ wanted: 0, settled: [{ ages: [250] }] }])
  })

  it('finds the lease that has calls left behind one that has none', async () => {
    const pair = limit(24, 60_000)
    const used = await acquire([pair])
    used.done()
    const last = await acquire([pair])
    const other = await acquire([pair])
    last.done()
    other.done()
    exchanges()
    ;(await acquire([pair])).done()
    expect(exchanges()).toEqual([])
    await pass(250)
    expect(exchanges()).toMatchObject([{ wanted: 0, settled: [{ ages: [250, 250] }, { ages: [250, 250] }] }])
  })

  it('keeps what it knows while a call is under way, however long that takes', async () => {
    ;(await acquire([MINUTE])).done()
    const long = await acquire([MINUTE])
    await pass(1_000)
    long.done()
    ;(await acquire([MINUTE])).done()
    expect(exchanges()).toHaveLength(1)
  })

  it.each([
    [4_999, 1],
    [5_000, 2],
  ])('whose call ends after %s ms has asked %s times when the next one comes', async (ms, times) => {
    const long = await acquire([MINUTE])
    await pass(ms)
    long.done()
    await acquire([MINUTE])
    expect(exchanges()).toHaveLength(times)
  })

  it('keeps the leases of its other calls apart while one is under way', async () => {
    const long = await acquire([MINUTE])
    ;(await acquire([MINUTE])).done()
    await pass(250)
    expect(exchanges().map(({ settled }) => settled.length)).toEqual([0, 0, 1])
    long.done()
    ;(await acquire([MINUTE])).done()
    expect(exchanges()).toEqual([])
  })

  it.each<[string, (limits: LimitKey[]) => Promise<unknown>]>([
    ['a call', async (limits) => (await acquire(limits)).done()],
    ['a call that was not made', async (limits) => (await acquire(limits)).giveBack()],
    [
      'several calls',
      async (limits) => {
        const permits = [await acquire(limits), await acquire(limits), await acquire(limits)]
        for (const permit of permits) permit.done()
      },
    ],
  ])('ends a quarter of a second after %s: the next call counts by its own numbers', async (_what, use) => {
    await use([limit(60, 60_000)])
    await pass(250)
    exchanges()
    await acquire([limit(120, 60_000)])
    expect(exchanges()).toMatchObject([{ wanted: 10, limits: [{ calls: 120 }] }])
  })

  it('ends a quarter of a second after a call that failed with the database', async () => {
    observed.fail(EXCHANGE, new Error('the database is away'))
    expect(await outcomeOf(allocator.acquire(request([limit(60, 60_000)])))).toMatchObject({ message: 'the database is away' })
    await pass(250)
    exchanges()
    await acquire([limit(120, 60_000)])
    expect(exchanges()).toMatchObject([{ wanted: 10 }])
  })

  it('is not ended by the timer of a former one that was returned early', async () => {
    ;(await acquire([MINUTE])).done()
    await clock.runUntil(allocator.close())
    await pass(100)
    const long = await acquire([MINUTE])
    await pass(300)
    long.done()
    exchanges()
    ;(await acquire([MINUTE])).done()
    expect(exchanges()).toEqual([])
  })

  it('is returned with all others when the process ends', async () => {
    ;(await acquire([MINUTE])).done()
    ;(await acquire([limit(60, 60_000)])).done()
    exchanges()
    await allocator.close()
    expect(exchanges().map(({ limits, settled }) => [limits[0].scope, settled.length])).toEqual([
      ['bakery', 1],
      ['', 1],
    ])
  })
})

describe('a call that has to wait', () => {
  const ONE = [limit(1, 0)]

  it.each([
    [49, [0]],
    [50, [0, 50]],
    [149, [0, 50]],
    [150, [0, 50, 150]],
  ])('for others that are under way looks as often as fits in %s ms: at %s', async (waitMs, times) => {
    await acquire(ONE)
    exchanges()
    expect(await outcomeOf(allocator.acquire(request(ONE, waitMs)))).toMatchObject({
      ...{ name: 'SourcePaused', message: 'books: window is used up', retryAfterMs: 1_000, isDown: false },
    })
    expect(exchanges().map(({ time }) => time)).toEqual(times.map(at))
  })

  it('for a window waits exactly as long as the database says, and no shorter than it may', async () => {
    const window = [limit(1, 3_000)]
    ;(await acquire(window)).done()
    await pass(250)
    exchanges()
    expect(await outcomeOf(allocator.acquire(request(window, 2_799)))).toMatchObject({ retryAfterMs: 2_800 })
    expect(clock.nowMs()).toBe(250)
    ;(await acquire(window, 2_800)).done()
    expect(exchanges().map(({ time }) => time)).toEqual([at(250), at(250), at(3_050)])
  })

  it('for less than a millisecond waits for one', async () => {
    await home.database.query(`insert into source_pauses values ('books', '', $1::timestamptz + interval '400 microseconds')`, [at(0)])
    ;(await acquire([limit(60, 60_000)])).done()
    expect(clock.sleptMs).toEqual([1])
  })

  it('with others asks as often as one alone, until the time of each is up', async () => {
    await acquire(ONE)
    exchanges()
    const waiting = [1, 2, 3].map(() => allocator.acquire(request(ONE)))
    const outcomes = await outcomeOf(Promise.allSettled(waiting))
    expect(outcomes).toMatchObject(waiting.map(() => ({ status: 'rejected', reason: { name: 'SourcePaused' } })))
    expect(exchanges().map(({ time }) => time)).toEqual([0, 50, 150, 350, 750, 1_550, 2_550, 3_550, 4_550, 4_550, 4_550].map(at))
  })

  it('goes on waiting after another one, which asked for both, has given up', async () => {
    const first = await acquire(ONE)
    const short = allocator.acquire(request(ONE, 1_000))
    const long = allocator.acquire(request(ONE, 5_000))
    expect(await outcomeOf(short)).toMatchObject({ name: 'SourcePaused' })
    await pass(1_000)
    first.done()
    expect(await outcomeOf(long)).toMatchObject({ done: expect.any(Function) })
    expect(clock.nowMs()).toBeLessThan(3_000)
  })

  it('goes on after a question of another one that the database did not answer', async () => {
    observed.fail(EXCHANGE, new Error('the database is away'))
    const first = allocator.acquire(request(ONE))
    const second = allocator.acquire(request(ONE))
    expect(await outcomeOf(first)).toMatchObject({ message: 'the database is away' })
    expect(await outcomeOf(second)).toMatchObject({ done: expect.any(Function) })
  })
})
