import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openSignInHarness } from './harness.ts'

const signIns = openForTests(openSignInHarness)

afterEach(async () => {
  await signIns.reset()
})
const usersOf = async () =>
  (await signIns.api.deps.database.query<{ email: string; role: string }>('select email, role from users order by email')).rows

describe('a sign-in with the identity provider', () => {
  it('makes a member, opens a session, and returns to the page where it began', async () => {
    expect((await signIns.configure()).status).toBe(200)
    const arrival = await signIns.signIn('?to=/portal/companies%3Fdo=add')
    expect(arrival).toMatchObject({ location: '/portal/companies?do=add#signed-in', failure: null })
    const { token } = await signIns.refresh(arrival)
    const me = await signIns.call('GET', '/auth/me', undefined, token)
    expect(me.body).toMatchObject({ email: 'robin@maple.example', name: 'Robin Roy', role: 'viewer', instanceId: signIns.instanceId })
    expect((await signIns.audited()).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['identity-provider.saved', 'user.created', 'identity.added', 'login.succeeded']),
    )
  })

  it('asks by code flow with PKCE, state and nonce', async () => {
    await signIns.configure({ acceptedAcr: ['silver'], parameters: { access_type: 'offline' } })
    const { address } = await signIns.begin('?login_hint=robin@maple.example')
    const asked = Object.fromEntries(new URL(address).searchParams)
    expect(asked).toMatchObject({
      ...{ response_type: 'code', client_id: 'countinghouse', scope: 'openid email profile', code_challenge_method: 'S256' },
      ...{ redirect_uri: `http://127.0.0.1:8080/sign-in/${signIns.instanceId}/callback`, acr_values: 'silver', access_type: 'offline' },
      login_hint: 'robin@maple.example',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]?.length).toBeGreaterThan(40)
  })

  it('that fails is in the log, with the instance and the reason', async () => {
    await signIns.configure({ createsMembers: false })
    expect((await signIns.signIn()).failure).toBe('notMember')
    const line = signIns.api.logged.map((text) => JSON.parse(text)).findLast(({ msg }) => msg === 'sign-in with a provider failed')
    expect(line).toMatchObject({ instanceId: signIns.instanceId, code: 'notMember', reason: 'nobody with this address is a member' })
  })

  it('knows a member by issuer and subject, whatever the address is by then', async () => {
    await signIns.configure()
    await signIns.signIn()
    signIns.provider.script.claims = { ...signIns.provider.script.claims, email: 'robin.roy@maple.example' }
    const arrival = await signIns.signIn()
    const { token } = await signIns.refresh(arrival)
    expect((await signIns.call('GET', '/auth/me', undefined, token)).body).toMatchObject({ email: 'robin@maple.example' })
    expect(await usersOf()).toHaveLength(2)
  })

  it('ends the session that the browser had before', async () => {
    await signIns.configure()
    const first = await signIns.signIn()
    const before = first.session
    const second = await signIns.signIn('', before)
    expect([(await signIns.refresh(second)).status, (await signIns.refresh({ ...first, session: before })).status]).toEqual([200, 401])
  })

  it('never returns to another site', async () => {
    await signIns.configure()
    for (const to of ['//evil.example', 'https://evil.example/', '/portal/..%5C%5Cevil.example', '/portalevil', 'javascript:alert(1)'])
      expect((await signIns.signIn(`?to=${to}`)).location).toBe('/portal/#signed-in')
    const target = encodeURIComponent('http://127.0.0.1:8080/portal/webhooks')
    expect((await signIns.signIn(`?iss=x&target_link_uri=${target}`)).location).toBe('/portal/webhooks#signed-in')
  })
})

describe('a sign-in that a page of another site begins', () => {
  it.each(['cross-site', 'same-site'])('(%s) waits until the person wants it', async (site) => {
    await signIns.configure()
    const answer = await signIns.app.inject({
      url: `/sign-in/${signIns.instanceId}?iss=x&login_hint=a%26b&to=/portal/webhooks`,
      headers: { 'sec-fetch-site': site },
    })
    expect([answer.statusCode, answer.headers.location, answer.headers['set-cookie']]).toEqual([
      303,
      `/portal/webhooks#sign-in-at=${signIns.instanceId}&login_hint=a%26b`,
      undefined,
    ])
    expect(signIns.provider.calls).toEqual([])
  })

  it.each(['same-origin', 'none'])('is none that comes from %s', async (site) => {
    await signIns.configure()
    const answer = await signIns.app.inject({ url: `/sign-in/${signIns.instanceId}`, headers: { 'sec-fetch-site': site } })
    expect(answer.headers.location).toContain(`${signIns.provider.url}/authorize?`)
  })
})

describe('groups', () => {
  const groupRoles = [
    { group: 'staff', role: 'viewer' },
    { group: 'builders', role: 'developer' },
    { group: 'owners', role: 'admin' },
  ]
  const roleAfter = async (claims: Record<string, unknown>) => {
    const { script } = signIns.provider
    script.claims = { sub: 'person-1', email: 'robin@maple.example', email_verified: true, ...claims }
    const arrival = await signIns.signIn()
    if (arrival.failure !== null) return arrival.failure
    return (await signIns.call('GET', '/auth/me', undefined, (await signIns.refresh(arrival)).token)).body.role
  }
  beforeEach(async () => {
    await signIns.call('PUT', '/group-roles', { groupRoles })
  })

  it('give the role, again at each sign-in', async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: null })
    expect(await roleAfter({ groups: ['staff', 'unheard-of'] })).toBe('viewer')
    expect(await roleAfter({ groups: ['staff', 'builders'] })).toBe('developer')
    expect(await roleAfter({ groups: 'staff' })).toBe('viewer')
    expect(await roleAfter({ groups: ['unheard-of'] })).toBe('noRole')
    expect(await roleAfter({})).toBe('noRole')
    expect(await roleAfter({ groups: [7, null, { staff: true }] })).toBe('noRole')
  })

  it('may lie deeper, and come from the user info endpoint', async () => {
    await signIns.configure({ groupsClaim: 'realm_access.roles', defaultRole: null })
    expect(await roleAfter({ realm_access: { roles: ['builders'] } })).toBe('developer')
    signIns.provider.script.userInfo = { sub: 'person-1', realm_access: { roles: ['staff'] } }
    expect(await roleAfter({})).toBe('viewer')
  })

  it('are followed while the session goes on', async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: null })
    const { script } = signIns.provider
    script.claims = { ...script.claims, groups: ['builders'] }
    const arrival = await signIns.signIn()
    const other = await signIns.refresh(await signIns.signIn())
    // A refresh may tell nothing about groups.
    script.refreshedClaims = { groups: undefined }
    signIns.api.moveClock(240_000)
    expect(signIns.claimsOf((await signIns.refresh(arrival)).token).role).toBe('developer')
    script.refreshedClaims = { groups: ['staff'] }
    signIns.api.moveClock(240_000)
    const { token } = await signIns.refresh(arrival)
    expect(signIns.claimsOf(token).role).toBe('viewer')
    expect((await signIns.call('GET', '/auth/me', undefined, other.token)).status).toBe(401)
    script.refreshedClaims = { groups: [] }
    signIns.api.moveClock(240_000)
    expect((await signIns.refresh(arrival)).status).toBe(401)
  })

  it('that cannot be told when a session is checked leave the role, and the session goes on', async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: null })
    const { script } = signIns.provider
    script.userInfo = { sub: 'person-1', groups: ['builders'] }
    const arrival = await signIns.signIn()
    script.userInfo = { sub: 'somebody else', groups: ['staff'] }
    // The second check needs the refresh token that the first one brought.
    for (let check = 0; check < 2; check += 1) {
      signIns.api.moveClock(240_000)
      const { status, token } = await signIns.refresh(arrival)
      expect([status, signIns.claimsOf(token).role]).toEqual([200, 'developer'])
    }
    expect(signIns.api.logged.some((line) => line.includes('a session could not be checked at its provider'))).toBe(true)
    script.userInfo = { sub: 'person-1', groups: ['staff'] }
    signIns.api.moveClock(240_000)
    expect(signIns.claimsOf((await signIns.refresh(arrival)).token).role).toBe('viewer')
  })

  it('leave the last admin one', async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: null })
    const admin = { sub: 'boss', email: 'admin@maple.example', groups: ['staff'] }
    expect(await roleAfter(admin)).toBe('admin')
    await signIns.api.addUser({ role: 'admin', email: 'second@maple.example' })
    expect(await roleAfter(admin)).toBe('viewer')
  })
})

describe('who may come', () => {
  const cases: [string, Record<string, unknown>, Record<string, unknown>, string][] = [
    ['an address of another domain', {}, { email: 'robin@other.example' }, 'otherDomain'],
    ['an address of a domain that ends in the same letters', {}, { email: 'robin@sugarmaple.example' }, 'otherDomain'],
    ['an address that the provider does not vouch for', {}, { email_verified: false }, 'unverifiedEmail'],
    ['no address', {}, { email: undefined }, 'noEmail'],
    ['somebody new where members are added by hand', { createsMembers: false }, {}, 'notMember'],
    ['somebody to whom nothing gives a role', { defaultRole: null }, {}, 'noRole'],
    ['a member’s address without a listed domain', { emailDomains: [] }, { email: 'admin@maple.example' }, 'taken'],
    ['a member’s address, unverified', { emailDomains: [] }, { email: 'admin@maple.example', email_verified: false }, 'unverifiedEmail'],
    ['weak authentication', { acceptedAmr: ['mfa'] }, { amr: ['pwd'] }, 'weakAuthentication'],
    ['another authentication context', { acceptedAcr: ['silver'] }, { acr: 'bronze' }, 'weakAuthentication'],
    [
      'more groups than are read',
      { groupsClaim: 'groups' },
      { groups: Array.from({ length: 5_001 }, (_, at) => `g${at}`) },
      'groupsMissing',
    ],
    ['more groups than a token holds', { groupsClaim: 'groups' }, { _claim_names: { groups: 'src1' } }, 'groupsMissing'],
  ]
  it.each(cases)('refuses %s', async (_name, settings, claims, code) => {
    expect((await signIns.configure(settings)).status).toBe(200)
    signIns.provider.script.claims = { ...signIns.provider.script.claims, ...claims }
    const before = await usersOf()
    expect(await signIns.signIn()).toEqual({ location: `/portal/#sign-in-failed=${code}`, failure: code, session: null })
    expect(await usersOf()).toEqual(before)
    expect((await signIns.audited()).at(-1)).toMatchObject({ action: 'login.failed', details: { reason: code } })
  })

  it('joins a member by a verified address of a listed domain, once', async () => {
    await signIns.configure()
    signIns.provider.script.claims = { sub: 'boss', email: 'Admin@Maple.example', email_verified: true }
    const { token } = await signIns.refresh(await signIns.signIn())
    expect((await signIns.call('GET', '/auth/me', undefined, token)).body).toMatchObject({ email: 'admin@maple.example', role: 'admin' })
    signIns.provider.script.claims = { ...signIns.provider.script.claims, sub: 'somebody-else' }
    expect((await signIns.signIn()).failure).toBe('taken')
  })

  it('refuses a disabled member, and one whose address is in another instance', async () => {
    await signIns.configure()
    const member = await signIns.api.addUser({ role: 'viewer', email: 'robin@maple.example' })
    await signIns.call('PUT', `/users/${member.id}`, { name: 'Robin', role: 'viewer', isEnabled: false })
    expect((await signIns.signIn()).failure).toBe('disabled')
    await signIns.api.addUser({ role: 'viewer', email: 'kim@maple.example', instanceId: await signIns.api.addInstance() })
    signIns.provider.script.claims = { sub: 'kim', email: 'kim@maple.example', email_verified: true }
    expect((await signIns.signIn()).failure).toBe('taken')
  })

  it('takes missing claims from the user info endpoint', async () => {
    await signIns.configure()
    signIns.provider.script.userInfo = { sub: 'person-2', email: 'kim@maple.example', email_verified: true }
    signIns.provider.script.claims = { sub: 'person-2' }
    expect((await signIns.signIn()).failure).toBeNull()
    signIns.provider.script.userInfo = { sub: 'person-1', email: 'lee@maple.example', email_verified: true }
    signIns.provider.script.claims = { sub: 'person-3' }
    expect((await signIns.signIn()).failure).toBe('invalidAnswer')
  })

  it('takes an address and whether it is verified from the same place', async () => {
    await signIns.configure({ groupsClaim: 'groups' })
    const { script } = signIns.provider
    script.claims = { sub: 'person-1', email: 'admin@maple.example' }
    script.userInfo = { sub: 'person-1', email: 'robin@maple.example', email_verified: true }
    expect((await signIns.signIn()).failure).toBe('unverifiedEmail')
    script.claims = { sub: 'person-1', email_verified: true }
    script.userInfo = { sub: 'person-1', email: 'admin@maple.example' }
    expect((await signIns.signIn()).failure).toBe('unverifiedEmail')
    script.userInfo = { sub: 'person-1', email: 'admin@maple.example', email_verified: true }
    script.claims = { sub: 'person-1', email: 'admin@maple.example' }
    expect((await signIns.signIn()).failure).toBeNull()
  })

  it('asks the user info endpoint for nothing that the ID token holds', async () => {
    await signIns.configure({ groupsClaim: 'https://maple.example/groups' })
    const { calls, script } = signIns.provider
    script.claims = { ...script.claims, 'https://maple.example/groups': ['staff'] }
    script.userInfo = { sub: 'person-1' }
    expect((await signIns.signIn()).failure).toBeNull()
    expect(calls).not.toContain('/userinfo')
  })

  it('asks nothing there when a session is checked, where groups do not decide', async () => {
    await signIns.configure()
    const { calls, script } = signIns.provider
    script.userInfo = { sub: 'person-1' }
    const arrival = await signIns.signIn()
    signIns.api.moveClock(240_000)
    expect([(await signIns.refresh(arrival)).status, calls.filter((path) => path === '/token').length]).toEqual([200, 2])
    expect(calls).not.toContain('/userinfo')
  })
})

describe('a proof of who it is', () => {
  const change = async (token: string) =>
    (await signIns.call('POST', '/api-keys', { name: 'Import', scopes: ['companies:read'] }, token)).status
  const signInAsAdmin = async (query = '') => (await signIns.refresh(await signIns.signIn(query))).token

  it('is the sign-in at the provider, as long ago as the provider says', async () => {
    await signIns.configure()
    const { provider } = signIns
    provider.script.claims = { sub: 'boss', email: 'admin@maple.example', email_verified: true, auth_time: provider.seconds - 3_600 }
    expect(await change(await signInAsAdmin())).toBe(403)
    provider.script.claims = { ...provider.script.claims, auth_time: undefined }
    expect(await change(await signInAsAdmin())).toBe(403)
    provider.script.claims = { ...provider.script.claims, auth_time: provider.seconds }
    expect(await change(await signInAsAdmin('?fresh=true'))).toBe(201)
  })

  it('is asked for again, and refused when the provider did not ask', async () => {
    await signIns.configure()
    const { address } = await signIns.begin('?fresh=true')
    expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    const { script, seconds } = signIns.provider
    script.claims = { ...script.claims, auth_time: seconds - 3_600 }
    expect((await signIns.signIn('?fresh=true')).failure).toBe('invalidAnswer')
    script.claims = { ...script.claims, auth_time: undefined }
    expect((await signIns.signIn('?fresh=true')).failure).toBe('invalidAnswer')
  })
})
