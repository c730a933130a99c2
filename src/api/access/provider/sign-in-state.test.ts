import { describe, expect, it } from 'vitest'
import { rotatableKeys } from '../../../../test/harness/keys.ts'
import { tokenHasher } from '../../../store/keys/token-hash.ts'
import { readState, type SignInState, signState, toReturnPath } from './sign-in-state.ts'

const BEGUN_AT_MS = Date.parse('2026-11-20T12:00:00Z')
const STATE: SignInState = {
  ...{ instanceId: 'instance', version: 'v1', state: 's', nonce: 'n', verifier: 'pkce', returnTo: '/portal/', isFresh: false },
  ...{ begunAtMs: BEGUN_AT_MS, replaces: [] },
}

describe('the state of a sign-in', () => {
  it('comes back as it was for ten minutes, and not from the future', async () => {
    const { keys, close } = await rotatableKeys()
    const hashes = tokenHasher(keys, '')
    const cookie = signState({ hashes }, STATE)
    const [text = '', signature = ''] = cookie.split('.')
    // Under a purpose of its own.
    expect(Buffer.from(signature, 'base64url')).toEqual(Buffer.from(hashes(`sign-in state\0${text}`)))
    const readAfter = (ms: number) => readState({ hashes, now: () => new Date(BEGUN_AT_MS + ms) }, cookie)
    await close()
    expect([-1, 0, 600_000, 600_001].map(readAfter)).toEqual([null, STATE, STATE, null])
  })

  it('counts with the key under which it was signed, after a rotation too', async () => {
    const { keys, rotate, close } = await rotatableKeys()
    const access = { hashes: tokenHasher(keys, ''), now: () => new Date(BEGUN_AT_MS) }
    const cookie = signState(access, STATE)
    await rotate('token-hash')
    expect([signState(access, STATE) === cookie, readState(access, cookie)]).toEqual([false, STATE])
    await close()
  })

  it('is none where the cookie is missing, changed, cut, too long, or signed for something else or by somebody else', async () => {
    const [own, other] = [await rotatableKeys(), await rotatableKeys()]
    const access = { hashes: tokenHasher(own.keys, ''), now: () => new Date(BEGUN_AT_MS) }
    const [text = '', signature = ''] = signState(access, STATE).split('.')
    const forged = Buffer.from(JSON.stringify({ ...STATE, returnTo: '/portal/x' })).toString('base64url')
    const foreign = signState({ hashes: tokenHasher(other.keys, '') }, STATE)
    const otherPurpose = Buffer.from(access.hashes(`refresh token\0${text}`)).toString('base64url')
    const cookies = [undefined, '', '.', text, `${text}.`, `.${signature}`, `${forged}.${signature}`, `${text}.${otherPurpose}`]
    const cut = [foreign, `${text}.${signature.slice(0, -4)}`, `${text}.${signature}AAAA`]
    expect([...cookies, ...cut].map((cookie) => readState(access, cookie))).toEqual([...cookies, ...cut].map(() => null))
    const ofLength = (length: number) => {
      const paddings = Array.from({ length: 40 }, (_value, at) =>
        '/'.repeat(Math.floor((length - text.length - signature.length) * 0.75) + at - 20),
      )
      return paddings.map((returnTo) => signState(access, { ...STATE, returnTo })).find((cookie) => cookie.length === length)
    }
    const [longest, tooLong] = [ofLength(3_500), ofLength(3_502)]
    expect([longest, tooLong].map((cookie) => [cookie?.length, readState(access, cookie) !== null])).toEqual([
      [3_500, true],
      [3_502, false],
    ])
    await own.close()
    await other.close()
  })
})

describe('the page to return to', () => {
  it.each(['/portal', '/portal/', '/portal/companies/7/x-y_z.html', '/portal/a?b=c&d=e%20f~:+,'])('%s is one', (path) => {
    expect(toReturnPath(path)).toBe(path)
  })

  it.each([
    undefined,
    '',
    'portal/',
    '/portalx',
    '//evil.example/portal/',
    'https://evil.example/portal/',
    'x/portal/a',
    '/portal/\\evil',
    '/portal/a\n/b',
    '/portal/a#b',
    '/admin/api/v1/auth/me',
  ])('%j is none: the first page of the portal is', (path) => {
    expect(toReturnPath(path)).toBe('/portal/')
  })

  it('has 1,000 characters at most', () => {
    const ofLength = (length: number) => `/portal/${'a'.repeat(length - '/portal/'.length)}`
    expect([toReturnPath(ofLength(1_000)), toReturnPath(ofLength(1_001))]).toEqual([ofLength(1_000), '/portal/'])
  })
})
