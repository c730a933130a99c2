import { describe, expect, it } from 'vitest'
import { endOfToken } from './session-checks.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const MINUTE_MS = 60_000

describe('the end of a token of a session that an identity provider vouches for', () => {
  it.each([
    ['never checked, as where the provider can neither be asked nor tells', null, 5 * MINUTE_MS],
    ['checked now', 0, 5 * MINUTE_MS],
    ['checked a minute ago', -MINUTE_MS, 4 * MINUTE_MS],
    ['checked just less than five minutes ago', -5 * MINUTE_MS + 1, 1],
    ['checked five minutes ago: the provider is away', -5 * MINUTE_MS, 5 * MINUTE_MS],
    ['checked 25 minutes ago', -25 * MINUTE_MS, 5 * MINUTE_MS],
    ['checked 27 minutes ago', -27 * MINUTE_MS, 3 * MINUTE_MS],
    ['checked half an hour ago', -30 * MINUTE_MS, 0],
  ])('%s', (_what, checkedMs, endsMs) => {
    const checkedAt = checkedMs === null ? null : new Date(NOW_MS + checkedMs)
    expect(endOfToken(new Date(NOW_MS), checkedAt).getTime() - NOW_MS).toBe(endsMs)
  })
})
