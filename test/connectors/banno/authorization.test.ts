import { request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { bannoConnector } from '../../../src/connectors/banno/client.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import { CALLBACK, complete, connect, consent, redirectStep, refresh, SECRET, type Stage, setStage } from './stage.ts'

const stages: Stage[] = []
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()))
})

async function open(): Promise<Stage> {
  const stage = await setStage()
  stages.push(stage)
  return stage
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
    const stage = await open()
    const start = { callbackUrl: CALLBACK, state: 'st', locale: 'fr-CA' as const, webhookUrl: '', companyId: 'c' }
    const url = new URL((await redirectStep().start(stage.kit, start)).url)
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
    const stage = await open()
    const start = { callbackUrl: CALLBACK, state: 'st', locale: 'en' as const, webhookUrl: '', companyId: 'c' }
    const { url } = await redirectStep().start(stage.kit, start)
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
    const stage = await open()
    const given = await consent(stage)
    stage.simulator.fault(fault)
    expect((await failureOf(complete(stage, given))).kind).toBe('badData')
  })

  it('takes a code once, and only with its own verifier', async () => {
    const stage = await open()
    const first = await consent(stage)
    const second = await consent(stage)
    expect((await failureOf(complete(stage, { ...first, memo: second.memo }))).kind).toBe('reconnect')
    await complete(stage, second)
    expect((await failureOf(complete(stage, second))).kind).toBe('reconnect')
  })

  it('tells who declined, and who sees no account', async () => {
    const stage = await open()
    expect((await failureOf(complete(stage, await consent(stage, 'maren', 'deny')))).kind).toBe('reconnect')
    await expect(complete(stage, await consent(stage, 'nobody'))).rejects.toBeInstanceOf(InputRefused)
  })
})

describe('tokens', () => {
  it('are renewed, and a refresh token that is not replaced stays', async () => {
    const stage = await open()
    const { credentials } = await connect(stage)
    const renewed = await refresh(stage, credentials)
    expect(renewed.secret).not.toEqual(credentials.secret)
    stage.simulator.fault('keepsRefreshToken')
    const again = await refresh(stage, renewed)
    expect(again.secret).toMatchObject({ refreshToken: (renewed.secret as { refreshToken: string }).refreshToken })
    expect((await refresh(stage, again)).expiresAt).not.toBeNull()
  })

  it('refused keys are the operator’s, and are not shown', async () => {
    const stage = await open()
    const { credentials } = await connect(stage)
    stage.simulator.fault('invalidClient')
    const failure = await failureOf(refresh(stage, credentials))
    expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
    expect(failure.message).not.toContain(SECRET)
  })

  it('are revoked at the bank when we leave, and leaving twice is no failure', async () => {
    const stage = await open()
    const { credentials } = await connect(stage)
    await bannoConnector.disconnect?.(stage.kit, credentials)
    expect((await failureOf(refresh(stage, credentials))).kind).toBe('reconnect')
    await expect(bannoConnector.disconnect?.(stage.kit, credentials)).resolves.toBeUndefined()
  })
})
