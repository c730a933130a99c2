import { describe, expect, it } from 'vitest'
import type { KeyCaller, UserCaller } from '../../src/api/access/caller.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { CallerLimits, RequestLimit } from '../../src/api/http/request-limits.ts'

const MINUTE_MS = 60_000
const headers = (limit: number, remaining: number, reset: number) =>
  ['ratelimit-limit', limit, 'ratelimit-remaining', remaining, 'ratelimit-reset', reset].map(String)
function refusalOf(act: () => unknown): ApiError {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('a request limit', () => {
  it('counts down to the last request of a minute, refuses those after it, and begins anew', () => {
    const limit = new RequestLimit(2)
    expect(limit.count('a', 0)).toEqual(headers(2, 1, 60))
    expect(limit.count('a', 1_500)).toEqual(headers(2, 0, 59))
    const refused = refusalOf(() => limit.count('a', MINUTE_MS - 1))
    expect([refused.status, refused.headers]).toEqual([
      429,
      { 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '1', 'retry-after': '1' },
    ])
    expect(limit.count('a', MINUTE_MS)).toEqual(headers(2, 1, 60))
  })

  it('counts each key alone', () => {
    const limit = new RequestLimit(1)
    limit.count('a', 0)
    expect(limit.count('b', 0)).toEqual(headers(1, 0, 60))
  })

  it('of 0 is none, says nothing, and counts nothing', () => {
    const limit = new RequestLimit(0)
    for (let at = 0; at < 3; at += 1) expect([limit.count('a', 0), limit.hasRoom('a', 0)]).toEqual([[], true])
    expect(new Map(limit.takePeaks(0))).toEqual(new Map())
  })

  it('has room as long as one more would be taken', () => {
    const limit = new RequestLimit(1)
    expect(limit.hasRoom('a', 0)).toBe(true)
    limit.count('a', 0)
    expect([limit.hasRoom('a', 0), limit.hasRoom('a', MINUTE_MS)]).toEqual([false, true])
  })

  it('tells the most requests of a minute since it was last asked, with those under way, and without a limit, too', () => {
    for (const perMinute of [0, 10]) {
      const limit = new RequestLimit(perMinute, { hasPeaks: true })
      for (let at = 0; at < 3; at += 1) limit.count('a', 0)
      limit.count('a', MINUTE_MS)
      limit.count('b', MINUTE_MS)
      expect(new Map(limit.takePeaks(MINUTE_MS))).toEqual(
        new Map([
          ['a', 3],
          ['b', 1],
        ]),
      )
      expect(new Map(limit.takePeaks(MINUTE_MS))).toEqual(
        new Map([
          ['a', 1],
          ['b', 1],
        ]),
      )
      expect(new Map(limit.takePeaks(2 * MINUTE_MS)).get('a')).toBe(1)
      expect(new Map(limit.takePeaks(2 * MINUTE_MS))).toEqual(new Map())
    }
  })
})

describe('the limits of a caller', () => {
  const user = (instanceId: string, sessionId: string): UserCaller => ({
    ...{ instanceId, sessionId, userId: 'u', role: 'admin', keyId: null, provenAtMs: 0, lacksTwoStep: false },
  })
  const key = (instanceId: string, keyId: string): KeyCaller => ({
    ...{ instanceId, keyId, applicationId: keyId, createdBy: 'u', userId: null, scopes: new Set() },
  })

  it('are that of the session or key, and that of the instance; the headers tell the nearer', () => {
    const limits = new CallerLimits({ perSession: 3, perInstance: 4 }, () => undefined)
    expect(limits.count(user('i', 's'), 0)).toEqual(headers(3, 2, 60))
    expect(limits.count(key('i', 'k'), 0)).toEqual(headers(3, 2, 60))
    expect(limits.count(key('i', 'k2'), 0)).toEqual(headers(4, 1, 60))
    expect(limits.count(user('other', 's2'), 0)).toEqual(headers(3, 2, 60))
    expect(limits.count(user('i', 's'), 0)).toEqual(headers(4, 0, 60))
    expect([limits.hasRoom(user('i', 'new'), 0), limits.hasRoom(user('other', 'new'), 0)]).toEqual([false, true])
    expect(refusalOf(() => limits.count(key('i', 'k'), 0)).message).toContain('the quota requestsPerMinute of the instance is reached')
  })

  it('hold a session alone when it is at its own limit', () => {
    const limits = new CallerLimits({ perSession: 1, perInstance: 10 }, () => undefined)
    limits.count(user('i', 's'), 0)
    expect([limits.hasRoom(user('i', 's'), 0), limits.hasRoom(user('i', 't'), 0)]).toEqual([false, true])
    expect(refusalOf(() => limits.count(user('i', 's'), 0)).message).not.toContain('quota')
  })

  it('follow the quota that operators have set for the instance', () => {
    const limits = new CallerLimits({ perSession: 0, perInstance: 0 }, (id) => (id === 'small' ? 1 : undefined))
    expect(limits.count(user('small', 's'), 0)).toEqual(headers(1, 0, 60))
    expect(refusalOf(() => limits.count(user('small', 't'), 0)).status).toBe(429)
    for (let at = 0; at < 3; at += 1) expect(limits.count(user('large', 's'), 0)).toEqual([])
    expect(new Map(limits.takePeaks(0))).toEqual(
      new Map([
        ['small', 2],
        ['large', 3],
      ]),
    )
  })
})
