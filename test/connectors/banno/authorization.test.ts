import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { closedAfterEach, SECRET } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh, startLink } from '../../harness/redirect.ts'
import { openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)

describe('authorization at the bank', () => {
  it('requests read-only access with full scope addresses, PKCE, a nonce and the owner’s language', async () => {
    const harness = await newHarness()
    const url = new URL((await startLink(harness)).url)
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
    const harness = await newHarness()
    const { url } = await startLink(harness)
    const page = await request(url, { headers: { 'accept-language': language } })
    expect(await page.body.text()).toContain(heading)
  })

  it('identifies the user and returns tokens that expire', async () => {
    const grant = await connect(await newHarness())
    expect(grant.entity).toEqual({ id: '5b7c1f0e-6a51-4c7e-9d0a-2f6f3a9b1101', name: 'Maren O’Dell' })
    expect(grant.email).toBe('maren@prairierosebakery.example')
    expect(grant.credentials.expiresAt).toBe('2026-07-01T12:09:00.000Z')
  })

  it.each(['wrongNonce', 'wrongAudience', 'wrongPerson'])('accepts no identity with %s', async (fault) => {
    const harness = await newHarness()
    const given = await consent(harness)
    harness.simulator.fault(fault)
    expect((await failureOf(complete(harness, given))).kind).toBe('badData')
  })
})

describe('tokens', () => {
  it('are refreshed, and a refresh token that is not replaced is kept', async () => {
    const harness = await newHarness()
    const { credentials } = await connect(harness)
    const renewed = await refresh(harness, credentials)
    expect(renewed.secret).not.toEqual(credentials.secret)
    harness.simulator.fault('keepsRefreshToken')
    const again = await refresh(harness, renewed)
    expect(again.secret).toMatchObject({ refreshToken: (renewed.secret as { refreshToken: string }).refreshToken })
    expect((await refresh(harness, again)).expiresAt).not.toBeNull()
  })
})
