import { beforeAll, expect, it } from 'vitest'
import { createAccess } from '../../src/api/access/access.ts'
import { settleMember } from '../../src/api/access/provider/members.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { findIdentityProvider } from '../../src/store/access/identity-providers.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { logInAt } from '../harness/test-api.ts'
import { whileOpen } from '../harness/while-open.ts'
import { openSignInHarness } from '../identity-provider/harness.ts'
import { PATCH, SCIM_JSON, USER } from './harness.ts'

const signIns = openForTests(openSignInHarness)
let key = ''
beforeAll(async () => {
  key = String((await signIns.call('POST', '/api-keys', { name: 'IdP', scopes: ['scim'] })).body.key)
  await signIns.configure({ groupsClaim: 'groups', defaultRole: null, createsMembers: false })
  await signIns.call('PUT', '/group-roles', {
    groupRoles: [
      { group: 'staff', role: 'developer' },
      { group: 'desk', role: 'viewer' },
    ],
  })
})

const scim = async (method: 'POST' | 'PATCH', path: string, body: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': SCIM_JSON }
  const answer = await signIns.app.inject({ method, url: `/scim/v2${path}`, headers, payload: JSON.stringify(body) })
  return answer.json<{ id: string }>()
}
const asPerson = async (groups: string[], name = 'robin') => {
  signIns.provider.script.claims = { sub: `person-${name}`, email: `${name}@maple.example`, email_verified: true, groups }
  return await signIns.signIn()
}

it('a user whom the directory has added without groups signs in once the provider gives a role, and not once disabled', async () => {
  expect((await asPerson(['staff'])).failure).toBe('notMember')
  const { id } = await scim('POST', '/Users', { schemas: [USER], userName: 'robin@maple.example' })
  expect((await asPerson(['nobody knows'])).failure).toBe('noRole')
  const arrival = await asPerson(['staff'])
  const { token } = await signIns.refresh(arrival)
  expect((await signIns.call('GET', '/auth/me', undefined, token)).body).toMatchObject({ email: 'robin@maple.example', role: 'developer' })
  const disable = { schemas: [PATCH], Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }
  await scim('PATCH', `/Users/${id}`, disable)
  signIns.api.moveClock(1_000)
  expect((await signIns.call('GET', '/auth/me', undefined, token)).status).toBe(401)
  expect((await asPerson(['staff'])).failure).toBe('disabled')
})

it.each([
  ['admin', 1],
  ['developer', 0],
] as const)(
  'one who waits for a role and becomes %s is told to %s other administrators, and is in the audit',
  async (defaultRole, notices) => {
    const { database, sealer } = signIns.api.deps
    const { instanceId } = signIns
    const email = `new-${defaultRole}@maple.example`
    const { id } = await scim('POST', '/Users', { schemas: [USER], userName: email })
    const access = createAccess({ ...signIns.api.deps, mail: { sealer, hashToken: (token: string) => Buffer.from(token) } })
    const found = await findIdentityProvider(database, instanceId)
    if (!found) throw new Error('the provider was just set')
    const provider = { ...found, groupsClaim: null, defaultRole }
    const person = { subject: `person-${defaultRole}`, email, isEmailVerified: true, name: null, groups: null }
    const user = await inTransaction(database, (db) => settleMember(access, db, provider, person, 'no password'))
    expect(user).toMatchObject({ id, role: defaultRole, isEnabled: true })
    const { rows } = await database.query(`delete from mails where kind = 'newAdministrator' returning id`)
    expect(rows).toHaveLength(notices)
    const entries = (await listAudit(database, instanceId, 10)).map(({ entry }) => entry)
    expect(entries.find(({ action }) => action === 'user.changed')).toMatchObject({ userId: id, subject: `user/${id}` })
  },
)

it('a member whom an administrator has disabled stays so, whatever role the provider gives at a sign-in', async () => {
  const { id } = await scim('POST', '/Users', { schemas: [USER], userName: 'noor@maple.example' })
  const arrival = await asPerson(['staff'], 'noor')
  const { token } = await signIns.refresh(arrival)
  const disabled = await signIns.call('PUT', `/users/${id}`, { name: 'Noor', role: 'developer', isEnabled: false })
  expect([arrival.failure, disabled.status]).toEqual([null, 200])
  expect((await asPerson(['staff'], 'noor')).failure).toBe('disabled')
  signIns.api.moveClock(1_000)
  expect((await signIns.call('GET', '/auth/me', undefined, token)).status).toBe(401)
})

it.each([
  ['a member who is enabled', 'alex', true, ['update users set disabled_at = now() where id = $1']],
  [
    'one who waits for a role',
    'sasha',
    false,
    [
      'select from instances i join users u on u.instance_id = i.id where u.id = $1 for no key update of i',
      'update scim_users set is_active = false where user_id = $1',
    ],
  ],
])('a deactivation that comes during a sign-in is not undone by it: %s', async (_who, name, hasRole, statements) => {
  const { id } = await scim('POST', '/Users', { schemas: [USER], userName: `${name}@maple.example` })
  if (hasRole) expect((await asPerson(['staff'], name)).failure).toBeNull()
  const arrival = await whileOpen(signIns.api.deps.database, { id, first: statements }, () => asPerson(['desk'], name))
  const { rows } = await signIns.api.deps.database.query('select from users where id = $1 and disabled_at is null', [id])
  expect([arrival.failure, rows.length]).toEqual(['disabled', 0])
})

it('a login has the role that the directory has given during it', async () => {
  const { id, email } = await signIns.api.addUser({ role: 'admin' })
  const change = ["update users set role = 'viewer' where id = $1"]
  const login = await whileOpen(signIns.api.deps.database, { id, first: change }, async () => await logInAt(signIns.app, email))
  expect(signIns.claimsOf(login.json<{ access_token: string }>().access_token)).toMatchObject({ role: 'viewer' })
})
