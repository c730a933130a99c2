import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { testKeys } from '../../../../test/harness/keys.ts'
import { requireEncryption } from '../../../egress/allowed-hosts.ts'
import type { EgressRequest } from '../../../egress/egress.ts'
import { EgressError } from '../../../egress/egress-error.ts'
import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import { createSealer } from '../../../store/keys/sealing.ts'
import { SignInFault } from './faults.ts'
import { isRefusal, openProvider, secretContext, toFault } from './provider-client.ts'

const ISSUER = 'https://login.example'
const CLIENT_ID = 'books & more'
const SECRET = 'secret: of “ours”'
/** The machine's clock, and that of the service, which is 100.6 seconds ahead. */
const [MACHINE_MS, SERVICE_MS] = [Date.parse('2026-11-20T12:00:00Z'), Date.parse('2026-11-20T12:01:40.600Z')]

const sealer = openForTests(async () => createSealer(await testKeys()))
const signing = openForTests(async () => ({ own: await generateKeyPair('ES256'), other: await generateKeyPair('ES256') }))

beforeEach(() => void vi.useFakeTimers({ now: MACHINE_MS, toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  requireEncryption(false)
})

interface Provider {
  issuer?: string
  allowPrivate?: boolean
  /** Replaces members of its description. */
  metadata?: Record<string, unknown>
  status?: number
  /** In answer to a refresh. */
  idToken?: string
  provider?: Partial<IdentityProvider>
}

/** Opens a provider behind an egress that notes what is sent. */
function prepare({ issuer = ISSUER, allowPrivate = false, metadata = {}, status = 200, idToken, provider = {} }: Provider) {
  const sent: EgressRequest[] = []
  const answerTo = async (url: string): Promise<object> => {
    if (url.endsWith('/keys')) return { keys: [{ ...(await exportJWK(signing.own.publicKey)), alg: 'ES256', use: 'sig' }] }
    if (url.endsWith('/token')) return { access_token: 'a', token_type: 'bearer', ...(idToken === undefined ? {} : { id_token: idToken }) }
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
    return { issuer, ...endpoints, id_token_signing_alg_values_supported: ['ES256'], ...metadata }
  }
  const request = async (given: EgressRequest) => {
    sent.push(given)
    const body = Buffer.from(JSON.stringify(await answerTo(given.url)))
    return { status, headers: { 'content-type': 'application/json' }, body, truncated: false }
  }
  const key = { instanceId: randomUUID(), id: randomUUID() }
  const settings: IdentityProvider = {
    ...{ ...key, issuer, clientId: CLIENT_ID, sealedSecret: sealer.seal(secretContext(key), Buffer.from(SECRET)) },
    ...{ scopes: ['openid'], parameters: {}, groupsClaim: null, emailDomains: [], trustsEmails: false, createsMembers: false },
    ...{ defaultRole: null, acceptedAcr: [], acceptedAmr: [], isRequired: false, triedAt: null, version: randomUUID() },
    ...{ updatedAt: new Date(0), ...provider },
  }
  const access = { sealer, now: () => new Date(SERVICE_MS), providers: { egress: { request }, allowPrivate } }
  return { sent, open: () => openProvider(access, settings) }
}

const outcomeOf = async (work: Promise<unknown>): Promise<string | null> =>
  await work.then(
    () => null,
    (error: Error & { code?: string }) => `${error.name} ${error.code}`,
  )
/** Refreshes at an opened provider, which sends its client and reads an ID token. */
async function refresh(provider: Provider) {
  const { sent, open } = prepare(provider)
  const { library, config } = await open()
  sent.length = 0
  const outcome = await outcomeOf(library.refreshTokenGrant(config, 'refresh'))
  return { sent, outcome }
}

describe('a provider that is opened', () => {
  it('is asked for its description once, over our egress', async () => {
    const { sent, open } = prepare({})
    const { config } = await open()
    expect(sent).toEqual([
      {
        ...{ method: 'GET', url: `${ISSUER}/.well-known/openid-configuration`, timeoutMs: 5_000, maxBytes: 262_144 },
        headers: expect.objectContaining({ accept: 'application/json' }),
      },
    ])
    expect([config.serverMetadata().token_endpoint, config.clientMetadata().client_id, config.timeout]).toEqual([
      ...[`${ISSUER}/token`, CLIENT_ID, 5],
    ])
  })

  it.each<[string, Provider, string]>([
    ['names another issuer', { metadata: { issuer: 'https://evil.example' } }, 'SignInFault invalidAnswer'],
    ['writes its issuer in another way', { metadata: { issuer: `${ISSUER}/` } }, 'SignInFault misconfigured'],
    ['fails', { status: 503 }, 'SignInFault unavailable'],
    ['is not there', { status: 404 }, 'SignInFault invalidAnswer'],
  ])('is refused when it %s', async (_what, provider, expected) => {
    expect(await outcomeOf(prepare(provider).open())).toBe(expected)
  })

  it('is not asked where its secret cannot be opened', async () => {
    const { sent, open } = prepare({ provider: { sealedSecret: Buffer.from('of somebody else') } })
    expect([await outcomeOf(open()), sent]).toEqual([expect.stringMatching(/^SealError/), []])
  })

  it('has a secret that is sealed for its place', () => {
    const place = { instanceId: 'an instance', table: 'identity_providers', rowId: 'a row', column: 'client_secret' }
    expect(secretContext({ instanceId: 'an instance', id: 'a row' })).toEqual(place)
  })

  it.each([
    [false, false, 'SignInFault invalidAnswer'],
    [true, true, 'SignInFault invalidAnswer'],
    [true, false, null],
  ])(
    'may use http where private networks are allowed (%s) and encryption is not required (%s)',
    async (allowPrivate, isRequired, expected) => {
      requireEncryption(isRequired)
      expect(await outcomeOf(prepare({ issuer: 'http://login.example', allowPrivate }).open())).toBe(expected)
      const { sent, outcome } = await refresh({ allowPrivate, metadata: { token_endpoint: 'http://login.example/token' } })
      expect([outcome, sent.length]).toEqual(expected === null ? [null, 1] : ['ClientError OAUTH_HTTP_REQUEST_FORBIDDEN', 0])
    },
  )
})

describe('our client, at a provider', () => {
  const basic = { authorization: `Basic ${Buffer.from('books+%26+more:secret%3A+of+%E2%80%9Cours%E2%80%9D').toString('base64')}` }
  const post = { client_id: CLIENT_ID, client_secret: SECRET }

  it.each<[string, string[] | undefined, boolean]>([
    ['nothing', undefined, true],
    ['the header', ['client_secret_basic'], true],
    ['both', ['client_secret_post', 'client_secret_basic'], true],
    ['the form', ['client_secret_post'], false],
    ['the form, and another', ['private_key_jwt', 'client_secret_post'], false],
    ['another', ['private_key_jwt'], true],
    ['an empty list', [], true],
  ])('that names %s (%j) proves itself in the header: %s', async (_what, methods, isBasic) => {
    const { sent, outcome } = await refresh({ metadata: { token_endpoint_auth_methods_supported: methods } })
    expect([outcome, sent.length]).toEqual([null, 1])
    const [{ headers = {}, body = '' } = {}] = sent
    const { client_id, client_secret } = Object.fromEntries(new URLSearchParams(String(body)))
    expect(isBasic ? { authorization: headers.authorization } : { client_id, client_secret }).toEqual(isBasic ? basic : post)
    expect([client_secret === undefined, headers.authorization === undefined]).toEqual([isBasic, !isBasic])
  })
})

describe('an ID token', () => {
  const NOW = Math.round(MACHINE_MS / 1_000) + 101
  const sign = async (claims: Record<string, unknown>, key: 'own' | 'other' = 'own') =>
    await new SignJWT({ iss: ISSUER, aud: CLIENT_ID, sub: 'person-1', iat: NOW, exp: NOW + 300, ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(signing[key].privateKey)

  it.each<[string, Record<string, unknown>, boolean]>([
    ['of now', {}, true],
    ['that has just ended, as far as a clock may be off', { exp: NOW - 59 }, true],
    ['that has ended', { exp: NOW - 60 }, false],
    ['that begins in a minute', { nbf: NOW + 60 }, true],
    ['that begins later', { nbf: NOW + 61 }, false],
    ['for another client', { aud: 'another' }, false],
    ['of another issuer', { iss: 'https://evil.example' }, false],
  ])('%s is taken by the clock of the service: %3$s', async (_what, claims, isTaken) => {
    const { outcome } = await refresh({ idToken: await sign(claims) })
    expect(outcome === null).toBe(isTaken)
  })

  it('has to be signed with a published key, which is read', async () => {
    const good = await refresh({ idToken: await sign({}) })
    expect([good.outcome, good.sent.map(({ url }) => url)]).toEqual([null, [`${ISSUER}/token`, `${ISSUER}/keys`]])
    expect((await refresh({ idToken: await sign({}, 'other') })).outcome).toMatch(/^ClientError/)
  })
})

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
