import { expect, test } from 'vitest'
import { toFdxError, toOwnFault } from './errors.ts'

const NOW = new Date('2026-11-20T08:00:00Z')

function judge(status: number, body: unknown, headers: Record<string, string> = {}) {
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  return toFdxError({ status, headers, body: bytes }, 'a call', NOW)
}

test.each([
  [404, 601, 'reconnect'],
  [403, 602, 'reconnect'],
  [401, 603, 'reconnect'],
  [404, 701, 'badData'],
  [400, 703, 'badData'],
  [409, 705, 'badData'],
  [404, 1107, 'badData'],
  [429, 1207, 'rateLimited'],
  [400, 1207, 'rateLimited'],
  [500, 500, 'unavailable'],
  [400, 501, 'unavailable'],
  [503, 503, 'unavailable'],
])('HTTP %i with the code %i is %s', (status, code, kind) => {
  expect(judge(status, { code, message: 'x' }).kind).toBe(kind)
})

test('a code may come as text, and may be missing', () => {
  expect([judge(400, { code: '602' }).code, judge(502, '<html>').kind, judge(418, '').kind]).toEqual([602, 'unavailable', 'badData'])
})

test('what one account refuses says nothing about the others', () => {
  const codes = [701, 704, 705, 706, 707, 1107, 602, 1207, 500]
  expect(codes.filter((code) => judge(403, { code, message: 'x' }).isOfOneAccount)).toEqual([701, 704, 705, 706, 707, 1107])
})

test('a refusal for asking too often is waited out as long as it says, a minute where it does not', () => {
  expect([judge(429, { code: 1207 }, { 'retry-after': '90' }).retryAfterMs, judge(429, { code: 1207 }).retryAfterMs]).toEqual([
    90_000, 60_000,
  ])
})

test('a refusal of what no owner asked for is never for an owner to mend', () => {
  const kinds = [401, 403, 404, 429, 503].map((status) => toOwnFault({ status, headers: {}, body: new Uint8Array() }, 'a call', NOW))
  expect(kinds.map(({ kind, isClientRefused }) => `${kind} ${isClientRefused}`)).toEqual([
    ...['unavailable true', 'unavailable true', 'badData false', 'rateLimited false', 'unavailable false'],
  ])
})

test('nothing of what the bank wrote gets into the message', () => {
  expect(judge(403, { code: 602, message: 'Marie Tremblay, account 4520341234567890' }).message).toBe('a call: FDX 602 (HTTP 403)')
})
