import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { createPasswordReset, findPasswordReset } from '../../src/store/access/password-resets.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, logInAt, PASSWORD } from '../harness/test-api.ts'
import { GROUP, scimHarness, USER } from './harness.ts'

const api = openForTests(scimHarness)

describe('a user', () => {
  it('is added with what is kept, read under its ETag, and found', async () => {
    const sent = {
      schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      userName: 'Zoé.Roy@Example.com',
      externalId: 'ext-1',
      name: { givenName: 'Zoé', familyName: 'Roy', middleName: 'M.' },
      emails: [{ value: 'zoe@example.com', type: 'work', primary: true }],
      title: 'Clerk',
      active: 'True',
      password: 'never-kept-91',
    }
    const added = await api.scim('POST', '/Users', sent)
    expect([added.status, added.headers['content-type'], added.headers.location, added.headers.etag]).toEqual([
      201,
      'application/scim+json; charset=utf-8',
      `http://127.0.0.1:8080/scim/v2/Users/${added.body.id}`,
      added.body.meta.version,
    ])
    expect(added.body).toEqual({
      schemas: [USER],
      id: expect.any(String),
      externalId: 'ext-1',
      userName: 'Zoé.Roy@Example.com',
      name: { givenName: 'Zoé', familyName: 'Roy' },
      emails: [{ value: 'zoe@example.com', type: 'work', primary: true }],
      active: true,
      meta: {
        resourceType: 'User',
        created: '2026-11-20T12:00:00.000Z',
        lastModified: '2026-11-20T12:00:00.000Z',
        location: added.headers.location,
        version: expect.stringMatching(/^W\/"[\w-]{27}"$/),
      },
    })
    expect((await api.scim('GET', `/Users/${added.body.id}`)).body).toEqual(added.body)
    const unchanged = await api.scim('GET', `/Users/${added.body.id}`, undefined, { headers: { 'if-none-match': added.body.meta.version } })
    expect(unchanged.status).toBe(304)
    expect(await api.account(added.body.id)).toEqual({ email: 'zoe@example.com', name: 'Zoé Roy', role: 'viewer', isEnabled: false })
  })

  it('without a role cannot sign in, and with one only once a password was chosen', async () => {
    const { id } = await api.user()
    expect((await api.account(id)).isEnabled).toBe(false)
    await api.giveRoles({ Readers: 'viewer' })
    await api.group('Readers', [id])
    expect(await api.account(id)).toMatchObject({ role: 'viewer', isEnabled: true })
    const { email } = await api.account(id)
    const refused = await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password: 'never-kept-91' } })
    expect(refused.statusCode).toBe(401)
  })

  it('is replaced as a whole: what is left out becomes empty', async () => {
    const { id } = await api.user('first@example.com', { externalId: 'x', displayName: 'First', name: { givenName: 'F' } })
    const replaced = await api.scim('PUT', `/Users/${id}`, { schemas: [USER], id, userName: 'second@example.com' })
    expect([replaced.status, replaced.body.userName, replaced.body.externalId, replaced.body.displayName, replaced.body.name]).toEqual([
      200,
      'second@example.com',
      undefined,
      undefined,
      undefined,
    ])
    expect(await api.account(id)).toMatchObject({ email: 'second@example.com', name: 'second@example.com' })
  })

  it('that an administrator has added is found by address, and is the provider’s from its first change on', async () => {
    const { id, email } = await api.addUser({ role: 'developer' })
    const found = await api.scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${email.toUpperCase()}"`)}`)
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id, userName: email, active: true, displayName: 'Avery Tremblay' }] })
    await api.patch(`/Users/${id}`, { op: 'replace', path: 'externalId', value: 'ext-9' })
    expect(await api.account(id)).toMatchObject({ role: 'developer', isEnabled: true })
    await api.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    await api.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
    expect(await api.account(id)).toMatchObject({ role: 'developer', isEnabled: true })
  })

  it('whose address changes: a link that was mailed to the one before works no more; a new name leaves it', async () => {
    const { id } = await api.addUser({ role: 'developer' })
    const { database } = api.deps
    const token = Buffer.from(id)
    await createPasswordReset(database, token, { instanceId: api.instanceId, userId: id }, 1)
    await api.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Other Name' })
    expect(await findPasswordReset(database, [token])).toMatchObject({ userId: id })
    await api.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value: `${randomUUID()}@example.com` })
    expect(await findPasswordReset(database, [token])).toBeNull()
  })

  it('is deleted with all that hangs on it; what comes for it later is 404', async () => {
    const { id } = await api.user()
    const { id: groupId } = await api.group(`Group ${id}`, [id])
    expect((await api.scim('DELETE', `/Users/${id}`)).status).toBe(204)
    const later = [
      await api.scim('GET', `/Users/${id}`),
      await api.scim('PUT', `/Users/${id}`, { schemas: [USER], userName: 'a@example.com' }),
      await api.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
      await api.scim('DELETE', `/Users/${id}`),
    ]
    expect(later.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await api.scim('GET', `/Groups/${groupId}`)).body.members).toBeUndefined()
  })
})

describe('a user who is deactivated', () => {
  it('loses every session within a second, keeps the row, and comes back', async () => {
    await api.giveRoles({ Staff: 'developer' })
    const { id, email } = await api.addUser({ role: 'viewer' })
    const { id: groupId } = await api.group('Staff', [id])
    const headers = await bearerOf(api, email)
    const other = api.another()
    const whoami = async (app = api.app) => (await app.inject({ url: '/admin/api/v1/auth/me', headers })).statusCode
    expect([await whoami(), await whoami(other)]).toEqual([200, 200])
    expect((await api.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })).body.active).toBe(false)
    api.moveClock(1_000)
    expect([await whoami(), await whoami(other)]).toEqual([401, 401])
    expect(await api.account(id)).toMatchObject({ isEnabled: false })
    expect((await api.scim('GET', `/Groups/${groupId}`)).body.members).toHaveLength(1)
    await api.patch(`/Users/${id}`, { op: 'Replace', value: { active: true } })
    expect(await api.account(id)).toMatchObject({ role: 'developer', isEnabled: true })
    expect(await whoami()).toBe(401)
  })

  it('loses the login that waits for the second step too', async () => {
    const { id, email } = await api.addUser({ role: 'viewer' })
    const post = (path: string, authorization: string, payload: object) =>
      api.app.inject({ method: 'POST', url: `/admin/api/v1/auth/two-step${path}`, headers: { authorization }, payload })
    const { authorization } = await bearerOf(api, email)
    const { secret } = (await post('/setup', authorization, { password: PASSWORD })).json<{ secret: string }>()
    const codeOf = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.deps.now().getTime() })
    expect((await post('/setup/confirm', authorization, { code: codeOf() })).statusCode).toBe(200)
    api.moveClock(90_000)
    const waiting = (await logInAt(api.app, email)).json<{ access_token: string; twoStepVerify: boolean }>()
    for (const value of [false, true]) await api.patch(`/Users/${id}`, { op: 'replace', path: 'active', value })
    const late = await post('', `Bearer ${waiting.access_token}`, { code: codeOf() })
    expect([waiting.twoStepVerify, late.statusCode, (await api.account(id)).isEnabled]).toEqual([true, 401, true])
    const again = (await logInAt(api.app, email)).json<{ access_token: string }>()
    expect((await post('', `Bearer ${again.access_token}`, { code: codeOf() })).statusCode).toBe(200)
  })
})

describe('the last administrator', () => {
  const ASKED = 409
  it.each([
    ['deactivated by PATCH', (id: string) => api.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })],
    [
      'deactivated by PUT',
      (id: string) => api.scim('PUT', `/Users/${id}`, { schemas: [USER], userName: 'boss@example.com', active: false }),
    ],
    ['deleted', (id: string) => api.scim('DELETE', `/Users/${id}`)],
    [
      'given another role by a group',
      async (id: string) => {
        await api.giveRoles({ Demoted: 'viewer' })
        return await api.scim('POST', '/Groups', {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
          displayName: 'Demoted',
          members: [{ value: id }],
        })
      },
    ],
  ])('cannot be %s: 409 says so, and nothing changes', async (_what, change) => {
    const before = await api.account(api.admin.id)
    const groups = (await api.scim('GET', '/Groups?count=0')).body.totalResults
    const { status, body } = await change(api.admin.id)
    expect([status, body.scimType, body.detail]).toEqual([ASKED, 'mutability', 'An instance keeps at least one admin.'])
    expect(await api.account(api.admin.id)).toEqual(before)
    expect((await api.scim('GET', '/Groups?count=0')).body.totalResults).toBe(groups)
  })

  it('can be any of these once there is another', async () => {
    const own = await scimHarness()
    await own.addUser({ role: 'admin' })
    expect((await own.scim('DELETE', `/Users/${own.admin.id}`)).status).toBe(204)
    await own.close()
  })
})

describe('requests in the wrong order', () => {
  it('a doubled POST is 409, in any capitals; the same Idempotency-Key gives the first answer', async () => {
    const name = `${randomUUID()}@example.com`
    const body = { schemas: [USER], userName: name }
    const headers = { 'idempotency-key': randomUUID() }
    const first = await api.scim('POST', '/Users', body, { headers })
    const repeated = await api.scim('POST', '/Users', body, { headers })
    const doubled = await api.scim('POST', '/Users', { ...body, userName: name.toUpperCase() })
    expect([first.status, repeated.status, repeated.body.id]).toEqual([201, 201, first.body.id])
    expect([doubled.status, doubled.body.scimType, doubled.body.detail]).toEqual([409, 'uniqueness', 'Another user has this userName.'])
  })

  it('an address that another instance has is 409, as for administrators', async () => {
    const { email } = await api.addUser({ instanceId: await api.addInstance() })
    const refused = await api.scim('POST', '/Users', { schemas: [USER], userName: 'x', emails: [{ value: email }] })
    expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness'])
    const { id } = await api.user()
    expect((await api.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value: email })).status).toBe(409)
  })

  it('a user made by hand whose address another has as userName is 409, alone and as a member; once that is changed it is taken over', async () => {
    const email = `${randomUUID()}@example.com`
    const { id: first } = await api.user(email, { emails: [{ value: `${randomUUID()}@example.com` }] })
    const { id } = await api.addUser({ email, role: 'developer' })
    const { id: groupId } = await api.group(`Conflict ${id}`)
    const attempts = () => [
      api.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: `${randomUUID()}@example.com` }),
      api.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: id }] }),
    ]
    expect((await Promise.all(attempts())).map(({ status, body }) => [status, body.scimType])).toEqual(Array(2).fill([409, 'uniqueness']))
    await api.patch(`/Users/${first}`, { op: 'replace', path: 'userName', value: `${randomUUID()}@example.com` })
    expect((await Promise.all(attempts())).map(({ status }) => status)).toEqual([200, 204])
  })

  it('names in another form of Unicode are found, and are taken', async () => {
    const [composed, apart] = ['NFC', 'NFD'].map((form) => `Zoé-${api.admin.id}@example.com`.normalize(form))
    await api.user(composed)
    await api.group(`${composed}`)
    const count = async (path: string) => (await api.scim('GET', path)).body.totalResults
    const filtered = (attribute: string) => `filter=${encodeURIComponent(`${attribute} eq "${apart}"`)}`
    expect([
      await count(`/Users?${filtered('userName')}`),
      await count(`/Users?${filtered('emails.value')}`),
      await count(`/Groups?${filtered('displayName')}`),
      (await api.scim('POST', '/Users', { schemas: [USER], userName: apart })).status,
      (await api.scim('POST', '/Groups', { schemas: [GROUP], displayName: apart })).status,
    ]).toEqual([1, 1, 1, 409, 409])
  })

  it('a PUT without active leaves a user as active as before', async () => {
    const { id } = await api.user()
    const replace = async (given: object) =>
      (await api.scim('PUT', `/Users/${id}`, { schemas: [USER], userName: `${id}@example.com`, ...given })).body.active
    expect([await replace({}), await replace({ active: false }), await replace({}), await replace({ active: true })]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  it('two POSTs of one user at the same time make one', async () => {
    const body = { schemas: [USER], userName: `${randomUUID()}@example.com` }
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.scim('POST', '/Users', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
  })

  it('a change under an ETag of before is 412 and changes nothing', async () => {
    const { id, meta } = await api.user()
    const headers = { 'if-match': meta.version }
    const rename = (displayName: string) =>
      api.scim(
        'PATCH',
        `/Users/${id}`,
        { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'add', value: { displayName } }] },
        { headers },
      )
    const [first, second] = [await rename('One'), await rename('Two')]
    expect([first.status, first.body.displayName, second.status, second.body.detail]).toEqual([
      200,
      'One',
      412,
      expect.stringContaining('changed'),
    ])
    expect((await api.scim('DELETE', `/Users/${id}`, undefined, { headers })).status).toBe(412)
    expect((await api.scim('DELETE', `/Users/${id}`, undefined, { headers: { 'if-match': '*' } })).status).toBe(204)
  })
})
