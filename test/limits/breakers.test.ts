import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpResponse, SourceError } from '../../src/connectors/contract/contract.ts'
import { answer, openTwoLimiters, type TwoLimiters } from './two-limiters.ts'

let two: TwoLimiters
beforeEach(async () => {
  two = await openTwoLimiters()
})
afterEach(async () => await two.close())

const ok = () => answer(200)
const never = (): never => {
  throw new Error('a call was made')
}
const reset = (): never => {
  throw new SourceError('unavailable', 'reset')
}

/** Nine failures and ten good calls, over both workers: one failure below the threshold. */
async function nearlyOpen(): Promise<void> {
  const { limiters, call } = two
  for (let index = 0; index < 19; index++) {
    const status = index % 2 === 0 ? 200 : index % 4 === 1 ? 503 : 408
    expect(await call(limiters[index < 10 ? 0 : 1], () => answer(status))).toBe(status)
  }
  await two.pass(2_000)
}

async function open(): Promise<void> {
  await nearlyOpen()
  await expect(two.call(two.limiters[0], reset)).rejects.toBeInstanceOf(SourceError)
  await two.pass(2_000)
}

describe('the breaker of a source', () => {
  it('opens for all workers when half of twenty calls in a minute failed, and not before', async () => {
    const { limiters, call } = two
    await nearlyOpen()
    expect(await call(limiters[1], ok)).toBe(200)
    await two.pass(70_000)
    await open()
    expect(await call(limiters[0], never)).toMatchObject({ waitMs: expect.any(Number) })
    expect(await call(limiters[1], never, { entity: 'garage' })).toMatchObject({ waitMs: expect.any(Number) })
    // Another address of the source, and other sources, work.
    expect(await call(limiters[1], ok, { place: { host: 'token' } })).toBe(200)
  })

  it('does not count refusals as failures', async () => {
    const { limiters, call } = two
    for (const status of [400, 401, 403, 404, 429, 422])
      for (let index = 0; index < 8; index++) expect(await call(limiters[0], () => answer(status))).toBe(status)
    await two.pass(2_000)
    expect(await call(limiters[1], ok)).toBe(200)
  })

  it('lets three calls try after thirty seconds and closes if they succeed', async () => {
    const { limiters, clock } = two
    await open()
    await two.pass(30_000)
    let tried = 0
    const slow = async (): Promise<HttpResponse> => {
      tried += 1
      await clock.sleep(1_000)
      return answer(200)
    }
    const whole = { connectorKey: 'books', limits: [], entity: 'bakery', place: { host: 'api' }, timeoutMs: 30_000 }
    const calls = Promise.allSettled(Array.from({ length: 8 }, (_, index) => limiters[index % 2 === 0 ? 0 : 1].run(whole, slow)))
    await clock.runUntil(clock.sleep(500))
    expect(tried).toBe(3)
    await clock.runUntil(calls)
    expect(await two.call(limiters[1], ok)).toBe(200)
  })

  it('opens again if one call fails during the trial', async () => {
    const { limiters, call } = two
    await open()
    await two.pass(30_000)
    expect(await call(limiters[0], () => answer(503))).toBe(503)
    await two.pass(2_000)
    expect(await call(limiters[1], never)).toMatchObject({ waitMs: expect.any(Number) })
    await two.pass(30_000)
    for (const limiter of [limiters[1], limiters[0], limiters[1]]) expect(await call(limiter, ok)).toBe(200)
  })

  it('stays closed when calls from before it opened return at last', async () => {
    const { limiters, clock, call } = two
    await nearlyOpen()
    const whole = { connectorKey: 'books', limits: [], entity: 'bakery', place: { host: 'api' }, timeoutMs: 60_000 }
    const hanging = Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => limiters[index % 2 === 0 ? 0 : 1].run(whole, () => clock.sleep(40_000).then(reset))),
    )
    await clock.runUntil(clock.sleep(100))
    await expect(call(limiters[0], reset)).rejects.toBeInstanceOf(SourceError)
    await two.pass(32_000)
    for (const limiter of [limiters[1], limiters[0], limiters[1]]) expect(await call(limiter, ok)).toBe(200)
    await clock.runUntil(hanging)
    await two.pass(2_000)
    for (const limiter of limiters) expect(await call(limiter, ok)).toBe(200)
  })

  it('is tried again if the trying processes were killed', async () => {
    const { limiters, clock } = two
    await open()
    await two.pass(30_000)
    const whole = { connectorKey: 'books', limits: [], entity: 'bakery', place: { host: 'api' }, timeoutMs: 30_000 }
    for (let index = 0; index < 3; index++) void limiters[0].run(whole, () => new Promise(() => undefined))
    await clock.runUntil(clock.sleep(100))
    expect(await two.call(limiters[1], never)).toMatchObject({ waitMs: expect.any(Number) })
    await two.pass(35_000)
    expect(await two.call(limiters[1], ok)).toBe(200)
  })
})
