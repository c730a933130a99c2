import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAccess, hashSecret, newSecret } from '../../src/api/access/access.ts'
import { createPasswordReset } from '../../src/store/access/password-resets.ts'
import { openForTests } from '../harness/for-tests.ts'
import { logInAt } from '../harness/test-api.ts'
import { type OpenTransaction, whileOpen } from '../harness/while-open.ts'
import { PATCH, SCIM_JSON, USER } from '../scim/harness.ts'
import { openSignInHarness } from './harness.ts'

const signIns = openForTests(openSignInHarness)

beforeAll(async () => {
  await signIns.call('PUT', '/group-roles', { groupRoles: [{ group: 'staff', role: 'admin' }] })
})
afterEach(async () => await signIns.reset())
const INSTANCE_OF = 'from instances i join users u on u.instance_id = i.id where u.id = $1'
const LOCK_USERS = `select ${INSTANCE_OF} for no key update of i`
const database = () => signIns.api.deps.database
const during = async <T>(open: OpenTransaction, act: () => Promise<T>) => await whileOpen(database(), open, act)
const change = async (id: string, role: string) => (await signIns.call('PUT', `/users/${id}`, { name: 'A', role, isEnabled: true })).status

/** A user whom the directory has added, with a role given by hand. */
async function addProvisioned(name: string, role: string) {
  const { key } = (await signIns.call('POST', '/api-keys', { name: 'IdP', scopes: ['scim'] })).body
  const scim = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const headers = { authorization: `Bearer ${String(key)}`, 'content-type': SCIM_JSON }
    return await signIns.app.inject({ method, url: `/scim/v2${path}`, headers, payload: JSON.stringify(body) })
  }
  const { id } = (await scim('POST', '/Users', { schemas: [USER], userName: `${name}@maple.example` })).json<{ id: string }>()
  expect(await change(id, role)).toBe(200)
  return { id, deactivate: async () => (await scim('PATCH', `/Users/${id}`, DEACTIVATE)).statusCode }
}
const DEACTIVATE = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }

describe('nothing is lost to a deadlock when there come at once', () => {
  it('a login, and a new role by a group of the directory', async () => {
    const { id, email } = await signIns.api.addUser()
    // The foreign key of a membership; then the role.
    const group = {
      id,
      first: ['select from users where id = $1 for key share'],
      later: ["update users set role = 'viewer' where id = $1"],
    }
    expect((await during(group, async () => await logInAt(signIns.app, email))).statusCode).toBe(200)
  })

  it('a change of an administrator, and a mail to the administrator', async () => {
    const { id } = await signIns.api.addUser()
    // The foreign key of the mail is what comes later.
    const mail = { id, first: ['select from users where id = $1 for no key update'], later: [`select ${INSTANCE_OF} for key share of i`] }
    expect(await during(mail, async () => await change(id, 'viewer'))).toBe(200)
  })

  it('a role by hand and one by the directory, and the role by hand is that of the account as it is then', async () => {
    const { id } = await addProvisioned('sam', 'viewer')
    const scim = {
      id,
      first: [LOCK_USERS, "update scim_users set role_of_groups = 'developer', role_by_hand = null where user_id = $1"],
      later: ["update users set role = 'developer' where id = $1"],
    }
    expect(await during(scim, async () => await change(id, 'admin'))).toBe(200)
    const again = { ...scim, first: [...scim.first, ...scim.later], later: [] }
    // The same role as before the other transaction.
    expect(await during(again, async () => await change(id, 'admin'))).toBe(200)
    const { rows } = await database().query('select role_by_hand as role from scim_users where user_id = $1', [id])
    expect(rows).toEqual([{ role: 'admin' }])
  })

  it('a password by a mailed link, and another change of the account, which cancels the link', async () => {
    const { id } = await signIns.api.addUser()
    const { keys, log, settings, now, sealer, providers } = signIns.api.deps
    const token = newSecret()
    const access = createAccess({ database: database(), keys, sealer, log, settings, now, providers })
    await createPasswordReset(database(), hashSecret(access, 'password reset', token), { instanceId: signIns.instanceId, userId: id }, 1)
    const other = {
      id,
      first: ['select from users where id = $1 for no key update'],
      later: ['update password_resets set used_at = clock_timestamp() where user_id = $1'],
    }
    const reset = async () => await signIns.call('POST', '/auth/new-password', { token, password: 'orchard-lantern-58-mist' })
    expect(await during(other, reset)).toMatchObject({ status: 400, body: { errors: [{ field: 'token' }] } })
  })

  it('a deactivation by the directory, and the end of all sessions by an administrator', async () => {
    const { id, deactivate } = await addProvisioned('kim', 'viewer')
    const values = [signIns.instanceId, randomUUID(), id]
    await database().query(
      "insert into login_challenges (instance_id, id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 day')",
      values,
    )
    await database().query(
      `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at)
       values ($1, $2, $3, now(), now(), now() + interval '1 day')`,
      values,
    )
    const end = {
      id,
      first: ['update login_challenges set completed_at = now() where user_id = $1'],
      later: ['update sessions set ended_at = now() where user_id = $1'],
    }
    expect(await during(end, deactivate)).toBe(200)
  })

  it("an administrator's first sign-in with a provider, and new settings of the provider", async () => {
    await signIns.configure({ groupsClaim: 'groups', defaultRole: null })
    signIns.provider.script.claims = { sub: 'person-7', email: 'sky@maple.example', email_verified: true, groups: ['staff'] }
    const settings = {
      id: signIns.instanceId,
      first: ['select from identity_providers where instance_id = $1 for update'],
      later: ['select from audit_chains where instance_id = $1 for update'],
    }
    expect(await during(settings, async () => await signIns.signIn())).toMatchObject({ failure: null, session: expect.any(String) })
  })
})

it('a sign-in that fails at its end does not show that the settings work', async () => {
  await signIns.configure({ groupsClaim: 'groups', defaultRole: null, isRequired: false })
  signIns.provider.script.claims = { sub: 'person-8', email: 'river@maple.example', email_verified: true, groups: ['staff'] }
  const { id } = await signIns.api.addUser({ email: 'river@maple.example' })
  const disabling = { id, first: ['update users set disabled_at = now() where id = $1'] }
  // Nothing but the new identity has been stored before the account is locked.
  const { failure } = await during(disabling, async () => await signIns.signIn())
  const { rows } = await database().query('select tried_at as "triedAt" from identity_providers')
  expect([failure, rows]).toEqual(['disabled', [{ triedAt: null }]])
})
