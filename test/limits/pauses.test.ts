import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MINUTE_MS, type SourceLimit } from '../../src/connectors/contract/limits.ts'
import { retryAfterMs } from '../../src/connectors/toolkit/http/answers.ts'
import { answer, openTwoLimiters, type TwoLimiters } from './two-limiters.ts'

let two: TwoLimiters
beforeEach(async () => {
  two = await openTwoLimiters()
})
afterEach(async () => await two.close())

const MINUTE: SourceLimit = { name: 'minute', scope: 'entity', calls: 60, perMs: MINUTE_MS }
const ok = () => answer(200)
const never = () => {
  throw new Error('a call was made')
}

describe('a source that asks to wait', () => {
  it.each([
    ['seconds', { 'retry-after': '120' }],
    ['a date', { date: 'Mon, 02 Nov 2026 09:00:00 GMT', 'retry-after': 'Mon, 02 Nov 2026 09:02:00 GMT' }],
  ])('is called by no worker for these books before its Retry-After in %s', async (_form, headers) => {
    const { limiters, call, pass } = two
    expect(await call(limiters[1], ok, { limits: [MINUTE] })).toBe(200)
    expect(await call(limiters[0], () => answer(429, headers), { limits: [MINUTE] })).toBe(429)
    expect(await call(limiters[0], never)).toEqual({ waitMs: 120_000 })
    // A caller of these books within this second learns of it a second later.
    await pass(1_001)
    expect(await call(limiters[1], never, { limits: [MINUTE] })).toEqual({ waitMs: 118_999 })
    await pass(118_000)
    let calledMs = 0
    const note = () => {
      calledMs = two.clock.nowMs()
      return answer(200)
    }
    expect(await call(limiters[1], note, { limits: [MINUTE] })).toBe(200)
    expect(calledMs).toBeGreaterThanOrEqual(120_000)
  })

  it('is called for other books in the meantime', async () => {
    const { limiters, call } = two
    await call(limiters[0], () => answer(429, { 'retry-after': '120' }), { limits: [MINUTE] })
    expect(await call(limiters[1], ok, { limits: [MINUTE], entity: 'garage' })).toBe(200)
  })

  it('is called for no books if all its limits are shared by the app', async () => {
    const { limiters, call } = two
    const limits: SourceLimit[] = [{ name: 'second', scope: 'app', calls: 8, perMs: 1_000 }]
    await call(limiters[0], () => answer(429, { 'retry-after': '120' }), { limits })
    expect(await call(limiters[1], never, { limits, entity: 'garage' })).toEqual({ waitMs: 120_000 })
  })

  it('keeps the longer of two waits', async () => {
    const { limiters, call } = two
    await limiters[0].pause({ connectorKey: 'books' }, 'bakery', 600_000)
    await limiters[1].pause({ connectorKey: 'books' }, 'bakery', 60_000)
    expect(await call(limiters[1], never)).toEqual({ waitMs: 600_000 })
  })
})

describe('retryAfterMs', () => {
  it('interprets a date by the response’s own clock, so that ours may be ten minutes off', () => {
    const headers = { date: 'Mon, 02 Nov 2026 09:00:00 GMT', 'retry-after': 'Mon, 02 Nov 2026 09:01:30 GMT' }
    expect(retryAfterMs(headers, new Date('2026-11-02T09:10:00Z'), 5)).toBe(90_000)
  })
})
