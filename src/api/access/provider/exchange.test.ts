import * as library from 'openid-client'
import { describe, expect, it, vi } from 'vitest'
import { exchange, readClaims } from './exchange.ts'
import type { OpenProvider } from './provider-client.ts'
import type { SignInState } from './sign-in-state.ts'

const CALLBACK = new URL('https://data.example.com/sign-in/one/callback?code=c')
const BEGUN: SignInState = {
  instanceId: 'one',
  version: 'v',
  state: 'the state',
  nonce: 'the nonce',
  verifier: 'the verifier',
  returnTo: '/',
  isFresh: false,
  begunAtMs: 0,
  replaces: [],
}
const PROVIDER = { clientId: 'us', groupsClaim: null }

interface Answers {
  grant?: OpenProvider['library']['authorizationCodeGrant']
  /** Answers the user info endpoint; null: the provider has none. */
  userInfo?: ((token: string | null) => Response) | null
}
function open({ grant, userInfo = () => new Response(null, { status: 500 }) }: Answers): OpenProvider {
  const server = { issuer: 'https://id.example.com', ...(userInfo ? { userinfo_endpoint: 'https://id.example.com/me' } : {}) }
  const config = new library.Configuration(server, PROVIDER.clientId)
  config[library.customFetch] = async (_url, { headers }) =>
    userInfo?.(new Headers(headers).get('authorization')) ?? new Response(null, { status: 404 })
  return { library: { ...library, ...(grant ? { authorizationCodeGrant: grant } : {}) }, config }
}
const tokensOf = (claims: object | undefined) => ({
  access_token: 'an access token',
  claims: () => claims && { iss: 'https://id.example.com', aud: 'us', iat: 0, exp: 0, sub: 'anne', ...claims },
})
const ID_TOKEN = { iss: 'https://id.example.com', aud: 'us', iat: 0, exp: 0 }

describe('the exchange of a code', () => {
  it.each([
    ['no more', false, {}],
    ['a recent proof, where one is asked for', true, { maxAge: 120 }],
  ])('checks state, nonce, PKCE verifier and ID token, and %s', async (_more, isFresh, more) => {
    const grant = vi.fn<NonNullable<Answers['grant']>>(() => Promise.reject(new Error('unexpected state')))
    const provider = open({ grant })
    await expect(exchange(provider, { ...BEGUN, isFresh }, CALLBACK)).rejects.toMatchObject({
      name: 'SignInFault',
      code: 'invalidAnswer',
      message: 'unexpected state',
    })
    expect(grant.mock.calls).toEqual([
      [
        provider.config,
        CALLBACK,
        { pkceCodeVerifier: 'the verifier', expectedState: 'the state', expectedNonce: 'the nonce', idTokenExpected: true, ...more },
      ],
    ])
  })
})

describe('the claims of a sign-in', () => {
  it.each<[string, object, { groupsClaim?: string | null; hasUserInfo?: boolean }]>([
    ['an address', { email: 'anne@example.com' }, {}],
    ['an address and the groups', { email: 'anne@example.com', groups: [] }, { groupsClaim: 'groups' }],
    ['no address, where the provider has no user info', {}, { hasUserInfo: false }],
    ['itself as the party that it is for', { email: 'anne@example.com', azp: 'us' }, {}],
  ])('are those of the ID token alone with %s', async (_what, claims, { groupsClaim = null, hasUserInfo = true }) => {
    const read = await readClaims(open(hasUserInfo ? {} : { userInfo: null }), { ...PROVIDER, groupsClaim }, tokensOf(claims))
    expect(read).toEqual({ ...ID_TOKEN, sub: 'anne', ...claims })
  })

  const info = { sub: 'anne', email: 'info@example.com', email_verified: true, name: 'Anne at the user info', phone: '1' }
  it.each<[string, object, string | null, object]>([
    ['the address is missing', { name: 'Anne' }, null, { name: 'Anne', phone: '1', email: 'info@example.com', email_verified: true }],
    [
      'the groups are missing: the token’s address is not verified by what the user info says of another',
      { email: 'anne@example.com' },
      'groups',
      { email: 'anne@example.com', email_verified: undefined, name: info.name, phone: '1' },
    ],
    [
      'the groups are missing: of the same address it is',
      { email: 'info@example.com' },
      'groups',
      { email: 'info@example.com', email_verified: true, name: info.name, phone: '1' },
    ],
    [
      'the groups are missing, and the token says that its address is not verified',
      { email: 'info@example.com', email_verified: false },
      'groups',
      { email: 'info@example.com', email_verified: false, name: info.name, phone: '1' },
    ],
    [
      'the address is missing, of which the token speaks all the same',
      { email_verified: false },
      null,
      { email: 'info@example.com', email_verified: true, name: info.name, phone: '1' },
    ],
  ])('are completed by the user info where %s', async (_where, claims, groupsClaim, expected) => {
    const userInfo = vi.fn((_token: string | null) => Response.json(info))
    const read = await readClaims(open({ userInfo }), { ...PROVIDER, groupsClaim }, tokensOf(claims))
    expect(read).toEqual({ ...ID_TOKEN, sub: 'anne', ...expected })
    expect(userInfo.mock.calls).toEqual([['Bearer an access token']])
  })

  it('without an ID token are of the person that signed in before', async () => {
    const provider = open({ userInfo: () => Response.json({ sub: 'anne', email: 'anne@example.com' }) })
    expect(await readClaims(provider, PROVIDER, tokensOf(undefined), 'anne')).toEqual({
      sub: 'anne',
      email: 'anne@example.com',
      email_verified: undefined,
    })
    await expect(readClaims(provider, PROVIDER, tokensOf(undefined))).rejects.toMatchObject({
      code: 'invalidAnswer',
      message: 'there is no ID token',
    })
  })

  it('are refused with the ID token of another client, the user info of another person, and one that cannot be read', async () => {
    await expect(readClaims(open({}), PROVIDER, tokensOf({ email: 'anne@example.com', azp: 'another' }))).rejects.toMatchObject({
      code: 'invalidAnswer',
      message: 'azp is another client',
    })
    const another = open({ userInfo: () => Response.json({ sub: 'zoe', email: 'zoe@example.com' }) })
    await expect(readClaims(another, PROVIDER, tokensOf({}))).rejects.toMatchObject({ name: 'SignInFault', code: 'invalidAnswer' })
    const failing = open({ userInfo: () => new Response(null, { status: 503 }) })
    await expect(readClaims(failing, PROVIDER, tokensOf({}))).rejects.toMatchObject({
      name: 'SignInFault',
      code: 'unavailable',
      message: 'the provider answered 503',
    })
  })
})
