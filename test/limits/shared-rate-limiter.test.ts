import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import type { LimitedCall } from '../../src/connectors/contract/rate-limiter.ts'
import { answer, openTwoLimiters, type TwoLimiters } from './two-limiters.ts'

let two: TwoLimiters
beforeEach(async () => {
  two = await openTwoLimiters()
})
afterEach(async () => await two.close())

const DAY_MS = 86_400_000
const CALL: LimitedCall = { connectorKey: 'books', limits: [], entity: 'bakery', place: { host: 'api' }, timeoutMs: 30_000 }
const ok = () => answer(200)
const never = (): never => {
  throw new Error('a call was made')
}
const rows = async (table: string, columns: string) =>
  (await two.home.database.query<Record<string, unknown>>(`select ${columns} from ${table}`)).rows

describe('a pause', () => {
  it('lasts 31 days at most', async () => {
    await two.limiters[0].pause({ connectorKey: 'books' }, 'bakery', 40 * DAY_MS)
    expect(await two.call(two.limiters[0], never)).toEqual({ waitMs: 31 * DAY_MS })
  })

  it('until a date counts from now where the response has no date of its own', async () => {
    const headers = { 'retry-after': 'Mon, 02 Nov 2026 00:02:00 GMT' }
    expect(await two.call(two.limiters[0], () => answer(429, headers))).toBe(429)
    expect(await two.call(two.limiters[0], never)).toEqual({ waitMs: 120_000 })
  })

  it.each([
    ['a success', answer(200, { 'retry-after': '60' })],
    ['an outage', answer(503, { 'retry-after': '60' })],
    ['a throttled response without a time', answer(429)],
  ])('is not asked for by %s', async (_what, response) => {
    await two.call(two.limiters[0], () => response)
    expect(await rows('source_pauses', '*')).toEqual([])
  })

  it('of five seconds is waited for, and one of a millisecond more is not', async () => {
    await two.limiters[0].pause({ connectorKey: 'books' }, 'bakery', 5_001)
    expect(await two.call(two.limiters[0], never)).toEqual({ waitMs: 5_001 })
    await two.pass(1)
    expect(await two.call(two.limiters[0], ok)).toBe(200)
    expect(two.clock.nowMs()).toBe(5_001)
  })

  it('that begins while a call waits for a permit is kept, and the permit is given back', async () => {
    const [limiter] = two.limiters
    const limits: SourceLimit[] = [{ name: 'at once', scope: 'app', concurrent: 1 }]
    let calledAtMs: number[] = []
    const send = (lastsMs: number) => async () => {
      calledAtMs.push(two.clock.nowMs())
      await two.clock.sleep(lastsMs)
      return answer(200)
    }
    const first = limiter.run({ ...CALL, limits }, send(500))
    await two.pass(10)
    const second = limiter.run({ ...CALL, limits }, send(0))
    await two.pass(100)
    await limiter.pause({ connectorKey: 'books' }, 'bakery', 2_000)
    const other = limiter.run({ ...CALL, limits, entity: 'garage' }, send(0))
    await two.clock.runUntil(Promise.all([first, second, other]))
    calledAtMs = calledAtMs.sort((a, b) => a - b)
    expect(calledAtMs[0]).toBe(0)
    expect(calledAtMs[1], 'other books are not held up').toBeLessThan(2_000)
    expect(calledAtMs[2]).toBeGreaterThanOrEqual(2_110)
  })
})

describe('a limit', () => {
  const PER_MINUTE = { name: 'minute', calls: 1, perMs: 60_000 }

  it.each([
    ['of the app counts the calls for all books', 'app', false],
    ['of books counts those for the same books', 'entity', true],
  ] as const)('%s', async (_what, scope, isAdmitted) => {
    const limits: SourceLimit[] = [{ ...PER_MINUTE, scope }]
    expect(await two.call(two.limiters[0], ok, { limits })).toBe(200)
    const next = await two.call(two.limiters[1], ok, { limits, entity: 'garage' })
    expect(next === 200).toBe(isAdmitted)
    expect(await two.call(two.limiters[1], never, { limits })).toMatchObject({ waitMs: expect.any(Number) })
  })

  it('of one app is not used up by another', async () => {
    const limits: SourceLimit[] = [{ ...PER_MINUTE, scope: 'app' }]
    expect(await two.call(two.limiters[0], ok, { limits })).toBe(200)
    expect(await two.call(two.limiters[0], ok, { limits, app: 'own' })).toBe(200)
  })

  it('is stored under a hash of the books, and under nothing for the app', async () => {
    await two.call(two.limiters[0], ok, {
      limits: [
        { ...PER_MINUTE, scope: 'app' },
        { ...PER_MINUTE, name: 'hour', scope: 'entity' },
      ],
    })
    const stored = await rows('source_limits', 'name, scope, calls, per_ms::int as "perMs"')
    expect(stored.sort((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual([
      { name: 'hour', scope: expect.stringMatching(/^[0-9a-f]{32}$/), calls: 1, perMs: 60_000 },
      { name: 'minute', scope: '', calls: 1, perMs: 60_000 },
    ])
  })

  it('of calls at once is one without a window', async () => {
    await two.call(two.limiters[0], ok, { limits: [{ name: 'at once', scope: 'app', concurrent: 3 }] })
    expect(await rows('source_limits', 'name, calls, per_ms::int as "perMs"')).toEqual([{ name: 'at once', calls: 3, perMs: 0 }])
  })
})

describe('a call', () => {
  it('that fails for another reason than an outage is no failure of the source', async () => {
    for (const error of [new SourceError('badData', 'cut'), new SourceError('reconnect', 'no'), new Error('ours')])
      for (let index = 0; index < 10; index += 1)
        await expect(
          two.call(two.limiters[0], () => {
            throw error
          }),
        ).rejects.toBe(error)
    await two.pass(2_000)
    expect(await two.call(two.limiters[1], ok)).toBe(200)
  })

  it('that is refused says whether the source fails or asked to wait', async () => {
    await two.limiters[0].pause({ connectorKey: 'books' }, 'bakery', 60_000)
    const asked = await two.clock.runUntil(two.limiters[0].run(CALL, async () => never())).catch((error: unknown) => error)
    expect(asked).toMatchObject({ kind: 'rateLimited', isDown: false, message: 'books: the source asked to wait' })
    for (let index = 0; index < 20; index += 1) await two.call(two.limiters[0], () => answer(503), { entity: 'garage' })
    await two.pass(2_000)
    const failing = await two.clock
      .runUntil(two.limiters[1].run({ ...CALL, entity: 'garage' }, async () => never()))
      .catch((e: unknown) => e)
    expect(failing).toMatchObject({ isDown: true, message: 'books: the source fails and is left alone for a while' })
    await two.pass(30_000)
    const probing = { ...CALL, entity: 'garage' }
    for (let index = 0; index < 3; index += 1) void two.limiters[0].run(probing, () => new Promise(() => undefined))
    await two.pass(100)
    const later = await two.clock.runUntil(two.limiters[1].run(probing, async () => never())).catch((error: unknown) => error)
    expect(later).toMatchObject({ isDown: true, message: 'books: the source is being tried by others' })
  })

  it('is counted among those that wait until it is sent', async () => {
    const [limiter] = two.limiters
    await limiter.pause({ connectorKey: 'books' }, 'bakery', 1_000)
    const waiting = [limiter.run(CALL, async () => ok()), limiter.run(CALL, async () => ok())]
    await two.pass(500)
    const during = limiter.waiting().get('books')
    await two.clock.runUntil(Promise.all(waiting))
    expect([during, limiter.waiting().get('books')]).toEqual([2, 0])
  })

  it('counts for the breaker of its address, not for that of another origin', async () => {
    const elsewhere = (origin: string) => ({ place: { origin } })
    for (let index = 0; index < 20; index += 1) await two.call(two.limiters[0], () => answer(503), elsewhere('https://one.example'))
    await two.pass(2_000)
    expect(await two.call(two.limiters[0], never, elsewhere('https://one.example'))).toMatchObject({ waitMs: expect.any(Number) })
    expect(await two.call(two.limiters[0], ok, elsewhere('https://two.example'))).toBe(200)
    expect(await two.call(two.limiters[0], ok)).toBe(200)
  })
})

describe('a worker', () => {
  it('learns of a pause of another within a second, and that it was lifted', async () => {
    const [first, second] = two.limiters
    expect(await two.call(second, ok)).toBe(200)
    await first.pause({ connectorKey: 'books' }, 'bakery', 60_000)
    await two.pass(1_001)
    expect(await two.call(second, never)).toMatchObject({ waitMs: expect.any(Number) })
    await two.home.database.query('delete from source_pauses')
    await two.pass(1_001)
    expect([await two.call(second, ok), await two.call(first, ok)]).toEqual([200, 200])
  })

  it('asks the database once a second for all its calls, and for books that it did not call lately', async () => {
    const [limiter] = two.limiters
    await two.call(limiter, ok)
    const asked = two.clock.asked
    for (let index = 0; index < 20; index += 1) await two.call(limiter, ok)
    expect(two.clock.asked).toBe(asked)
    await two.call(limiter, ok, { entity: 'garage' })
    expect(two.clock.asked).toBe(asked + 1)
  })

  it('asks once for many that ask at the same time', async () => {
    const [limiter] = two.limiters
    await two.clock.runUntil(
      Promise.all(Array.from({ length: 10 }, (_, index) => limiter.run({ ...CALL, entity: `e${index}` }, async () => ok()))),
    )
    expect(two.clock.asked).toBeLessThanOrEqual(2)
  })

  it('reports what it has counted when it ends', async () => {
    for (let index = 0; index < 20; index += 1) await two.call(two.limiters[0], () => answer(503))
    await two.clock.runUntil(two.limiters[0].close())
    expect(await two.call(two.limiters[1], never)).toMatchObject({ waitMs: expect.any(Number) })
  })
})
