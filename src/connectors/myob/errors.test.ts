import { describe, expect, test } from 'vitest'
import { hasErrors, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, body: string, headers: Record<string, string> = {}) {
  return toSourceError({ status, headers, body: new TextEncoder().encode(body) }, 'the list', NOW)
}

function named(Name: string, ErrorCode: number | string): string {
  return JSON.stringify({ Errors: [{ Name, Message: 'token eyJabc of Zoë', AdditionalDetails: '', ErrorCode, Severity: 'Error' }] })
}

describe('an error answer', () => {
  test.each([
    ['a refused token', 401, named('OAuthTokenIsInvalid', 31_001), 'reconnect'],
    ['a file that is closed to us', 403, named('AccessDenied', '31002'), 'reconnect'],
    ['a throttled call', 429, named('ApiKeyDeveloperOverQps', 0), 'rateLimited'],
    ['a throttled call without a body', 429, '', 'rateLimited'],
    ['a throttled call the older way', 403, named('ApiKeyDeveloperOverQps', 0), 'rateLimited'],
    ['a day that is over', 403, named('ApiKeyDeveloperOverRate', 0), 'rateLimited'],
    ['a throttled call by its published name', 403, named('RateLimitError', 'NA'), 'rateLimited'],
    ['a key that is switched off', 403, named('DeveloperInactive', 'NA'), 'unavailable'],
    ['a big file', 504, '<html></html>', 'unavailable'],
    ['no service', 503, named('ServiceUnavailable', 0), 'unavailable'],
    ['a wrong query', 400, named('BadRequest', 2), 'badData'],
    ['an error under 200', 200, named('BusinessException', 10_001), 'badData'],
    ['nothing at all', 404, '', 'badData'],
  ])('%s (%i) is told apart', (_what, status, body, kind) => {
    expect(toError(status, body).kind).toBe(kind)
  })

  test('the words of the source, which may quote tokens, stay out of the message', () => {
    expect(toError(401, named('OAuthTokenIsInvalid', 31_001), { 'x-myobapi-requestid': 'r-1' }).message).toBe(
      'MYOB answered 401 to the list (OAuthTokenIsInvalid, code 31001, request r-1)',
    )
  })
})

test.each([
  [{ Errors: [{ Name: 'x' }] }, true],
  [{ Errors: [], Items: [] }, false],
  [{ Items: [{ Name: '"Errors":[' }] }, false],
  [[{ Errors: [{}] }], false],
])('%j under 200 reports a failure: %s', (body, expected) => {
  expect(hasErrors(body)).toBe(expected)
})
