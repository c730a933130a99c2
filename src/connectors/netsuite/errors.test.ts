import { describe, expect, test } from 'vitest'
import { isHidden, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toResponse(status: number, body: string, headers: Record<string, string> = {}) {
  return { status, headers, body: new TextEncoder().encode(body) }
}

function fault(code: string, detail = 'x'): string {
  return JSON.stringify({ type: 't', title: 'x', status: 400, 'o:errorDetails': [{ detail, 'o:errorCode': code }] })
}

const HIDDEN = [
  "Search error occurred: Record 'transaction' was not found.",
  "Search error occurred: Field 'currency' for record 'account' was not found. Reason: NOT_EXPOSED",
]

describe('an error answer', () => {
  test.each([
    ['a refused token', 401, fault('INVALID_LOGIN'), 'reconnect'],
    ['a missing permission', 403, fault('INSUFFICIENT_PERMISSION'), 'reconnect'],
    ['a record that the role does not see', 400, fault('INVALID_PARAMETER', HIDDEN[0]), 'reconnect'],
    ['too many requests', 429, fault('CONCURRENCY_LIMIT_EXCEEDED'), 'rateLimited'],
    ['too many requests without a body', 429, '', 'rateLimited'],
    ['too many requests under 400', 400, fault('SSS_REQUEST_LIMIT_EXCEEDED'), 'rateLimited'],
    ['a request that took too long', 408, '', 'unavailable'],
    ['a failure of the server', 500, fault('UNEXPECTED_ERROR'), 'unavailable'],
    ['no service', 503, '<html></html>', 'unavailable'],
    ['a wrong query', 400, fault('INVALID_PARAMETER'), 'badData'],
    ['nothing at all', 404, '', 'badData'],
  ])('%s (%i) is told apart by its code', (_what, status, body, kind) => {
    expect(toSourceError(toResponse(status, body), 'the query', NOW).kind).toBe(kind)
  })

  test('a wait that NetSuite does ask for is kept', () => {
    expect(toSourceError(toResponse(429, '', { 'retry-after': '7' }), 'the query', NOW).retryAfterMs).toBe(7_000)
  })

  test('the words of the source, which quote the query, stay out of the message', () => {
    const body = fault('INVALID_PARAMETER', "near 'Dr. O'Neill' token eyJabc")
    expect(toSourceError(toResponse(400, body), 'the query', NOW).message).toBe('NetSuite answered 400 to the query (INVALID_PARAMETER)')
  })
})

describe('what a role does not see', () => {
  test.each([
    [400, HIDDEN[0], true],
    [400, HIDDEN[1], true],
    [400, 'Search error occurred: Invalid or unsupported search.', false],
    [404, HIDDEN[0], false],
  ])('%i "%s": %s', (status, detail, expected) => {
    expect(isHidden(toResponse(status, fault('INVALID_PARAMETER', detail)))).toBe(expected)
  })
})
