import { describe, expect, test } from 'vitest'
import { hasErrors, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return toSourceError({ status, headers, body: new TextEncoder().encode(text) }, 'the query', NOW)
}

function coded(...codes: string[]): object {
  return { errors: codes.map((code) => ({ message: 'Élodie’s token eyJabc', extensions: { code } })), data: null }
}

describe('an error answer', () => {
  test.each([
    [200, 'UNAUTHENTICATED', 'reconnect'],
    [500, 'UNAUTHENTICATED', 'reconnect'],
    [429, 'UNAUTHENTICATED', 'reconnect'],
    [200, 'FORBIDDEN', 'reconnect'],
    [200, 'NOT_FOUND', 'reconnect'],
    [200, 'THROTTLED', 'rateLimited'],
    [200, 'RATE_LIMITED', 'rateLimited'],
    [403, 'RATE_LIMIT_EXCEEDED', 'rateLimited'],
    [200, 'INTERNAL_SERVER_ERROR', 'unavailable'],
    [400, 'INTERNAL_SERVER_ERROR', 'unavailable'],
    [400, 'GRAPHQL_VALIDATION_FAILED', 'badData'],
    [500, 'GRAPHQL_VALIDATION_FAILED', 'badData'],
    [200, 'SOMETHING_NEW', 'badData'],
    [503, 'SOMETHING_NEW', 'unavailable'],
  ])('status %i with code %s is %s: the body is the authority', (status, code, kind) => {
    expect(toError(status, coded(code)).kind).toBe(kind)
  })

  test.each([
    [429, 'Too Many Requests', 'rateLimited'],
    [401, '', 'reconnect'],
    [403, '<html></html>', 'reconnect'],
    [502, '<html></html>', 'unavailable'],
    [408, '', 'unavailable'],
    [404, 'x', 'badData'],
  ])('status %i without GraphQL in its body decides by itself', (status, body, kind) => {
    expect(toError(status, body).kind).toBe(kind)
  })

  test('a throttled call may be told by its text alone', () => {
    expect(toError(200, { errors: [{ message: 'Request was throttled.' }] }).kind).toBe('rateLimited')
  })

  test('a broken authorization takes precedence over a throttled field in the same response', () => {
    expect(toError(200, coded('THROTTLED', 'UNAUTHENTICATED')).kind).toBe('reconnect')
  })

  test('the wait is what Retry-After says, a minute when it says nothing', () => {
    expect([toError(429, '', { 'retry-after': '20' }).retryAfterMs, toError(200, coded('THROTTLED')).retryAfterMs]).toEqual([
      20_000, 60_000,
    ])
  })

  test('the words of the source, which may quote tokens, stay out of the message', () => {
    expect(toError(200, coded('UNAUTHENTICATED')).message).toBe('Wave answered 200 to the query (UNAUTHENTICATED)')
  })
})

describe('a body of status 200', () => {
  test.each([
    [{ errors: [{}], data: null }, true],
    [{ errors: 'x' }, true],
    [{ errors: [], data: {} }, false],
    [{ errors: null, data: {} }, false],
    [{ data: { business: { name: '"errors":[' } } }, false],
    [['errors'], false],
  ])('%j reports a failure: %s', (body, expected) => {
    expect(hasErrors(body)).toBe(expected)
  })
})
