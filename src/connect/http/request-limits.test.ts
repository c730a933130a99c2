import { describe, expect, it } from 'vitest'
import { Problem } from './problem.ts'
import { OwnerRateLimits } from './request-limits.ts'

const BEGIN_MS = Date.parse('2026-11-20T12:00:00Z')
const later = (ms: number) => new Date(BEGIN_MS + ms)

/** The problem that a function throws; null: none. */
function problemOf(run: () => void): unknown {
  try {
    run()
    return null
  } catch (error) {
    return error
  }
}

describe('the forms sent with one link', () => {
  it('are sixty in ten minutes, for each link by itself', () => {
    const limits = new OwnerRateLimits()
    const send = (key: string, ms: number) => problemOf(() => limits.countChange(key, later(ms)))
    for (let sent = 0; sent < 60; sent += 1) expect(() => limits.countChange('a', later(0))).not.toThrow()
    const refused = send('a', 1)
    expect(refused).toBeInstanceOf(Problem)
    expect(refused).toMatchObject({ kind: 'often', details: { retryAfterSeconds: 600 } })
    expect([send('b', 1), send('a', 599_999)]).toEqual([null, expect.objectContaining({ details: { retryAfterSeconds: 1 } })])
    expect(send('a', 600_000)).toBeNull()
  })
})

describe('links that do not exist', () => {
  it('are three hundred in ten minutes for a network, and none of its forms', () => {
    const limits = new OwnerRateLimits()
    for (let asked = 0; asked < 300; asked += 1) expect(limits.countUnknownLink('192.0.2.0/24', later(0))).toBeNull()
    expect(limits.countUnknownLink('192.0.2.0/24', later(598_500))).toMatchObject({ kind: 'often', details: { retryAfterSeconds: 2 } })
    expect(limits.countUnknownLink('198.51.100.0/24', later(1))).toBeNull()
    expect(problemOf(() => limits.countChange('192.0.2.0/24', later(1)))).toBeNull()
  })

  it('and uploads are as many as is set', () => {
    const limits = new OwnerRateLimits({ unknownLinks: 1, uploads: { perLink: 0 } })
    expect(limits.countUnknownLink('n', later(0))).toBeNull()
    expect([limits.countUnknownLink('n', later(0))?.kind, limits.uploads.tryAcquire('a')]).toEqual(['often', 'underWay'])
  })
})
