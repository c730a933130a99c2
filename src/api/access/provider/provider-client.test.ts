import { describe, expect, it } from 'vitest'
import { EgressError } from '../../../egress/egress-error.ts'
import { SignInFault } from './faults.ts'
import { isRefusal, toFault } from './provider-client.ts'

const errorWith = (more: object, message = 'unexpected'): Error => Object.assign(new Error(message), more)
const named = (name: string): Error => errorWith({ name })
const answer = (status: number) => new Response(null, { status })

describe('what an error of the library means to a sign-in', () => {
  it.each<[string, unknown, string, string]>([
    ['no way to the provider', new EgressError('unreachable'), 'unavailable', 'the provider cannot be reached'],
    ['the same, below', errorWith({ cause: new EgressError('tooLarge') }), 'unavailable', 'the provider cannot be reached'],
    ['a deadline', named('TimeoutError'), 'unavailable', 'the provider cannot be reached'],
    ['the same, below', errorWith({ cause: named('TimeoutError') }), 'unavailable', 'the provider cannot be reached'],
    ['an abort', named('AbortError'), 'unavailable', 'the provider cannot be reached'],
    ['a fault of theirs', errorWith({ status: 500 }), 'unavailable', 'the provider answered 500'],
    ['the same, with a code of OAuth', errorWith({ status: 503, error: 'invalid_client' }), 'unavailable', 'the provider answered 503'],
    ['too many requests', errorWith({ response: answer(429) }), 'unavailable', 'the provider answered 429'],
    ['a bare answer below', errorWith({ cause: answer(502) }), 'unavailable', 'the provider answered 502'],
    ['the last status that is ours', errorWith({ status: 499 }), 'invalidAnswer', 'unexpected'],
    ['a status that is no number', errorWith({ status: '503' }), 'invalidAnswer', 'unexpected'],
    ...['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope', 'redirect_uri_mismatch'].map(
      (error): [string, unknown, string, string] => ['settings', errorWith({ error }), 'misconfigured', `the provider answered ${error}`],
    ),
    ['another code', errorWith({ error: 'access_denied', status: 400 }), 'refused', 'the provider answered access_denied'],
    ['the longest code', errorWith({ error: 'x'.repeat(60) }), 'refused', `the provider answered ${'x'.repeat(60)}`],
    ['a code that is too long', errorWith({ error: 'x'.repeat(61) }), 'invalidAnswer', 'unexpected'],
    ['a code with a sentence in it', errorWith({ error: 'see https://evil.example' }), 'invalidAnswer', 'unexpected'],
    ['a code that is no text', errorWith({ error: 7 }), 'invalidAnswer', 'unexpected'],
    ['a long message', new Error('m'.repeat(300)), 'invalidAnswer', 'm'.repeat(200)],
    ['anything else', 'a text', 'invalidAnswer', 'the provider gave no valid answer'],
  ])('%s', (_what, error, code, message) => {
    expect(toFault(error)).toMatchObject({ name: 'SignInFault', code, message })
  })

  it('is kept where it is known already, and names what lies below it', () => {
    const known = new SignInFault('taken', 'somebody else has this address')
    expect(toFault(known)).toBe(known)
    const below = new EgressError('unreachable')
    expect(toFault(below).cause).toBe(below)
  })
})

describe('a refresh token', () => {
  it.each<[boolean, string, unknown]>([
    [true, 'invalid_grant', errorWith({ error: 'invalid_grant', status: 400 })],
    [false, 'another code of OAuth', errorWith({ error: 'invalid_client', status: 400 })],
    [true, 'a bare 400', errorWith({ status: 400 })],
    [true, 'a bare 400 below', errorWith({ cause: answer(400) })],
    [true, 'a bare 400 as an answer', errorWith({ response: answer(400) })],
    [false, 'a bare 401', errorWith({ status: 401 })],
    [false, 'a bare 401 above a 400', errorWith({ status: 401, cause: answer(400) })],
    [false, 'a fault of the sign-in', new SignInFault('invalidAnswer', 'x', answer(400))],
    [false, 'no way to the provider', new EgressError('unreachable')],
    [false, 'no error at all', answer(400)],
  ])('is refused (%s): %s', (is, _what, error) => {
    expect(isRefusal(error)).toBe(is)
  })
})
