import { describe, expect, test } from 'vitest'
import { hasFault, isGone, isRefusal, toSourceError } from './errors.ts'

const NOW = new Date('2026-07-01T00:00:00Z')

function answer(status: number, body: string, headers: Record<string, string> = {}) {
  return { status, headers, body: new TextEncoder().encode(body) }
}

describe('an error answer', () => {
  test.each([
    ['no such token', 401, '{"code":14,"message":"Invalid value passed for authtoken."}', 'reconnect'],
    ['what is not allowed', 401, '{"code":57,"message":"You are not authorized to perform this operation"}', 'reconnect'],
    ['what is not allowed, under 400', 400, '{"code":57,"message":"You are not authorized"}', 'reconnect'],
    ['an organization of others', 401, '{"code":6041,"message":"This user is not associated"}', 'reconnect'],
    ['the limit of the minute', 429, '{"code":44,"message":"blocked"}', 'rateLimited'],
    ['the limit of the minute, under 400', 400, '{"code":44,"message":"blocked"}', 'rateLimited'],
    ['the limit of the minute, under 200', 200, '{"code":44,"message":"blocked"}', 'rateLimited'],
    ['the limit of the day', 429, '{"code":45,"message":"x"}', 'rateLimited'],
    ['too many at a time', 429, '{"message":"a \\"b\\"","code":1070}', 'rateLimited'],
    ['a limit without a code', 429, '', 'rateLimited'],
    ['a failure inside', 500, '{"code":5,"message":"x"}', 'unavailable'],
    ['no service', 503, '<html></html>', 'unavailable'],
    ['a wrong parameter', 400, '{"code":2,"message":"Invalid value passed for page"}', 'badData'],
    ['a failure under 200', 200, '{"code":9000,"message":"x"}', 'badData'],
  ])('%s (%i) is told by its code', (_what, status, body, kind) => {
    expect(toSourceError(answer(status, body), 'the list', NOW).kind).toBe(kind)
  })

  test.each([
    [44, {}, 60_000],
    [44, { 'x-rate-limit-reset': '23273' }, 60_000],
    [45, { 'x-rate-limit-reset': '23273' }, 23_273_000],
    [45, {}, 3_600_000],
    [1070, {}, 5000],
    [44, { 'retry-after': '90' }, 90_000],
  ])('code %i with %j waits %i ms', (code, headers, waitMs) => {
    const error = toSourceError(answer(429, JSON.stringify({ code, message: 'x' }), headers), 'the list', NOW)
    expect(error.retryAfterMs).toBe(waitMs)
  })

  test('the sentences of the source, which may quote names, stay out of the message', () => {
    const body = '{"code":1001,"message":"Customer Jean Tremblay"}'
    expect(toSourceError(answer(400, body), 'the list', NOW).message).toBe('Zoho answered 400 to the list (code 1001)')
  })
})

describe('an answer', () => {
  test.each([
    [200, '{"code":0,"message":"success","journals":[{"notes":"{\\"code\\":57}"}]}', false],
    [200, '{"code":"0","message":"success"}', false],
    [200, '{"journals":[]}', false],
    [200, '{"code":57,"message":"x"}', true],
    [201, '{"code":0}', true],
    [404, '', true],
  ])('%i %s reports a failure: %s', (status, body, expected) => {
    expect(hasFault(answer(status, body))).toBe(expected)
  })

  test.each([
    ['{"code":57,"message":"x"}', true, false],
    ['{"code":14,"message":"x"}', true, false],
    ['{"code":1002,"message":"x"}', false, true],
    ['{"code":5,"message":"code 57"}', false, false],
  ])('%s is a refusal: %s, something that is gone: %s', (body, refusal, gone) => {
    expect([isRefusal(answer(400, body)), isGone(answer(400, body))]).toEqual([refusal, gone])
  })
})
