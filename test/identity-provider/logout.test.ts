import { afterEach, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openSignInHarness } from './harness.ts'

const signIns = openForTests(openSignInHarness)

afterEach(async () => {
  await signIns.reset()
})
const MINUTE = 60_000
const opens = async (token: string) => (await signIns.call('GET', '/auth/me', undefined, token)).status

describe('a back-channel logout', () => {
  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const claims = () => ({
    ...{ iss: signIns.provider.url, aud: 'countinghouse', iat: signIns.provider.seconds, exp: signIns.provider.seconds + 120 },
    ...{ jti: crypto.randomUUID(), sub: 'person-1', events: EVENT },
  })
  const post = async (token: string) =>
    await signIns.app.inject({
      method: 'POST',
      url: `/sign-in/${signIns.instanceId}/logout`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ logout_token: token }).toString(),
    })
  const typed = { typ: 'logout+jwt' }

  it('ends the sessions of a person within a second, once for each token', async () => {
    await signIns.configure()
    const { token } = await signIns.refresh(await signIns.signIn())
    const logout = await signIns.provider.sign(claims(), typed)
    const answer = await post(logout)
    expect([answer.statusCode, answer.headers['cache-control'], answer.payload]).toEqual([200, 'no-store', ''])
    signIns.api.moveClock(1_000)
    expect(await opens(token)).toBe(401)
    const next = await signIns.refresh(await signIns.signIn())
    expect((await post(logout)).statusCode).toBe(400)
    signIns.api.moveClock(1_000)
    expect(await opens(next.token)).toBe(200)
  })

  it.each(['logout+jwt', 'JWT', 'application/logout+jwt', undefined])('may be of the type %s', async (typ) => {
    await signIns.configure()
    expect((await post(await signIns.provider.sign(claims(), typ === undefined ? {} : { typ }))).statusCode).toBe(200)
  })

  it('is in the audit of each session that it ends, and its token is remembered for ten minutes', async () => {
    await signIns.configure()
    const { database } = signIns.api.deps
    await database.query('delete from logout_tokens')
    const ended = (await signIns.claimsOf((await signIns.refresh(await signIns.signIn())).token)) as { sid: string; sub: string }
    await post(await signIns.provider.sign(claims(), typed))
    expect((await signIns.audited()).at(-1)).toMatchObject({
      ...{ action: 'session.ended-by-provider', userId: ended.sub, subject: `session/${ended.sid}` },
      details: { reason: 'logout at the provider' },
    })
    const { rows } = await database.query<{ until: Date }>('select expires_at as until from logout_tokens')
    expect(rows).toEqual([{ until: new Date(signIns.api.deps.now().getTime() + 10 * MINUTE) }])
  })

  it('reads where the keys are once an hour, and again after new settings', async () => {
    const { calls } = signIns.provider
    const lookUps = async (): Promise<number> => {
      const before = calls.filter((path) => path.startsWith('/.well-known/')).length
      await post(await signIns.provider.sign(claims(), typed))
      return calls.filter((path) => path.startsWith('/.well-known/')).length - before
    }
    await signIns.configure()
    const counts = [await lookUps(), await lookUps()]
    signIns.api.moveClock(60 * MINUTE - 1)
    counts.push(await lookUps())
    signIns.api.moveClock(1)
    counts.push(await lookUps(), await lookUps())
    await signIns.adminAgain()
    await signIns.configure()
    counts.push(await lookUps())
    expect(counts).toEqual([1, 0, 0, 1, 0, 1])
  })

  it('ends one session of the provider by its id', async () => {
    await signIns.configure()
    const { script } = signIns.provider
    script.claims = { ...script.claims, sid: 'desk' }
    const desk = await signIns.refresh(await signIns.signIn())
    script.claims = { ...script.claims, sid: 'phone' }
    const phone = await signIns.refresh(await signIns.signIn())
    const { sub: _sub, ...rest } = claims()
    expect((await post(await signIns.provider.sign({ ...rest, sid: 'desk' }, typed))).statusCode).toBe(200)
    signIns.api.moveClock(1_000)
    expect([await opens(desk.token), await opens(phone.token)]).toEqual([401, 200])
  })

  it.each([
    ['for another client', { aud: 'another' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['with a nonce, as an ID token has', { nonce: 'n' }],
    ['without the event', { events: {} }],
    ['without an id', { jti: undefined }],
    ['about nobody', { sub: undefined }],
    ['that is old', { iat: 0, exp: 9_999_999_999 }],
    ['that has expired', { exp: 1 }],
  ])('%s ends nothing', async (_name, change) => {
    await signIns.configure()
    const { token } = await signIns.refresh(await signIns.signIn())
    const answer = await post(await signIns.provider.sign({ ...claims(), ...change }, typed))
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request'])
    signIns.api.moveClock(1_000)
    expect(await opens(token)).toBe(200)
  })

  it.each(['no algorithm', 'HMAC with the public key', 'unpublished key'] as const)('with %s ends nothing', async (signature) => {
    await signIns.configure()
    const { token } = await signIns.refresh(await signIns.signIn())
    expect((await post(await signIns.provider.sign(claims(), typed, signature))).statusCode).toBe(400)
    signIns.api.moveClock(1_000)
    expect(await opens(token)).toBe(200)
  })

  it('is asked for again while the keys cannot be fetched, and refused when it is none', async () => {
    await signIns.configure()
    await signIns.signIn()
    const logout = await signIns.provider.sign(claims(), typed)
    expect((await post('not a token')).statusCode).toBe(400)
    expect((await post('a'.repeat(20_000))).statusCode).toBe(400)
    await signIns.configure()
    signIns.provider.script.failure = 503
    expect((await post(logout)).statusCode).toBe(503)
    signIns.provider.script.failure = null
    // From here on it is known where the keys are; they are fetched for the first token that is one.
    expect((await post('not a token')).statusCode).toBe(400)
    signIns.provider.script.failure = 'huge'
    expect((await post(logout)).statusCode).toBe(503)
    signIns.provider.script.failure = null
    expect((await post(logout)).statusCode).toBe(200)
    expect((await post(await signIns.provider.sign(claims()))).statusCode, 'without a type').toBe(200)
    const unknown = await signIns.app.inject({
      method: 'POST',
      url: `/sign-in/${crypto.randomUUID()}/logout`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `logout_token=${logout}`,
    })
    expect(unknown.statusCode).toBe(400)
  })
})
