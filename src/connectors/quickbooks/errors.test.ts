import { describe, expect, test } from 'vitest'
import { hasFault, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, body: string, headers: Record<string, string> = {}) {
  return toSourceError({ status, headers, body: new TextEncoder().encode(body) }, 'the query', NOW)
}

function gateway(word: string, code: string, status: number, type: string): string {
  return JSON.stringify({
    warnings: null,
    fault: { error: [{ message: `message=${word}; errorCode=00${code}; statusCode=${status}`, code }], type },
  })
}

describe('an error answer', () => {
  test.each([
    ['a refused token', 401, gateway('AuthenticationFailed', '3200', 401, 'AUTHENTICATION'), 'reconnect'],
    ['a company that is closed to the app', 403, gateway('ApplicationAuthorizationFailed', '3100', 403, 'SERVICE'), 'reconnect'],
    ['a throttled call', 429, gateway('ThrottleExceeded', '3001', 429, 'SERVICE'), 'rateLimited'],
    ['a throttled call under 403', 403, gateway('ThrottleExceeded', '003001', 403, 'SERVICE'), 'rateLimited'],
    [
      'a throttled call in XML',
      403,
      '<?xml version="1.0"?><IntuitResponse time="x"><Fault type="SERVICE"><Error code="3001"><Message>m</Message></Error></Fault></IntuitResponse>',
      'rateLimited',
    ],
    [
      'a refused token in XML',
      401,
      '<IntuitResponse time="x"><Fault type="AuthenticationFault"><Error code="100"><Message>General</Message></Error></Fault></IntuitResponse>',
      'reconnect',
    ],
    ['a failure of the gateway', 500, gateway('InternalServerError', '3100', 500, 'SERVICE'), 'unavailable'],
    ['an authorization fault that says 500', 500, '{"Fault":{"Error":[{"code":"120"}],"type":"AuthorizatonFault"}}', 'unavailable'],
    ['an authorization fault', 400, '{"Fault":{"Error":[{"code":"120"}],"type":"AuthorizatonFault"}}', 'reconnect'],
    ['no service', 503, '<html></html>', 'unavailable'],
    ['a wrong query', 400, '{"Fault":{"Error":[{"code":"4000"}],"type":"ValidationFault"}}', 'badData'],
    ['nothing at all', 404, '', 'badData'],
  ])('%s (%i) is told apart by its code', (_what, status, body, kind) => {
    expect(toError(status, body).kind).toBe(kind)
  })

  test('a Retry-After longer than a minute is kept, a shorter one is not believed', () => {
    expect([toError(429, '', { 'retry-after': '300' }).retryAfterMs, toError(429, '', { 'retry-after': '2' }).retryAfterMs]).toEqual([
      300_000, 60_000,
    ])
  })

  test('the words of the source, which may quote tokens, stay out of the message', () => {
    const body = '{"Fault":{"Error":[{"Message":"bad token eyJabc","Detail":"Jean Tremblay","code":"3200"}],"type":"AUTHENTICATION"}}'
    expect(toError(401, body, { intuit_tid: '1-abc' }).message).toBe(
      'QuickBooks answered 401 to the query (code 3200, AUTHENTICATION, intuit_tid 1-abc)',
    )
  })
})

describe('a body of status 200', () => {
  test.each([
    [{ Fault: { Error: [] } }, true],
    [{ fault: { error: [] } }, true],
    [{ fault: null, QueryResponse: {} }, false],
    [{ QueryResponse: { Account: [{ Name: '"Fault":{' }] } }, false],
    [['Fault'], false],
  ])('%j reports a failure: %s', (body, expected) => {
    expect(hasFault(body)).toBe(expected)
  })
})
