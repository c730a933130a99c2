import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openSignInHarness } from './harness.ts'
import type { Script } from './scripted-provider.ts'

const signIns = openForTests(openSignInHarness)

afterEach(async () => {
  await signIns.reset()
})

async function expectNothing(): Promise<void> {
  const { rows } = await signIns.api.deps.database.query(
    'select from users where email <> $1 union all select from provider_identities union all select from provider_sessions',
    ['admin@maple.example'],
  )
  expect(rows).toEqual([])
}

const HOUR = 3_600
const forged: [string, () => Partial<Script>, string][] = [
  ['for another client', () => ({ forgedClaims: { aud: 'another' } }), 'invalidAnswer'],
  [
    'for several clients, authorized for another',
    () => ({ forgedClaims: { aud: ['countinghouse', 'another'], azp: 'another' } }),
    'invalidAnswer',
  ],
  ['authorized for another client', () => ({ forgedClaims: { azp: 'another' } }), 'invalidAnswer'],
  ['of another issuer', () => ({ forgedClaims: { iss: 'https://evil.example' } }), 'invalidAnswer'],
  ['with another nonce', () => ({ forgedClaims: { nonce: 'of another sign-in' } }), 'invalidAnswer'],
  ['without a nonce', () => ({ forgedClaims: { nonce: undefined } }), 'invalidAnswer'],
  ['that has expired', () => ({ forgedClaims: { exp: signIns.provider.seconds - HOUR } }), 'invalidAnswer'],
  ['that is not valid yet', () => ({ forgedClaims: { nbf: signIns.provider.seconds + HOUR } }), 'invalidAnswer'],
  ['without a subject', () => ({ forgedClaims: { sub: undefined } }), 'invalidAnswer'],
  ['without a signature', () => ({ signature: 'no algorithm' }), 'invalidAnswer'],
  ['signed with the public key as a secret', () => ({ signature: 'HMAC with the public key' }), 'invalidAnswer'],
  ['signed with a key that is not published', () => ({ signature: 'unpublished key' }), 'invalidAnswer'],
]

const answers: [string, () => Partial<Script>, string][] = [
  ['another state', () => ({ forgedCallback: { state: 'of another sign-in' } }), 'invalidAnswer'],
  ['no state', () => ({ forgedCallback: { state: null } }), 'invalidAnswer'],
  ['another issuer', () => ({ forgedCallback: { iss: 'https://evil.example' } }), 'invalidAnswer'],
  ['no issuer, although the provider always names it', () => ({ forgedCallback: { iss: null } }), 'invalidAnswer'],
  ['a code that was not given', () => ({ forgedCallback: { code: randomUUID() } }), 'refused'],
  ['the person’s refusal', () => ({ forgedCallback: { code: null, error: 'access_denied' } }), 'refused'],
  ['nothing', () => ({ forgedCallback: { code: null } }), 'invalidAnswer'],
]

describe('an ID token', () => {
  it.each(forged)('%s signs nobody in', async (_name, script, code) => {
    await signIns.configure()
    Object.assign(signIns.provider.script, script())
    expect((await signIns.signIn()).failure).toBe(code)
    await expectNothing()
  })
})

describe('a callback', () => {
  it.each(answers)('with %s signs nobody in', async (_name, script, code) => {
    await signIns.configure()
    Object.assign(signIns.provider.script, script())
    expect((await signIns.signIn()).failure).toBe(code)
    await expectNothing()
  })

  it('counts only in the browser that began, for ten minutes, and once', async () => {
    await signIns.configure()
    const own = await signIns.begin()
    const other = await signIns.begin()
    const callback = signIns.provider.authorize(own.address)
    expect((await signIns.arrive(callback, '')).failure).toBe('expired')
    expect((await signIns.arrive(callback, other.cookie)).failure).toBe('invalidAnswer')
    const [name = '', value = ''] = own.cookie.split('=')
    const changed = Buffer.from(value.split('.')[0] ?? '', 'base64url')
      .toString()
      .replace('"isFresh":false', '"isFresh":true')
    expect((await signIns.arrive(callback, `${name}=${Buffer.from(changed).toString('base64url')}.${value.split('.')[1]}`)).failure).toBe(
      'expired',
    )
    expect((await signIns.arrive(callback, own.cookie)).failure).toBeNull()
    expect((await signIns.arrive(callback, own.cookie)).failure).toBe('refused')
    const late = await signIns.begin()
    signIns.api.moveClock(601_000)
    expect((await signIns.arrive(signIns.provider.authorize(late.address), late.cookie)).failure).toBe('expired')
  })

  it('at one instance is never shown to the provider of another, where the sign-in began', async () => {
    await signIns.configure()
    const { address, cookie } = await signIns.begin()
    const callback = signIns.provider.authorize(address)
    callback.pathname = `/sign-in/${await signIns.api.addInstance()}/callback`
    expect((await signIns.arrive(callback, cookie)).failure).toBe('expired')
    expect(signIns.provider.calls).not.toContain('/token')
    await expectNothing()
  })

  it('is refused when the settings were changed since the beginning', async () => {
    await signIns.configure()
    const { address, cookie } = await signIns.begin()
    await signIns.configure({ groupsClaim: 'groups' })
    expect((await signIns.arrive(signIns.provider.authorize(address), cookie)).failure).toBe('expired')
    await expectNothing()
  })
})

describe('a provider', () => {
  const failures: [string, Script['failure'], string][] = [
    ['that fails', 503, 'unavailable'],
    ['that is not there', 404, 'invalidAnswer'],
    ['whose answers have no end', 'huge', 'unavailable'],
  ]
  it.each(failures)('%s is told to the person', async (_name, failure, code) => {
    await signIns.configure()
    signIns.provider.script.failure = failure
    expect((await signIns.signIn()).failure).toBe(code)
    await expectNothing()
  })

  it('that does not answer is given up after five seconds', async () => {
    await signIns.configure()
    signIns.provider.script.failure = 'hang'
    const began = performance.now()
    expect((await signIns.signIn()).failure).toBe('unavailable')
    expect(performance.now() - began).toBeLessThan(12_000)
  })

  it('that describes another issuer is refused', async () => {
    await signIns.configure()
    signIns.provider.metadata = { issuer: 'https://evil.example' }
    expect((await signIns.signIn()).failure).toBe('invalidAnswer')
    signIns.provider.metadata = { issuer: `${signIns.provider.url}/` }
    expect((await signIns.signIn()).failure).toBe('misconfigured')
  })

  it('is not blamed for a secret that this deployment cannot open', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    await signIns.api.deps.database.query("update identity_providers set client_secret = 'no secret of ours'::bytea")
    expect((await signIns.app.inject({ url: `/sign-in/${signIns.instanceId}` })).statusCode).toBe(500)
    signIns.api.moveClock(240_000)
    expect((await signIns.refresh(arrival)).status).toBe(500)
  })

  it('may change its keys at any time', async () => {
    await signIns.configure()
    expect((await signIns.signIn()).failure).toBeNull()
    await signIns.provider.rotateKeys()
    expect((await signIns.signIn()).failure).toBeNull()
  })

  it('with another secret is reported as misconfigured', async () => {
    await signIns.configure({ clientSecret: 'wrong' })
    expect((await signIns.signIn()).failure).toBe('misconfigured')
    await expectNothing()
  })

  it('is found by nobody in an instance without one', async () => {
    expect((await signIns.signIn()).failure).toBe('notSet')
    const answer = await signIns.app.inject({ url: '/sign-in/not-an-id' })
    expect(answer.headers.location).toBe('/portal/#sign-in-failed=notSet')
  })
})
