import { createHash, randomUUID } from 'node:crypto'
import pino from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { addInstance } from '../../../../test/harness/app/tenants.ts'
import { addUser } from '../../../../test/harness/app/users.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { CLIENT, ScriptedProvider } from '../../../../test/identity-provider/scripted-provider.ts'
import { createEgress } from '../../../egress/egress.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { findIdentityProvider, type IdentityProvider, saveIdentityProvider } from '../../../store/access/identity-providers.ts'
import { findUser, type Role } from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { insertSuspension } from '../../../store/operators/suspensions.ts'
import { type Access, hashSecret } from '../access.ts'
import { openSession } from '../sessions.ts'
import { secretContext } from './provider-client.ts'
import { openTokens } from './session-tokens.ts'
import { beginSignIn, callbackPathOf, completeSignIn, type SignInRequest } from './sign-in.ts'
import { readState, type SignInState } from './sign-in-state.ts'

const DAY_MS = 86_400_000
const BROWSER = { network: '203.0.113.0', agent: 'Firefox, Linux', language: null }

const bare = openForTests(() => bareAccess())
const egress = openForTests(() => createEgress({ allowPrivate: true }))
const provider = openForTests(
  async () => {
    const opened = new ScriptedProvider(() => bare.access.now(), {})
    await opened.open()
    return opened
  },
  (opened) => opened.close(),
)

let access: Access
let logged: unknown[]

beforeEach(() => {
  provider.reset()
  logged = []
  const log = pino({ base: null, timestamp: false, level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  access = { ...bare.access, providers: { egress, allowPrivate: true }, log }
})

/** An instance with a provider and one member, whom the provider signs in. */
interface Tenant {
  settings: IdentityProvider
  userId: string
}

async function addTenant(settings: Partial<IdentityProvider> = {}, role: Role = 'viewer'): Promise<Tenant> {
  const key = { instanceId: await addInstance(bare.database), id: randomUUID() }
  const email = `${key.instanceId}@maple.example`
  const { id: userId } = await addUser(bare.database, key.instanceId, { role, email })
  const saved: IdentityProvider = {
    ...{ issuer: provider.url, clientId: CLIENT.id, scopes: ['openid', 'email'], parameters: {}, groupsClaim: null },
    ...{ emailDomains: ['maple.example'], trustsEmails: false, createsMembers: false, defaultRole: role, acceptedAcr: [], acceptedAmr: [] },
    ...{ isRequired: false, triedAt: null, version: randomUUID(), updatedAt: new Date(access.now().getTime() - DAY_MS) },
    ...key,
    sealedSecret: access.sealer.seal(secretContext(key), Buffer.from(CLIENT.secret)),
    ...settings,
  }
  await saveIdentityProvider(bare.database, saved)
  provider.script.claims = { sub: 'person-1', email, email_verified: true }
  return { settings: saved, userId }
}

async function begin({ settings }: Tenant, request: Partial<SignInRequest> = {}) {
  const { instanceId } = settings
  const wish = { instanceId, returnTo: '/portal/', isFresh: false, loginHint: undefined, present: null, ...request }
  const { address, cookie } = await beginSignIn(access, wish)
  const state = readState(access, cookie)
  if (!state) throw new Error('the cookie cannot be read')
  return { address: new URL(address), state }
}
const complete = async (state: SignInState, address: URL) => await completeSignIn(access, state, provider.authorize(address.href), BROWSER)
async function signIn(tenant: Tenant, request: Partial<SignInRequest> = {}) {
  const { address, state } = await begin(tenant, request)
  return await complete(state, address)
}
const faultOf = async (work: Promise<unknown>) =>
  await work.then(
    () => null,
    ({ name, code }: { name: string; code: string }) => `${name} ${code}`,
  )
const auditOf = async ({ settings }: Tenant) =>
  (await listAudit(bare.database, settings.instanceId, 9)).map(({ entry: { action, userId, subject, details } }) => {
    return { action, userId, subject, details }
  })
const rows = async (tenant: Tenant, table: string, columns: string) =>
  (await bare.database.query(`select ${columns} from ${table} where instance_id = $1`, [tenant.settings.instanceId])).rows
const sessionsOf = async (tenant: Tenant) =>
  await rows(
    tenant,
    'sessions',
    'user_id as "userId", proven_at as "provenAt", expires_at as "expiresAt", network, agent, end_reason as reason',
  )
const inMs = (ms: number) => new Date(access.now().getTime() + ms)

describe('the address of the provider', () => {
  const USUAL = { response_type: 'code', client_id: CLIENT.id, scope: 'openid email', code_challenge_method: 'S256' }
  /** Its parameters, without those that are new each time. */
  const asked = async (settings: Partial<IdentityProvider>, request: Partial<SignInRequest> = {}) => {
    const tenant = await addTenant(settings)
    const { address } = await begin(tenant, request)
    expect(address.origin + address.pathname).toBe(`${provider.url}/authorize`)
    const { redirect_uri, state, nonce, code_challenge, ...others } = Object.fromEntries(address.searchParams)
    expect(redirect_uri).toBe(`http://localhost:8080/sign-in/${tenant.settings.instanceId}/callback`)
    expect([state, nonce, code_challenge].map((value) => value?.length)).toEqual([43, 43, 43])
    return others
  }

  it.each<[string, Partial<IdentityProvider>, Partial<SignInRequest>, object]>([
    ['the usual parameters', {}, {}, {}],
    [
      'those of the settings',
      { parameters: { access_type: 'offline', hd: 'maple.example' } },
      {},
      { access_type: 'offline', hd: 'maple.example' },
    ],
    [
      'its own where the settings name them, too',
      { parameters: { scope: 'x', redirect_uri: 'y', state: 'z', nonce: '', code_challenge: '' } },
      {},
      {},
    ],
    ['all scopes', { scopes: ['openid', 'email', 'groups'] }, {}, { scope: 'openid email groups' }],
    ['one accepted context', { acceptedAcr: ['silver'] }, {}, { acr_values: 'silver' }],
    ['all accepted contexts', { acceptedAcr: ['gold', 'silver'], acceptedAmr: ['mfa'] }, {}, { acr_values: 'gold silver' }],
    ['the wish that the person is asked again', {}, { isFresh: true }, { prompt: 'login', max_age: '0' }],
    ['whom it is about', {}, { loginHint: 'robin@maple.example' }, { login_hint: 'robin@maple.example' }],
    ['no page to return to and no session', {}, { returnTo: '/portal/webhooks', present: 'refresh' }, {}],
  ])('has %s', async (_what, settings, request, expected) => {
    expect(await asked(settings, request)).toEqual({ ...USUAL, ...expected })
  })

  it('has what the cookie knows: state, nonce, and the challenge to its verifier', async () => {
    const { address, state } = await begin(await addTenant())
    const { searchParams } = address
    expect([searchParams.get('state'), searchParams.get('nonce')]).toEqual([state.state, state.nonce])
    expect(searchParams.get('code_challenge')).toBe(createHash('sha256').update(state.verifier).digest('base64url'))
  })

  it('is of the instance: so is the path that the provider returns to', () => {
    expect([callbackPathOf('a-b'), callbackPathOf(':instanceId')]).toEqual(['/sign-in/a-b/callback', '/sign-in/:instanceId/callback'])
  })
})

describe('the cookie of a sign-in', () => {
  it('has all that the answer needs', async () => {
    const tenant = await addTenant()
    const { instanceId, version } = tenant.settings
    const secret = expect.stringMatching(/^[\w-]{43}$/)
    const expected = { instanceId, version, state: secret, nonce: secret, verifier: secret, begunAtMs: access.now().getTime() }
    const plain = (await begin(tenant)).state
    expect(plain).toEqual({ ...expected, returnTo: '/portal/', isFresh: false, replaces: [] })
    const other = (await begin(tenant, { returnTo: '/portal/webhooks', isFresh: true, present: 'refresh' })).state
    const replaces = [Buffer.from(hashSecret(access, 'refresh token', 'refresh')).toString('base64url')]
    expect(other).toEqual({ ...expected, returnTo: '/portal/webhooks', isFresh: true, replaces })
    const secrets = [plain, other].flatMap(({ state, nonce, verifier }) => [state, nonce, verifier])
    expect(new Set(secrets).size, 'nothing is used twice').toBe(6)
  })
})

describe('a sign-in', () => {
  it('opens a session of the member, with what the provider gave', async () => {
    const tenant = await addTenant()
    provider.script.claims = { ...provider.script.claims, sid: 'desk', auth_time: provider.seconds - 3_600 }
    const tokens = await signIn(tenant)
    expect(tokens).toEqual({ accessToken: expect.any(String), refreshToken: expect.any(String), userName: 'Avery Tremblay' })
    const session = { userId: tenant.userId, provenAt: inMs(-3_600_000), expiresAt: inMs(30 * DAY_MS), ...BROWSER, reason: null }
    const { language: _language, ...expected } = session
    expect(await sessionsOf(tenant)).toEqual([expected])
    const [stored] = await rows(tenant, 'provider_sessions', '*')
    const { tokens: sealed, session_id: sessionId, ...others } = stored
    const { instanceId } = tenant.settings
    expect(others).toEqual({
      ...{ instance_id: instanceId, issuer: provider.url, subject: 'person-1', provider_session_id: 'desk', checked_at: access.now() },
      ...{ retry_at: null, leased_until: null },
    })
    expect(openTokens(access, { instanceId, sessionId }, sealed)).toEqual({
      refreshToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
      idToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    })
    const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString())
    expect([claims.sid, claims.sub]).toEqual([sessionId, tenant.userId])
    expect((await auditOf(tenant))[0]).toEqual({
      ...{ action: 'login.succeeded', userId: tenant.userId, subject: `user/${tenant.userId}`, details: { factor: 'provider' } },
    })
    expect(logged).toEqual([])
  })

  it.each([
    ['a text', 'desk', 'desk'],
    ['a number', 7, null],
    ['missing', undefined, null],
  ])('remembers the session of the provider whose id is %s', async (_what, sid, expected) => {
    const tenant = await addTenant()
    provider.script.claims = { ...provider.script.claims, sid }
    await signIn(tenant)
    expect(await rows(tenant, 'provider_sessions', 'provider_session_id as sid')).toEqual([{ sid: expected }])
  })

  it.each<[string, () => number | undefined, () => Date]>([
    ['an hour ago', () => provider.seconds - 3_600, () => inMs(-3_600_000)],
    ['now', () => provider.seconds, () => inMs(0)],
    ['in the future', () => provider.seconds + 30, () => inMs(0)],
    ['at no known time', () => undefined, () => new Date(0)],
  ])('of a person who was asked %s proves who it is as of then', async (_what, authTime, provenAt) => {
    const tenant = await addTenant()
    provider.script.claims = { ...provider.script.claims, auth_time: authTime() }
    await signIn(tenant)
    expect(await sessionsOf(tenant)).toMatchObject([{ provenAt: provenAt() }])
  })

  it.each([
    ['a refresh token', true, undefined, 30 * DAY_MS],
    ['a refresh token, and tells of logouts', true, true, 30 * DAY_MS],
    ['none, but tells of logouts', false, true, 30 * DAY_MS],
    ['none, and tells of no logouts', false, false, 300_000],
    ['none, and does not say', false, undefined, 300_000],
  ])('lasts as long as it can be ended: the provider gives %s', async (_what, gives, tells, lifeMs) => {
    const tenant = await addTenant()
    provider.script.givesRefreshToken = gives
    provider.metadata = { backchannel_logout_supported: tells }
    await signIn(tenant)
    expect(await sessionsOf(tenant)).toMatchObject([{ expiresAt: inMs(lifeMs) }])
    const [stored] = await rows(tenant, 'provider_sessions', 'session_id as "sessionId", tokens, checked_at as "checkedAt"')
    expect(stored.checkedAt).toEqual(gives ? access.now() : null)
    const { refreshToken, idToken } = openTokens(access, { instanceId: tenant.settings.instanceId, ...stored }, stored.tokens)
    expect([refreshToken === null, idToken === null]).toEqual([!gives, false])
  })

  it.each<[Role, boolean]>([
    ['admin', true],
    ['developer', false],
    ['viewer', false],
  ])('of a member who is %s shows that the settings work: %s', async (role, isTry) => {
    const tenant = await addTenant({}, role)
    await signIn(tenant)
    const { triedAt, updatedAt } = (await findIdentityProvider(bare.database, tenant.settings.instanceId)) ?? {}
    expect([triedAt, updatedAt]).toEqual(isTry ? [access.now(), access.now()] : [null, tenant.settings.updatedAt])
  })

  it('sees its own instance only', async () => {
    const [other, tenant] = [await addTenant(), await addTenant()]
    const onSignedIn = async () => expect((await rows(other, 'users', 'id')).concat(await rows(tenant, 'users', 'id'))).toHaveLength(1)
    access = { ...access, onSignedIn }
    await signIn(tenant)
    expect.assertions(1)
  })

  it('ends the session that the browser had, also one of another instance', async () => {
    const [tenant, other] = [await addTenant(), await addTenant()]
    const user = await findUser(bare.database, other.settings.instanceId, other.userId)
    if (!user) throw new Error('there is no such user')
    const openOther = async () =>
      await inTransaction(bare.database, (db) => openSession(access, db, user, BROWSER, { proofWay: 'password', lifeMs: null }))
    const { refreshToken, sessionId } = await openOther()
    await openOther()
    provider.script.claims = { ...provider.script.claims, email: `${tenant.settings.instanceId}@maple.example` }
    await signIn(tenant, { present: refreshToken })
    expect((await sessionsOf(other)).map(({ reason }) => reason).toSorted()).toEqual([null, 'signed in again'])
    expect(await auditOf(other)).toEqual([
      { action: 'session.closed', userId: other.userId, subject: `session/${sessionId}`, details: undefined },
    ])
    expect(await sessionsOf(tenant)).toMatchObject([{ reason: null }])
  })
})

describe('a sign-in that fails', () => {
  it.each<[string, () => object, string]>([
    ['for the person', () => ({ claims: { ...provider.script.claims, email: 'robin@other.example' } }), 'otherDomain'],
    ['for weak authentication', () => ({ claims: { ...provider.script.claims, acr: 'bronze' } }), 'weakAuthentication'],
    ['for the token', () => ({ signature: 'unpublished key' }), 'invalidAnswer'],
    ['for the code', () => ({ forgedCallback: { code: 'none' } }), 'refused'],
    ['at the provider', () => ({ failure: 503 }), 'unavailable'],
  ])('%s is in the log and in the audit of the instance, and leaves everything as it was', async (_what, script, code) => {
    const tenant = await addTenant({ acceptedAcr: ['silver'] })
    provider.script.claims = { ...provider.script.claims, acr: 'silver' }
    const before = await signIn(tenant)
    const { address, state } = await begin(tenant, { present: before.refreshToken })
    Object.assign(provider.script, script())
    expect(await faultOf(complete(state, address))).toBe(`SignInFault ${code}`)
    const { instanceId } = tenant.settings
    expect(logged).toEqual([{ level: 40, instanceId, code, reason: expect.any(String), msg: 'sign-in with a provider failed' }])
    expect((await auditOf(tenant))[0]).toEqual({ action: 'login.failed', userId: null, subject: null, details: { reason: code } })
    expect(await sessionsOf(tenant)).toMatchObject([{ reason: null }])
  })

  it('by a fault of ours is none of the instance', async () => {
    const tenant = await addTenant()
    const { address, state } = await begin(tenant)
    await bare.database.query("update identity_providers set client_secret = 'x' where instance_id = $1", [tenant.settings.instanceId])
    expect(await faultOf(complete(state, address))).toMatch(/^SealError/)
    expect([logged, await auditOf(tenant)]).toEqual([[], []])
  })

  it.each<[string, string, (tenant: Tenant) => Promise<unknown>]>([
    [
      'its settings were changed',
      'expired',
      async ({ settings }) => await saveIdentityProvider(bare.database, { ...settings, version: randomUUID() }),
    ],
    ['its provider was removed', 'notSet', async () => await bare.database.query('delete from identity_providers')],
    ['it was suspended', 'suspended', async ({ settings }) => await insertSuspension(bare.database, settings.instanceId, 'unpaid')],
  ])('since %s meanwhile asks the provider nothing', async (_what, code, change) => {
    const tenant = await addTenant()
    const { address, state } = await begin(tenant)
    await change(tenant)
    provider.calls.length = 0
    expect(await faultOf(complete(state, address))).toBe(`SignInFault ${code}`)
    expect(provider.calls).toEqual([])
    expect(await auditOf(tenant)).toEqual([{ action: 'login.failed', userId: null, subject: null, details: { reason: code } }])
  })

  it('since the member was disabled meanwhile opens nothing, and is no try of the settings', async () => {
    const tenant = await addTenant({}, 'admin')
    const { database } = bare
    await database.query(`create function disable_member() returns trigger language plpgsql as
      $$ begin update users set disabled_at = now() where id = new.user_id; return new; end $$`)
    await database.query('create trigger disable_member after insert on provider_identities for each row execute function disable_member()')
    expect(await faultOf(signIn(tenant))).toBe('SignInFault disabled')
    await database.query('drop function disable_member cascade')
    expect(await sessionsOf(tenant)).toEqual([])
    expect((await findIdentityProvider(database, tenant.settings.instanceId))?.triedAt).toBeNull()
  })

  it.each<[string, string, (tenant: Tenant) => Promise<unknown>]>([
    ['without a provider', 'notSet', async () => await bare.database.query('delete from identity_providers')],
    ['that is suspended', 'suspended', async ({ settings }) => await insertSuspension(bare.database, settings.instanceId, 'unpaid')],
  ])('before it begins, in an instance %s, asks the provider nothing', async (_what, code, change) => {
    const tenant = await addTenant()
    await change(tenant)
    expect(await faultOf(begin(tenant))).toBe(`SignInFault ${code}`)
    expect([provider.calls, logged, await auditOf(tenant)]).toEqual([[], [], []])
  })
})
