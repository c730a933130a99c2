import { describe, expect, test } from 'vitest'
import { hasErrors, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, body: string, headers: Record<string, string> = {}) {
  return toSourceError({ status, headers, body: new TextEncoder().encode(body) }, 'the list', NOW)
}

const list = (code: string, message = 'm') => JSON.stringify([{ $severity: 'error', $dataCode: code, $message: message, $source: '' }])

describe('an error answer', () => {
  test.each([
    ['a refused token', 401, list('AuthenticationFailure'), 'reconnect'],
    ['an ended subscription', 401, list('AuthorizationFailure', 'No active subscription. (MSE)'), 'reconnect'],
    ['a refused token of the gateway', 401, '{"message":"Unauthorized"}', 'reconnect'],
    ['a business that is closed to the person', 403, list('AuthorizationFailure'), 'reconnect'],
    ['an authorization that ended, under another status', 422, list('AuthorizationFailure'), 'reconnect'],
    ['a throttled call', 429, list('TooManyRequests'), 'rateLimited'],
    ['a throttled call of the gateway', 429, '{"message":"Too Many Requests"}', 'rateLimited'],
    ['a bug of Sage', 500, list('UnexpectedError'), 'unavailable'],
    ['no service', 503, '<html></html>', 'unavailable'],
    ['a wrong parameter', 422, list('ValidationError'), 'badData'],
    ['an unknown record', 404, list('RecordNotFound'), 'badData'],
    ['nothing at all', 404, '', 'badData'],
  ])('%s (%i) is told apart', (_what, status, body, kind) => {
    expect(toError(status, body).kind).toBe(kind)
  })

  test('the wait is the one that the source asks for, or a minute', () => {
    expect([toError(429, '', { 'retry-after': '300' }).retryAfterMs, toError(429, '').retryAfterMs]).toEqual([300_000, 60_000])
  })

  test('the words of the source, which may quote tokens and names, stay out of the message', () => {
    expect(toError(404, list('RecordNotFound', 'token eyJabc of Lucie Gagnon')).message).toBe(
      'Sage answered 404 to the list (RecordNotFound)',
    )
  })
})

describe('a body of status 200', () => {
  test.each([
    [[{ $severity: 'error', $dataCode: 'X' }], true],
    [[], false],
    [[{ id: 'a1' }], false],
    [{ $items: [{ $severity: 'error' }] }, false],
  ])('%j reports a failure: %s', (body, expected) => {
    expect(hasErrors(body)).toBe(expected)
  })
})
