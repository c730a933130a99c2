import { afterEach, describe, expect, it } from 'vitest'
import { sealTokens } from '../../src/api/access/provider/session-tokens.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type Arrival, openSignInHarness, settingsFor } from './harness.ts'

const signIns = openForTests(openSignInHarness)

afterEach(async () => {
  await signIns.reset()
})
const MINUTE = 60_000

/** Status of a refresh while the database refuses what a constraint forbids. */
async function whileRefused(constraint: string, arrival: Arrival): Promise<number> {
  const { database } = signIns.api.deps
  await database.query(`alter table ${constraint} not valid`)
  try {
    return (await signIns.refresh(arrival)).status
  } finally {
    await database.query(`alter table ${constraint.split(' ')[0]} drop constraint refused`)
  }
}

const opens = async (token: string) => (await signIns.call('GET', '/auth/me', undefined, token)).status

describe('a session of the provider', () => {
  it('ends within five minutes of its end there', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.api.moveClock(2 * MINUTE)
    const { token } = await signIns.refresh(arrival)
    signIns.provider.script.isAlive = false
    signIns.api.moveClock(3 * MINUTE - 1_000)
    expect(await opens(token)).toBe(200)
    signIns.api.moveClock(2_000)
    expect(await opens(token)).toBe(401)
    expect((await signIns.refresh(arrival)).status).toBe(401)
    expect((await signIns.audited()).at(-1)).toMatchObject({
      action: 'session.ended-by-provider',
      details: { reason: 'ended at the provider' },
    })
  })

  it('goes on while it goes on there, and is asked about every four minutes at most', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.calls.length = 0
    for (let minute = 1; minute <= 60; minute += 1) {
      signIns.api.moveClock(MINUTE)
      expect((await signIns.refresh(arrival)).status).toBe(200)
    }
    expect(signIns.provider.calls.filter((path) => path === '/token')).toHaveLength(15)
  })

  it('is checked once when many ask at the same time, in two processes', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.calls.length = 0
    signIns.api.moveClock(6 * MINUTE)
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIns.refresh({ ...arrival })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(signIns.provider.calls.filter((path) => path === '/token')).toHaveLength(1)
  })

  it('goes on for half an hour while the provider is away, then it ends', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.script.failure = 503
    for (let minute = 5; minute < 30; minute += 5) {
      signIns.api.moveClock(5 * MINUTE)
      const { status, token } = await signIns.refresh(arrival)
      expect([minute, status, await opens(token)]).toEqual([minute, 200, 200])
    }
    signIns.api.moveClock(4 * MINUTE)
    const { token } = await signIns.refresh(arrival)
    signIns.api.moveClock(MINUTE + 1_000)
    expect(await opens(token)).toBe(401)
    expect((await signIns.refresh(arrival)).status).toBe(401)
    signIns.provider.script.failure = null
    expect((await signIns.refresh(arrival)).status).toBe(401)
  })

  it.each([
    [-1, 200],
    [0, 401],
  ])('whose provider is away at its first check %s ms from half an hour gets %s', async (ms, expected) => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.script.failure = 503
    signIns.api.moveClock(30 * MINUTE + ms)
    expect((await signIns.refresh(arrival)).status).toBe(expected)
  })

  it('is asked about again a minute after a check for which the provider was away, and ends with the reason', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.script.failure = 503
    const callsAfter = async (ms: number): Promise<number> => {
      const before = signIns.provider.calls.length
      signIns.api.moveClock(ms)
      await signIns.refresh(arrival)
      return signIns.provider.calls.length - before
    }
    expect([await callsAfter(4 * MINUTE), await callsAfter(0), await callsAfter(MINUTE - 1), await callsAfter(1)]).toEqual([1, 0, 0, 1])
    await callsAfter(25 * MINUTE)
    expect((await signIns.audited()).at(-1)).toMatchObject({
      action: 'session.ended-by-provider',
      details: { reason: 'provider unavailable' },
    })
  })

  it('ends when the person’s groups give no role any more', async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: null })
    await signIns.call('PUT', '/group-roles', { groupRoles: [{ group: 'staff', role: 'developer' }] })
    const { script } = signIns.provider
    script.claims = { ...script.claims, groups: ['staff'] }
    const arrival = await signIns.signIn()
    signIns.api.moveClock(5 * MINUTE)
    expect((await signIns.refresh(arrival)).status, 'a refresh may tell nothing about groups').toBe(200)
    script.refreshedClaims = { groups: [] }
    signIns.api.moveClock(5 * MINUTE)
    expect((await signIns.refresh(arrival)).status).toBe(401)
    expect((await signIns.audited()).at(-1)).toMatchObject({ action: 'session.ended-by-provider', details: { reason: 'noRole' } })
  })

  it('goes on when the provider comes back within the grace', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.script.failure = 503
    signIns.api.moveClock(20 * MINUTE)
    expect((await signIns.refresh(arrival)).status).toBe(200)
    signIns.provider.script.failure = null
    signIns.api.moveClock(2 * MINUTE)
    expect((await signIns.refresh(arrival)).status).toBe(200)
    signIns.api.moveClock(29 * MINUTE)
    expect((await signIns.refresh(arrival)).status).toBe(200)
  })

  it('goes on after a check whose outcome could not be stored, and its role follows at the next', async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: 'viewer' })
    await signIns.call('PUT', '/group-roles', { groupRoles: [{ group: 'staff', role: 'developer' }] })
    signIns.provider.script.refreshedClaims = { groups: ['staff'] }
    const arrival = await signIns.signIn()
    signIns.api.moveClock(5 * MINUTE)
    const statuses = [await whileRefused("users add constraint refused check (role <> 'developer')", arrival)]
    statuses.push((await signIns.refresh(arrival)).status)
    signIns.api.moveClock(4 * MINUTE)
    const { status, token } = await signIns.refresh(arrival)
    expect([...statuses, status, signIns.claimsOf(token).role]).toEqual([500, 200, 200, 'developer'])
  })

  it('can be checked again at once after a check that failed by our own fault', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.api.moveClock(5 * MINUTE)
    signIns.provider.script.isAlive = false
    const failed = await whileRefused('sessions add constraint refused check (ended_at is null)', arrival)
    expect([failed, (await signIns.refresh(arrival)).status]).toEqual([500, 401])
    expect((await signIns.audited()).at(-1)).toMatchObject({ details: { reason: 'ended at the provider' } })
  })

  it('lasts five minutes when the provider can neither be asked nor tells', async () => {
    await signIns.configure()
    signIns.provider.script.givesRefreshToken = false
    const arrival = await signIns.signIn()
    signIns.api.moveClock(4 * MINUTE)
    const { token } = await signIns.refresh(arrival)
    expect(await opens(token)).toBe(200)
    signIns.api.moveClock(MINUTE)
    expect([await opens(token), (await signIns.refresh(arrival)).status]).toEqual([401, 401])
    signIns.provider.metadata = { backchannel_logout_supported: true }
    const told = await signIns.signIn()
    signIns.api.moveClock(60 * MINUTE)
    expect((await signIns.refresh(told)).status).toBe(200)
  })

  it('ends when a refresh is about another person, and when the provider is removed', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    signIns.provider.script.refreshedClaims = { sub: 'somebody-else' }
    signIns.api.moveClock(5 * MINUTE)
    expect((await signIns.refresh(arrival)).status).toBe(401)
    signIns.provider.script.refreshedClaims = null
    const next = await signIns.signIn()
    const token = (await signIns.adminAgain()).token
    expect((await signIns.call('DELETE', '/identity-provider', undefined, token)).status).toBe(204)
    signIns.api.moveClock(5 * MINUTE)
    expect((await signIns.refresh(next)).status).toBe(401)
  })

  it.each(['is removed', 'is replaced by another'])(
    'that has no refresh token ends within five minutes when the provider %s',
    async (what) => {
      await signIns.configure()
      signIns.provider.script.givesRefreshToken = false
      signIns.provider.metadata = { backchannel_logout_supported: true }
      const arrival = await signIns.signIn()
      const { token } = await signIns.refresh(arrival)
      const admin = (await signIns.adminAgain()).token
      const { status } = what.startsWith('is removed')
        ? await signIns.call('DELETE', '/identity-provider', undefined, admin)
        : await signIns.call('PUT', '/identity-provider', settingsFor('http://127.0.0.1:9'), admin)
      expect(status).toBeLessThan(300)
      expect((await signIns.refresh(arrival)).status).toBe(401)
      expect((await signIns.audited()).at(-1)).toMatchObject({
        action: 'session.ended-by-provider',
        details: { reason: 'provider changed' },
      })
      signIns.api.moveClock(5 * MINUTE)
      expect(await opens(token)).toBe(401)
    },
  )

  it('keeps its tokens sealed, and loses them when it has ended', async () => {
    await signIns.configure()
    const arrival = await signIns.signIn()
    const tokensOf = async () =>
      (await signIns.api.deps.database.query<{ tokens: Buffer }>('select tokens from provider_sessions')).rows.map(({ tokens }) =>
        String(tokens),
      )
    expect(await tokensOf()).toHaveLength(1)
    expect((await tokensOf())[0]).not.toContain('refreshToken')
    const { token } = await signIns.refresh(arrival)
    await signIns.call('POST', '/auth/logout', {}, token)
    const { pruneAccess } = await import('../../src/api/access/housekeeping.ts')
    await pruneAccess(signIns.api.deps.database, signIns.api.deps.now(), null)
    expect(await tokensOf()).toEqual([])
  })

  it('is logged out there, too, where the provider has a page for it', async () => {
    await signIns.configure()
    const without = await signIns.refresh(await signIns.signIn())
    expect((await signIns.call('POST', '/auth/logout', {}, without.token)).status).toBe(204)
    signIns.provider.metadata = { end_session_endpoint: `${signIns.provider.url}/logout` }
    const { token } = await signIns.refresh(await signIns.signIn())
    const answer = await signIns.call('POST', '/auth/logout', {}, token)
    const address = new URL(String(answer.body.address))
    expect(address.origin + address.pathname).toBe(`${signIns.provider.url}/logout`)
    expect(address.searchParams.get('post_logout_redirect_uri')).toBe('http://127.0.0.1:8080/portal/')
    expect(address.searchParams.get('id_token_hint')).toContain('.')
    const down = await signIns.refresh(await signIns.signIn())
    signIns.provider.script.failure = 503
    expect((await signIns.call('POST', '/auth/logout', {}, down.token)).status).toBe(204)
  })

  it.each([
    [4_000, 4_000],
    [4_001, null],
  ])('with an ID token of %s characters is logged out there with a hint of %s', async (length, expected) => {
    await signIns.configure()
    const { database, sealer } = signIns.api.deps
    signIns.provider.metadata = { end_session_endpoint: `${signIns.provider.url}/logout` }
    const { token } = await signIns.refresh(await signIns.signIn())
    const sessionId = String(signIns.claimsOf(token).sid)
    const sealed = sealTokens(
      { sealer },
      { instanceId: signIns.instanceId, sessionId },
      { refreshToken: null, idToken: 'a'.repeat(length) },
    )
    await database.query('update provider_sessions set tokens = $1 where session_id = $2', [sealed, sessionId])
    const answer = await signIns.call('POST', '/auth/logout', {}, token)
    expect(new URL(String(answer.body.address)).searchParams.get('id_token_hint')?.length ?? null).toBe(expected)
  })

  it('is not logged out at a provider that has been replaced', async () => {
    await signIns.configure()
    signIns.provider.metadata = { end_session_endpoint: `${signIns.provider.url}/logout` }
    const { token } = await signIns.refresh(await signIns.signIn())
    await signIns.api.deps.database.query("update provider_sessions set issuer = 'https://former.example'")
    expect((await signIns.call('POST', '/auth/logout', {}, token)).status).toBe(204)
  })
})
