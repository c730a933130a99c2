import { describe, expect, test } from 'vitest'
import { toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, body = '', headers: Record<string, string> = {}) {
  return toSourceError({ status, headers, body: new TextEncoder().encode(body) }, 'the list', NOW)
}

describe('an error answer', () => {
  test.each([
    ['a refused token', 401, 'reconnect'],
    ['a missing permission', 403, 'reconnect'],
    ['a company that is gone', 404, 'reconnect'],
    ['an operation that took too long', 408, 'unavailable'],
    ['a throttled call', 429, 'rateLimited'],
    ['a failure of the server', 500, 'unavailable'],
    ['a queue that is too long', 503, 'unavailable'],
    ['a gateway that gave up', 504, 'unavailable'],
    ['a wrong filter', 400, 'badData'],
    ['a page that is too large', 413, 'badData'],
  ])('%s (%i) is %s', (_what, status, kind) => {
    expect(toError(status).kind).toBe(kind)
  })

  test('the wait that a throttled call asks for is kept, and a minute is waited when it asks for none', () => {
    expect([toError(429, '', { 'retry-after': '300' }).retryAfterMs, toError(429).retryAfterMs]).toEqual([300_000, 60_000])
  })

  test('only the code and the correlation id of the answer are shown', () => {
    const body =
      '{"error":{"code":"Internal_CompanyNotFound","message":"Cannot find company \\"Dr. O\'Neill\\".  CorrelationId:  0a1b2c3d-7c14-4e11-8f6e-6045bd9dec5b."}}'
    expect(toError(404, body).message).toBe(
      'Business Central answered 404 to the list (Internal_CompanyNotFound, CorrelationId 0a1b2c3d-7c14-4e11-8f6e-6045bd9dec5b)',
    )
  })
})
