import { describe, expect, it } from 'vitest'
import { type TokenSource, toTokenError } from './token-requests.ts'

const SOURCE: TokenSource = {
  source: 'Somewhere',
  passing: ['general_error'],
  tooMany: ['slow_down'],
  waitMs: 600_000,
  leastWaitMs: 30_000,
}

function errorOf(status: number, word: string, headers: Record<string, string> = {}) {
  const body = new TextEncoder().encode(word === '' ? '<html></html>' : JSON.stringify({ error: word }))
  return toTokenError({ status, headers, body }, 'the request for a token', new Date(0), SOURCE)
}

describe('an answer without a token', () => {
  it.each([
    [400, 'invalid_grant', 'reconnect'],
    [401, 'invalid_grant', 'reconnect'],
    [400, 'invalid_request', 'badData'],
    [403, '', 'badData'],
    [400, 'slow_down', 'rateLimited'],
    [429, 'invalid_client', 'rateLimited'],
    [401, 'general_error', 'unavailable'],
    [408, 'invalid_grant', 'unavailable'],
    [503, 'invalid_client', 'unavailable'],
  ])('%i "%s" is %s and blames no keys', (status, word, kind) => {
    const error = errorOf(status, word)
    expect([error.kind, error.isClientRefused, /refused/.test(error.message)]).toEqual([kind, false, false])
  })

  it.each([
    [400, 'invalid_client'],
    [401, 'invalid_client'],
    [400, 'unauthorized_client'],
    [401, ''],
  ])('%i "%s" blames the keys and breaks no connection', (status, word) => {
    const error = errorOf(status, word)
    expect([error.kind, error.isClientRefused, /clientId or clientSecret was refused/.test(error.message)]).toEqual([
      'unavailable',
      true,
      true,
    ])
  })

  it.each([
    [{}, 600_000],
    [{ 'retry-after': '45' }, 45_000],
    [{ 'retry-after': '1' }, 30_000],
  ])('that asks to wait by %o is waited for %i ms', (headers, waitMs) => {
    expect(errorOf(429, '', headers).retryAfterMs).toBe(waitMs)
  })
})
