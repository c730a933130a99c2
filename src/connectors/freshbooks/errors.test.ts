import { describe, expect, test } from 'vitest'
import { hasErrors, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, body: string, headers: Record<string, string> = {}) {
  return toSourceError({ status, headers, body: new TextEncoder().encode(body) }, 'the list', NOW)
}

const business = (status: number) => `{"errors":{"message":"Request failed with status code ${status}","status":${status},"details":[]}}`
const account = (errno: number) => `{"response":{"errors":[{"errno":${errno},"field":"f","message":"m","object":"o","value":null}]}}`

describe('an error answer', () => {
  test.each([
    ['a refused token', 401, '{"error":"unauthenticated","error_description":"This action requires authentication."}', 'reconnect'],
    ['a refused token under another status', 400, '{"error":"unauthenticated"}', 'reconnect'],
    ['a missing scope', 403, business(403), 'reconnect'],
    ['a throttled call of the account routes', 429, account(429), 'rateLimited'],
    ['a throttled call of the account routes under 400', 400, account(429), 'rateLimited'],
    ['a throttled call of the business routes', 429, business(429), 'rateLimited'],
    ['no service', 503, '<html></html>', 'unavailable'],
    ['a gateway that gave up', 504, '', 'unavailable'],
    ['a wrong request of the business routes', 422, business(422), 'badData'],
    ['a wrong request of the account routes', 400, account(1012), 'badData'],
    ['nothing at all', 404, '', 'badData'],
  ])('%s (%i) is told apart', (_what, status, body, kind) => {
    expect(toError(status, body).kind).toBe(kind)
  })

  test('the wait is the one that the source asks for, or a minute', () => {
    expect([toError(429, '', { 'retry-after': '300' }).retryAfterMs, toError(429, '').retryAfterMs]).toEqual([300_000, 60_000])
  })

  test('the words of the source, which may quote tokens and names, stay out of the message', () => {
    const body =
      '{"response":{"errors":[{"errno":1012,"field":"uuid","message":"bad token eyJabc of José","object":"o","value":"eyJabc"}]}}'
    expect(toError(404, body).message).toBe('FreshBooks answered 404 to the list (errno 1012)')
  })
})

describe('a body of status 200', () => {
  test.each([
    [{ errors: { status: 400 } }, true],
    [{ error: 'unauthenticated' }, true],
    [{ response: { errors: [] } }, true],
    [{ response: { email: 'a@b.example' } }, false],
    [{ data: [], errors: null }, false],
    [{ data: [{ name: 'errors' }] }, false],
    [['errors'], false],
  ])('%j reports a failure: %s', (body, expected) => {
    expect(hasErrors(body)).toBe(expected)
  })
})
