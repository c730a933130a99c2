import { describe, expect, test } from 'vitest'
import { isNotPermitted, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')
const INSTANCE = '6489df60-8891-470e-9268-a9a43f5da71e'

function answer(status: number, body: string, headers: Record<string, string> = {}) {
  return { status, headers, body: new TextEncoder().encode(body) }
}

function problem(status: number, detail: string): string {
  return JSON.stringify({ Type: null, Title: 'x', Status: status, Detail: detail, Instance: INSTANCE, Extensions: {} })
}

describe('an error answer', () => {
  test.each([
    ['a token that has ended', 401, problem(401, 'TokenExpired: token expired at 04/09/2026 05:16:59'), 'reconnect'],
    ['an organisation that is not connected', 403, problem(403, 'AuthenticationUnsuccessful'), 'reconnect'],
    ['a scope that is missing', 401, problem(401, 'AuthorizationUnsuccessful'), 'reconnect'],
    ['a call too many', 429, '', 'rateLimited'],
    ['an organisation that is offline', 503, problem(503, 'The organisation is offline'), 'unavailable'],
    ['a failure of the gateway', 502, '<html></html>', 'unavailable'],
    ['a wrong query', 400, '{"ErrorNumber":10,"Type":"ValidationException","Message":"Zoé’s token eyJabc"}', 'badData'],
    ['nothing at all', 404, '', 'badData'],
  ])('%s (%i) is told apart', (_what, status, body, kind) => {
    expect(toSourceError(answer(status, body), 'the list', NOW).kind).toBe(kind)
  })

  test('the wait is the one that Xero asks for, and a minute where it asks for none', () => {
    const waits = [{ 'retry-after': '27' }, {}].map((headers) => toSourceError(answer(429, '', headers), 'the list', NOW).retryAfterMs)
    expect(waits).toEqual([27_000, 60_000])
  })

  test('a limit is named', () => {
    const headers = { 'retry-after': '1', 'x-rate-limit-problem': 'concurrent' }
    expect(toSourceError(answer(429, '', headers), 'the list', NOW).message).toBe('Xero answered 429 to the list (limit: concurrent)')
  })

  test('the sentences of the source, which may quote names and tokens, stay out of the message', () => {
    const body = '{"ErrorNumber":10,"Type":"ValidationException","Message":"Zoé’s token eyJabc"}'
    expect(toSourceError(answer(400, body), 'the list', NOW).message).toBe('Xero answered 400 to the list (ValidationException, error 10)')
  })

  test('the instance is there for Xero’s support', () => {
    expect(toSourceError(answer(403, problem(403, 'AuthenticationUnsuccessful')), 'the list', NOW).message).toBe(
      `Xero answered 403 to the list (AuthenticationUnsuccessful, instance ${INSTANCE})`,
    )
  })
})

describe('what is not permitted', () => {
  test.each([
    [401, problem(401, 'AuthorizationUnsuccessful'), true],
    [401, '{"Title":"Unauthorized","Detail":"AuthorizationUnsuccessful","Status":401}', true],
    [403, problem(403, 'You are not permitted to access this resource without the reporting role or higher privileges'), true],
    [401, problem(401, 'TokenExpired: token expired'), false],
    [403, problem(403, 'AuthenticationUnsuccessful'), false],
    [200, problem(200, 'AuthorizationUnsuccessful'), false],
    [500, problem(500, 'AuthorizationUnsuccessful'), false],
  ])('%i %s: %s', (status, body, expected) => {
    expect(isNotPermitted(answer(status, body))).toBe(expected)
  })
})
