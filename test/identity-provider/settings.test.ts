import { Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { lockIdentityProvider } from '../../src/store/access/identity-providers.ts'
import { findLoginUser, findPasswordHash } from '../../src/store/access/users.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { tokenOf } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { until } from '../process/deadline.ts'
import { openSignInHarness, settingsFor } from './harness.ts'

const signIns = openForTests(openSignInHarness)

afterEach(async () => {
  await signIns.reset()
})
const ADMIN = 'admin@maple.example'

/** The admin signs in with the provider, which is a try. */
async function signInAsAdmin(): Promise<string> {
  const { script } = signIns.provider
  script.claims = { sub: 'boss', email: ADMIN, email_verified: true }
  return (await signIns.refresh(await signIns.signIn())).token
}

async function requireProvider(settings: Record<string, unknown> = {}): Promise<string> {
  await signIns.configure(settings)
  const token = await signInAsAdmin()
  const { clientSecret: _secret, ...kept } = { ...settingsFor(signIns.provider.url), ...settings }
  expect(await signIns.call('PUT', '/identity-provider', { ...kept, isRequired: true }, token)).toMatchObject({ status: 200 })
  return token
}

async function adminId(): Promise<string> {
  return (await findLoginUser(signIns.api.deps.database, ADMIN))?.id ?? ''
}

const logIn = async (email = ADMIN) =>
  await signIns.app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password: PASSWORD } })

describe('the settings', () => {
  it('never give the secret back', async () => {
    const saved = await signIns.configure()
    const read = await signIns.call('GET', '/identity-provider')
    expect(read.body.provider).toEqual(saved.body)
    expect(JSON.stringify([saved, read, await signIns.audited()])).not.toContain('client-secret-canary')
    const { rows } = await signIns.api.deps.database.query('select client_secret::text from identity_providers')
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('client-secret-canary').toString('hex'))
  })

  it('are refused where they cannot be used, and stay as they are', async () => {
    await signIns.configure()
    const before = await signIns.call('GET', '/identity-provider')
    const bad: [Record<string, unknown>, string][] = [
      [{ issuer: 'not an address' }, 'issuer'],
      [{ issuer: 'ftp://login.maple.example' }, 'issuer'],
      [{ issuer: 'https://user:pass@login.maple.example' }, 'issuer'],
      [{ issuer: 'https://login.maple.example/?a=b' }, 'issuer'],
      [{ issuer: 'https://login.maple.example', clientSecret: undefined }, 'clientSecret'],
      [{ clientId: 'another', clientSecret: undefined }, 'clientSecret'],
      [{ parameters: { redirect_uri: 'https://evil.example' } }, 'parameters.redirect_uri'],
      [{ parameters: { 'a b': 'c' } }, 'parameters'],
      [{ scopes: ['email'] }, 'scopes'],
      [{ emailDomains: ['not a domain'] }, 'emailDomains.0'],
      [{ defaultRole: 'owner' }, 'defaultRole'],
    ]
    for (const [change, field] of bad) {
      const { status, body } = await signIns.configure(change)
      expect([status, (body.errors as { field: string }[])[0]?.field]).toEqual([400, field])
    }
    expect(await signIns.call('GET', '/identity-provider')).toEqual(before)
  })

  it('are in the audit, which says when the secret is new, and nothing of it', async () => {
    await signIns.configure()
    await signIns.configure({ clientSecret: undefined, defaultRole: 'developer' })
    const saved = (await signIns.audited()).filter(({ action }) => action === 'identity-provider.saved').slice(-2)
    const names = saved.map((entry) => JSON.stringify('withheld' in entry ? entry.withheld : []))
    expect(names.map((text) => text.includes('clientSecret'))).toEqual([true, false])
    expect(JSON.stringify(saved)).not.toContain('canary')
  })

  it('hold no parameter that the sign-in itself sets, and any other', async () => {
    const own = [
      ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'code_challenge', 'request', 'prompt'],
      ...['code_challenge_method', 'request_uri', 'max_age', 'acr_values', 'id_token_hint', 'login_hint'],
    ]
    for (const name of own) {
      const { status, body } = await signIns.configure({ parameters: { [name]: 'x' } })
      expect([name, status, (body.errors as { field: string }[])[0]?.field]).toEqual([name, 400, `parameters.${name}`])
      for (const other of [`x_${name}`, `${name}_x`])
        expect([other, (await signIns.configure({ parameters: { [other]: 'x' } })).status]).toEqual([other, 200])
    }
  })

  it('name an https issuer on the public internet in production', async () => {
    const providers = { ...signIns.api.deps.providers, allowPrivate: false }
    const app = createApi({ ...signIns.api.deps, metrics: new Registry(), providers })
    const token = await tokenOf(app, ADMIN)
    for (const issuer of [
      'http://login.maple.example',
      'https://127.0.0.1',
      'https://10.0.0.8',
      'https://login.internal',
      'https://login.maple.example:8443',
    ])
      expect(
        (
          await app.inject({
            method: 'PUT',
            url: '/admin/api/v1/identity-provider',
            headers: { authorization: `Bearer ${token}` },
            payload: { ...settingsFor(issuer) },
          })
        ).statusCode,
        issuer,
      ).toBe(400)
    await app.close()
  })

  it('are read and changed by admins only', async () => {
    const developer = await signIns.api.addUser({ role: 'developer', email: 'dev@maple.example' })
    const token = await tokenOf(signIns.app, developer.email)
    for (const [method, url] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/check'],
    ] as const)
      expect(
        (await signIns.call(method, `/identity-provider${url}`, method === 'GET' ? undefined : settingsFor('https://a.example'), token))
          .status,
      ).toBe(403)
  })

  it('tell what the provider offers', async () => {
    expect((await signIns.call('POST', '/identity-provider/check', {})).status).toBe(409)
    await signIns.configure()
    signIns.provider.metadata = { backchannel_logout_supported: true }
    const report = { fault: null, givesRefreshTokens: true, announcesLogouts: true, hasLogoutPage: false }
    expect((await signIns.call('POST', '/identity-provider/check', {})).body).toEqual(report)
    signIns.provider.script.failure = 503
    expect((await signIns.call('POST', '/identity-provider/check', {})).body).toMatchObject({ fault: 'unavailable' })
  })

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])('tell that a provider without %s cannot be used', async (name) => {
    await signIns.configure()
    signIns.provider.metadata = { [name]: undefined, grant_types_supported: undefined, end_session_endpoint: `${signIns.provider.url}/out` }
    expect((await signIns.call('POST', '/identity-provider/check', {})).body).toEqual({
      ...{ fault: 'invalidAnswer', givesRefreshTokens: false, announcesLogouts: false, hasLogoutPage: true },
    })
  })
})

describe('a required provider', () => {
  it('needs a sign-in of an administrator with these very settings first', async () => {
    expect((await signIns.configure({ isRequired: true })).status).toBe(409)
    await signIns.configure()
    await signIns.signIn()
    const { clientSecret: _secret, ...kept } = settingsFor(signIns.provider.url)
    expect((await signIns.call('PUT', '/identity-provider', { ...kept, isRequired: true })).status).toBe(409)
    await signInAsAdmin()
    expect((await signIns.call('PUT', '/identity-provider', { ...kept, groupsClaim: 'g', isRequired: true })).status).toBe(409)
    expect((await signIns.configure({ isRequired: true })).status).toBe(409)
    expect((await signIns.call('PUT', '/identity-provider', { ...kept, isRequired: true })).status).toBe(200)
    await signIns.adminAgain()
  })

  it('lets no password work: login, reset, change, invitation, link, open sessions', async () => {
    const outside = await signIns.adminAgain()
    const token = await requireProvider()
    const answer = await logIn()
    expect([answer.statusCode, answer.json().detail]).toEqual([
      403,
      'Members of this instance sign in with its identity provider: passwords do not work.',
    ])
    const wrong = await signIns.app.inject({
      method: 'POST',
      url: '/admin/api/v1/auth/login',
      payload: { email: ADMIN, password: 'wrong' },
    })
    expect(wrong.json()).toMatchObject({ status: 403, detail: answer.json().detail })
    const passwords = { password: PASSWORD, newPassword: 'violet-harbour-teapot-92' }
    expect((await signIns.call('POST', '/auth/password', passwords, token)).status).toBe(403)
    signIns.api.moveClock(1_000)
    expect((await signIns.call('GET', '/auth/me', undefined, outside.token)).status).toBe(401)
    const refreshed = await signIns.app.inject({
      method: 'POST',
      url: '/admin/api/v1/auth/refresh',
      payload: { refreshToken: outside.refreshToken },
    })
    expect(refreshed.statusCode).toBe(401)
    const invited = { email: 'new@maple.example', name: 'New', role: 'viewer' }
    expect((await signIns.call('POST', '/users', invited, token)).status).toBe(403)
    await signIns.adminAgain()
  })

  it('leaves no password of a member: none works once it is lifted, and all can be set again', async () => {
    const { database } = signIns.api.deps
    const before = await findPasswordHash(database, signIns.instanceId, await adminId())
    await requireProvider()
    await database.query('update identity_providers set is_required = false')
    expect((await logIn()).statusCode).toBe(401)
    expect(await findPasswordHash(database, signIns.instanceId, await adminId())).not.toBe(before)
    await signIns.adminAgain()
    expect((await logIn()).statusCode).toBe(200)
  })

  it('can be one with several further parameters', async () => {
    await requireProvider({ parameters: { access_type: 'offline', hd: 'maple.example' } })
    await signIns.adminAgain()
  })

  it('lets no login pass that goes on while it becomes required', async () => {
    await signIns.configure()
    const login = await inTransaction(signIns.api.deps.database, async (db) => {
      await lockIdentityProvider(db, signIns.instanceId)
      await db.query('update identity_providers set is_required = true')
      const answer = logIn()
      const isDone = answer.then(() => true)
      await until('the login waits or is done', async () => {
        const { rows } = await db.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
        return rows.length > 0 || (await Promise.race([isDone, Promise.resolve(null)]))
      })
      return { answer }
    })
    expect((await login.answer).statusCode).toBe(403)
    await signIns.adminAgain()
  })

  it('leaves API keys alone, and passwords of other instances', async () => {
    const made = await signIns.call('POST', '/api-keys', { name: 'Import', scopes: ['companies:read'] }, (await signIns.adminAgain()).token)
    await requireProvider()
    expect((await signIns.call('GET', '/normalized-data/companies', undefined, String(made.body.key))).status).toBe(200)
    const other = await signIns.api.addUser({ role: 'viewer', email: 'lee@other.example', instanceId: await signIns.api.addInstance() })
    expect((await logIn(other.email)).statusCode).toBe(200)
    await signIns.adminAgain()
  })
})

describe('the way to a provider', () => {
  const find = async (account: string) =>
    (await signIns.app.inject({ method: 'POST', url: '/admin/api/v1/auth/provider', payload: { account } })).json()

  it('is found by a member’s address, the instance’s name or id, and a domain that was tried', async () => {
    const none = { address: null, host: null, instanceName: null }
    expect(await find(ADMIN)).toEqual(none)
    await signIns.configure()
    const place = { address: `/sign-in/${signIns.instanceId}`, host: new URL(signIns.provider.url).host, instanceName: 'Maple Lending' }
    expect([await find(ADMIN), await find('maple lending'), await find(signIns.instanceId)]).toEqual([place, place, place])
    expect([await find('nobody@maple.example'), await find('Maple'), await find('a@other.example')]).toEqual([none, none, none])
    await signInAsAdmin()
    expect(await find('nobody@Maple.example')).toEqual(place)
    const other = await signIns.api.addInstance()
    await signIns.api.deps.database.query(
      `insert into identity_providers select (jsonb_populate_record(p, jsonb_build_object('instance_id', $1::text))).* from identity_providers p`,
      [other],
    )
    expect([await find('nobody@maple.example'), await find(ADMIN)]).toEqual([none, place])
  })
})
