import { request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { bannoConnector } from '../../../src/connectors/banno/client.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import { CALLBACK, complete, connect, consent, type Harness, openHarness, redirectStep, refresh, SECRET } from './harness.ts'

const harnesses: Harness[] = []
afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((harness) => harness.close()))
})

async function open(): Promise<Harness> {
  const harness = await openHarness()
  harnesses.push(harness)
  return harness
}

async function failureOf(call: Promise<unknown>): Promise<SourceError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof SourceError) return error
  throw new Error('expected a SourceError', { cause: error })
}

describe('the way to the bank', () => {
  it('asks for reading only, by full addresses, with PKCE, a nonce and the owner’s language', async () => {
    const harness = await open()
    const start = { callbackUrl: CALLBACK, state: 'st', locale: 'fr-CA' as const, webhookUrl: '', companyId: 'c' }
    const url = new URL((await redirectStep().start(harness.kit, start)).url)
    expect(url.pathname).toBe('/a/consumer/api/v0/oidc/auth')
    expect(url.searchParams.get('scope')).toBe(
      'openid profile https://api.banno.com/consumer/auth/offline_access https://api.banno.com/consumer/auth/accounts.readonly https://api.banno.com/consumer/auth/transactions.detail.readonly',
    )
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    expect(url.searchParams.get('nonce')).toMatch(/^.{32}$/)
    expect(url.searchParams.get('ui_locales')).toBe('fr-CA')
    expect(url.href).not.toContain(SECRET)
  })

  it.each([
    ['fr-CA,fr;q=0.9', 'Partager vos comptes'],
    ['en-CA', 'Share your accounts'],
  ])('shows the bank’s page in %s', async (language, heading) => {
    const harness = await open()
    const start = { callbackUrl: CALLBACK, state: 'st', locale: 'en' as const, webhookUrl: '', companyId: 'c' }
    const { url } = await redirectStep().start(harness.kit, start)
    const page = await request(url, { headers: { 'accept-language': language } })
    expect(await page.body.text()).toContain(heading)
  })

  it('names the person and gives tokens that end', async () => {
    const grant = await connect(await open())
    expect(grant.entity).toEqual({ id: '5b7c1f0e-6a51-4c7e-9d0a-2f6f3a9b1101', name: 'Maren O’Dell' })
    expect(grant.email).toBe('maren@prairierosebakery.example')
    expect(grant.credentials.expiresAt).toBe('2026-07-01T12:09:00.000Z')
  })

  it.each(['wrongNonce', 'wrongAudience', 'wrongPerson'])('believes no identity with %s', async (fault) => {
    const harness = await open()
    const given = await consent(harness)
    harness.simulator.fault(fault)
    expect((await failureOf(complete(harness, given))).kind).toBe('badData')
  })

  it('takes a code once, and only with its own verifier', async () => {
    const harness = await open()
    const first = await consent(harness)
    const second = await consent(harness)
    expect((await failureOf(complete(harness, { ...first, memo: second.memo }))).kind).toBe('reconnect')
    await complete(harness, second)
    expect((await failureOf(complete(harness, second))).kind).toBe('reconnect')
  })

  it('tells who declined, and who sees no account', async () => {
    const harness = await open()
    expect((await failureOf(complete(harness, await consent(harness, 'maren', 'deny')))).kind).toBe('reconnect')
    await expect(complete(harness, await consent(harness, 'nobody'))).rejects.toBeInstanceOf(InputRefused)
  })
})

describe('tokens', () => {
  it('are renewed, and a refresh token that is not replaced stays', async () => {
    const harness = await open()
    const { credentials } = await connect(harness)
    const renewed = await refresh(harness, credentials)
    expect(renewed.secret).not.toEqual(credentials.secret)
    harness.simulator.fault('keepsRefreshToken')
    const again = await refresh(harness, renewed)
    expect(again.secret).toMatchObject({ refreshToken: (renewed.secret as { refreshToken: string }).refreshToken })
    expect((await refresh(harness, again)).expiresAt).not.toBeNull()
  })

  it('refused keys are the operator’s, and are not shown', async () => {
    const harness = await open()
    const { credentials } = await connect(harness)
    harness.simulator.fault('invalidClient')
    const failure = await failureOf(refresh(harness, credentials))
    expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
    expect(failure.message).not.toContain(SECRET)
  })

  it('are revoked at the bank when we leave, and leaving twice is no failure', async () => {
    const harness = await open()
    const { credentials } = await connect(harness)
    await bannoConnector.disconnect?.(harness.kit, credentials)
    expect((await failureOf(refresh(harness, credentials))).kind).toBe('reconnect')
    await expect(bannoConnector.disconnect?.(harness.kit, credentials)).resolves.toBeUndefined()
  })
})
