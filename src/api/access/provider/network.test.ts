import { afterEach, describe, expect, it } from 'vitest'
import { requireEncryption } from '../../../egress/allowed-hosts.ts'
import type { EgressRequest, EgressResponse } from '../../../egress/egress.ts'
import { fetchBy } from './network.ts'

afterEach(() => requireEncryption(false))

/** Calls a provider; the requests that left, and what came back. */
async function call(
  url: string,
  options: object,
  { allowPrivate = false, ...answered }: Partial<EgressResponse> & { allowPrivate?: boolean } = {},
) {
  const sent: EgressRequest[] = []
  const answer: EgressResponse = { status: 200, headers: { 'x-a': 'b' }, body: Buffer.from('{"é":1}'), truncated: false, ...answered }
  const request = async (given: EgressRequest) => {
    sent.push(given)
    return answer
  }
  const fetchThere = fetchBy({ egress: { request }, allowPrivate })
  const given = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' as const, ...options }
  const outcome = await fetchThere(url, given).catch((error: Error) => error.message)
  return { sent, outcome }
}

const HTTPS = 'https://login.example/token'
const LIMITS = { timeoutMs: 5_000, maxBytes: 262_144 }

describe('a call of an identity provider', () => {
  it.each([
    [
      'without a body',
      { method: 'GET', headers: { Accept: 'application/json' } },
      { method: 'GET', headers: { accept: 'application/json' } },
    ],
    ['with a body of null', { method: 'GET', body: null }, { method: 'GET', headers: {} }],
    ['with a form', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) }, { method: 'POST', headers: {}, body: 'a=b+c' }],
    ['with an empty text', { method: 'POST', body: '' }, { method: 'POST', headers: {}, body: '' }],
    ['by another method', { method: 'PUT' }, { method: 'GET', headers: {} }],
  ])('leaves with a deadline and a limit: %s', async (_what, options, request) => {
    expect((await call(HTTPS, options)).sent).toEqual([{ url: HTTPS, ...request, ...LIMITS }])
  })

  it.each([
    [200, '{"é":1}'],
    [401, '{"é":1}'],
    [204, ''],
    [205, ''],
    [304, ''],
  ])('has the status, headers and bytes of the answer: %i', async (status, text) => {
    const { outcome } = await call(HTTPS, {}, { status })
    if (typeof outcome === 'string') return expect.fail(outcome)
    expect([outcome.status, outcome.headers.get('x-a'), await outcome.text()]).toEqual([status, 'b', text])
  })

  it('fails where the answer is longer than the limit', async () => {
    expect((await call(HTTPS, {}, { truncated: true })).outcome).toBe('the answer is too large')
  })

  it.each([
    ['http://login.example/token', false, false, false],
    ['http://login.example/token', true, false, true],
    ['http://login.example/token', true, true, false],
    ['http://login.example/https://', false, false, false],
    [HTTPS, false, true, true],
    [HTTPS, true, true, true],
  ])('to %s, private networks allowed: %s, encryption required: %s — leaves: %s', async (url, allowPrivate, isRequired, leaves) => {
    requireEncryption(isRequired)
    const { sent, outcome } = await call(url, {}, { allowPrivate })
    expect([sent.length, typeof outcome === 'string' ? outcome : 'answered']).toEqual(
      leaves ? [1, 'answered'] : [0, 'the address could not be reached'],
    )
  })
})
