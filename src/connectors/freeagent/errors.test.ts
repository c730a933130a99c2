import { expect, test } from 'vitest'
import { hasErrors, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function toError(status: number, headers: Record<string, string> = {}) {
  const body = new TextEncoder().encode('{"errors":{"error":{"message":"token abc of Fiona"}}}')
  return toSourceError({ status, headers, body }, 'the categories', NOW)
}

test.each([
  [401, 'reconnect'],
  [403, 'reconnect'],
  [429, 'rateLimited'],
  [408, 'unavailable'],
  [500, 'unavailable'],
  [503, 'unavailable'],
  [200, 'badData'],
  [404, 'badData'],
  [406, 'badData'],
])('status %i is %s, and nothing of its words is shown', (status, kind) => {
  expect(toError(status)).toMatchObject({ kind, message: expect.not.stringMatching(/abc|Fiona/) })
})

test('the wait is what Retry-After says, a minute when it says nothing', () => {
  expect([toError(429, { 'retry-after': '30' }).retryAfterMs, toError(429).retryAfterMs]).toEqual([30_000, 60_000])
})

test.each([
  [{ errors: { error: { message: 'x' } } }, true],
  [{ errors: [{ message: 'x' }] }, true],
  [{ errors: null, company: {} }, false],
  [{ company: {} }, false],
  [['errors'], false],
])('%j reports a failure: %s', (body, expected) => {
  expect(hasErrors(body)).toBe(expected)
})
