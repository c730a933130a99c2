import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { EgressError } from '../egress/egress-error.ts'
import { classifyFailure, classifyResponse } from './attempt-result.ts'

const now = new Date('2026-11-20T12:00:00Z')

function answer(status: number, headers: Record<string, string> = {}, body: string | Uint8Array = '') {
  return { status, headers, body: Buffer.from(body), truncated: false }
}

describe('an answer', () => {
  test.each([
    [199, 'failed'],
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'failed'],
    [301, 'failed'],
    [302, 'failed'],
    [308, 'failed'],
    [400, 'failed'],
    [404, 'failed'],
    [410, 'gone'],
    [429, 'failed'],
    [500, 'failed'],
  ] as const)('of status %i counts as %s', (status, result) => {
    expect(classifyResponse(answer(status), now)).toMatchObject({ result, httpStatus: status, error: null })
  })

  test.each([
    [429, '120', 120_000],
    [503, 'Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    [502, 'Fri, 20 Nov 2026 11:00:00 GMT', 0],
    [504, 'soon', null],
    [503, '1200000000', null],
    [500, '120', null],
    [404, '120', null],
  ])('of status %i that asks for %s gets %s ms', (status, value, expected) => {
    expect(classifyResponse(answer(status, { 'retry-after': value }), now).retryAfterMs).toBe(expected)
  })

  test('is kept up to 4 KiB', () => {
    expect(classifyResponse(answer(200, {}, 'x y '.repeat(5000)), now).response).toHaveLength(4096)
  })

  test('is kept without secrets', () => {
    expect(classifyResponse(answer(500, {}, '{"access_token":"SECRETSECRET"} whsec_SECRET'), now).response).not.toContain('SECRET')
  })

  test('is kept without what a database or a terminal stumbles over', () => {
    const bytes = Buffer.from([0x41, 0x00, 0x1b, 0xff, 0xed, 0xa0, 0x80, 0x0a, 0x42])
    const { response } = classifyResponse(answer(500, {}, bytes), now)
    expect(response).toMatch(/^A\ufffd+\nB$/)
  })

  test('that came packed is not kept', () => {
    expect(classifyResponse(answer(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(1_000_000))), now).response).toBe('')
  })
})

test('a failure is told in our own fixed words', () => {
  const verdict = classifyFailure(new EgressError('timeout', new Error('to 10.0.0.1')))
  expect(verdict).toEqual({ result: 'failed', httpStatus: null, error: 'no complete answer in time', response: '', retryAfterMs: null })
})
