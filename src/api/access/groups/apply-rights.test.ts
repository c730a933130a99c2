import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { storeMember, storeTwoInstances } from '../../../../test/sign-in/stored-members.ts'
import { listAudit } from '../../../store/access/audit.ts'
import type { Role } from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { type AppliedTo, applyRights, recordChanges } from './apply-rights.ts'

const bare = openForTests(bareAccess)

interface Given {
  role: Role
  isEnabled?: boolean
  isActive?: boolean
  /** Stored role by groups, and the one by hand. */
  byGroups?: Role | null
  byHand?: Role | null
  /** Whether the user is in the group of the developers. */
  isDeveloper?: boolean
}

/** An instance with an administrator, a role for the group “Devs”, and a user of its identity provider. */
async function make({ role, isEnabled = true, isActive = true, byGroups = null, byHand = null, isDeveloper = false }: Given) {
  const { database } = bare
  const { instanceId, otherId, userId: adminId } = await storeTwoInstances(database)
  const id = await storeMember(database, instanceId, { role })
  if (!isEnabled) await database.query('update users set disabled_at = now() where id = $1', [id])
  await database.query(
    `insert into scim_users (instance_id, user_id, user_name, user_name_key, attributes, is_active, role_of_groups, role_by_hand)
     values ($1, $2, 'noor', $2::uuid::text, '{}', $3, $4, $5)`,
    [instanceId, id, isActive, byGroups, byHand],
  )
  await database.query(`insert into group_roles (instance_id, group_name, role) values ($1, 'Devs', 'developer')`, [instanceId])
  const groupId = randomUUID()
  await database.query(
    `insert into scim_groups (instance_id, id, display_name, display_name_key, created_at, updated_at) values ($1, $2, 'Devs', 'devs', now(), now())`,
    [instanceId, groupId],
  )
  if (isDeveloper)
    await database.query('insert into scim_group_members (instance_id, group_id, user_id) values ($1, $2, $3)', [instanceId, groupId, id])
  await database.query(
    `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at) values ($1, gen_random_uuid(), $2, now(), now(), now() + interval '1 day')`,
    [instanceId, id],
  )
  return { instanceId, otherId, adminId, id }
}

async function stateOf(id: string) {
  const { rows } = await bare.database.query(
    `select u.role, u.disabled_at is null as "isEnabled", s.role_of_groups as "byGroups",
       (select count(*)::int from sessions n where n.user_id = u.id and n.ended_at is null) as sessions
     from users u join scim_users s on s.user_id = u.id where u.id = $1`,
    [id],
  )
  return rows[0]
}

const apply = async (to: AppliedTo) => await inTransaction(bare.database, (db) => applyRights(bare.access, db, to))

it.each<[string, Given, boolean | undefined, { role: Role; isEnabled: boolean } | null]>([
  [
    'a role of groups is given, and enables who waited for one',
    { role: 'viewer', isEnabled: false, isDeveloper: true },
    undefined,
    { role: 'developer', isEnabled: true },
  ],
  [
    'a role of groups is taken, and nothing else gives one',
    { role: 'developer', byGroups: 'developer' },
    undefined,
    { role: 'viewer', isEnabled: false },
  ],
  [
    'a role of groups is taken, and the one by hand counts',
    { role: 'developer', byGroups: 'developer', byHand: 'integration' },
    undefined,
    { role: 'integration', isEnabled: true },
  ],
  [
    'the role stays that an administrator gave since, while the groups say the same',
    { role: 'integration', byGroups: 'developer', isDeveloper: true },
    undefined,
    null,
  ],
  ['nothing is said that was not said before', { role: 'developer', byGroups: 'developer', isDeveloper: true }, true, null],
  [
    'the provider disables the account',
    { role: 'developer', byGroups: 'developer', isDeveloper: true, isActive: false },
    true,
    { role: 'developer', isEnabled: false },
  ],
  [
    'the provider enables the account',
    { role: 'developer', byGroups: 'developer', isDeveloper: true, isEnabled: false },
    false,
    { role: 'developer', isEnabled: true },
  ],
  ['the provider enables an account without a role', { role: 'viewer', isEnabled: false }, false, null],
  [
    'the provider disables who is disabled already',
    { role: 'developer', byGroups: 'developer', isDeveloper: true, isEnabled: false, isActive: false },
    true,
    null,
  ],
])('%s', async (_what, given, wasActive, after) => {
  const { instanceId, id } = await make(given)
  const [before, kept] = [{ role: given.role, isEnabled: given.isEnabled ?? true }, { byGroups: given.isDeveloper ? 'developer' : null }]
  const changes = await apply({ instanceId, ids: [id], ...(wasActive === undefined ? {} : { wasActive }) })
  expect(changes).toEqual(after === null ? [] : [{ instanceId, action: 'user.changed', subject: `user/${id}`, before, after }])
  expect(await stateOf(id)).toEqual({ ...kept, ...(after ?? before), sessions: after === null ? 1 : 0 })
})

it('users of another instance, and those that no provider has named, stay as they are', async () => {
  const { instanceId, otherId, adminId, id } = await make({ role: 'viewer', isEnabled: false, isDeveloper: true })
  expect(await apply({ instanceId: otherId, ids: [id] })).toEqual([])
  expect(await apply({ instanceId, ids: [adminId] })).toEqual([])
  expect(await apply({ instanceId, ids: [] })).toEqual([])
  expect(await stateOf(id)).toMatchObject({ role: 'viewer', isEnabled: false, byGroups: null, sessions: 1 })
})

it('the last administrator is kept, with all else that would have changed', async () => {
  const { instanceId, adminId, id } = await make({ role: 'admin', byGroups: 'admin' })
  await bare.database.query('update users set disabled_at = now() where id = $1', [adminId])
  await expect(apply({ instanceId, ids: [id] })).rejects.toMatchObject({ status: 409, message: 'An instance keeps at least one admin.' })
  expect(await stateOf(id)).toEqual({ role: 'admin', isEnabled: true, byGroups: 'admin', sessions: 1 })
  await bare.database.query('update users set disabled_at = null where id = $1', [adminId])
  expect(await apply({ instanceId, ids: [id] })).toMatchObject([{ after: { role: 'viewer', isEnabled: false } }])
})

it('an administrator who is disabled already is not the last one', async () => {
  const { instanceId, adminId, id } = await make({ role: 'admin', isEnabled: false, byGroups: 'admin' })
  await bare.database.query('update users set disabled_at = now() where id = $1', [adminId])
  expect(await apply({ instanceId, ids: [id] })).toMatchObject([{ after: { role: 'viewer', isEnabled: false } }])
})

it('more than five hundred are changed and recorded, in batches', async () => {
  const { instanceId } = await make({ role: 'viewer' })
  const { database } = bare
  await database.query(
    `with added as (insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at)
       select $1, gen_random_uuid(), gen_random_uuid() || '@maple.example', 'x', 'developer', 'none', now(), now() from generate_series(1, 501) returning id)
     insert into scim_users (instance_id, user_id, user_name, user_name_key, attributes, is_active, role_of_groups)
       select $1, id, 'x', id::text, '{}', true, 'developer' from added`,
    [instanceId],
  )
  const { rows } = await database.query<{ id: string }>(
    `select user_id as id from scim_users where instance_id = $1 and role_of_groups is not null order by 1`,
    [instanceId],
  )
  const changes = await inTransaction(database, async (db) => {
    const applied = await applyRights(bare.access, db, { instanceId, ids: rows.map(({ id }) => id) })
    await recordChanges(bare.access, db, applied)
    return applied
  })
  expect(changes.map(({ subject }) => subject)).toEqual(rows.map(({ id }) => `user/${id}`))
  const entries = await listAudit(database, instanceId, 600)
  expect(entries.map(({ entry }) => entry.subject).toReversed()).toEqual(rows.map(({ id }) => `user/${id}`))
})
