import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { AT, minutesAfter } from '../../../test/records/record-store.ts'
import { storeGroup, storeProvisioned, storeUser } from '../../../test/scim/stored-users.ts'
import type { Role } from '../access/users.ts'
import { inTransaction } from '../db/database.ts'
import { listGroupRoles, saveGroupRoles } from './group-roles.ts'
import {
  endAccess,
  hasEnabledAdmin,
  listProvisionedIds,
  listProvisionedUsers,
  lockUsers,
  noteRoleByHand,
  saveRights,
  saveRolesOfGroups,
  waitsForRole,
} from './provisioned-roles.ts'

const test = databaseForTests()
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  instanceId = await addInstance(test.database)
  otherId = await addInstance(test.database)
})

const addUser = async (role: Role = 'viewer', of = instanceId) => (await storeUser(test.database, of, { role })).id
const addProvisioned = (isActive = true, of = instanceId) => storeProvisioned(test.database, of, isActive)
const addGroup = (displayName: string, members: string[] = [], externalId: string | null = null) =>
  storeGroup(test.database, instanceId, displayName, { members, externalId })

describe('roles of groups', () => {
  it('are replaced as a whole, in their instance, and listed by name', async () => {
    const { database } = test
    await saveGroupRoles(database, otherId, [{ group: 'staff', role: 'admin' }])
    await saveGroupRoles(database, instanceId, [
      { group: 'staff', role: 'viewer' },
      { group: 'Board', role: 'admin' },
    ])
    const rows = async () =>
      (await database.query('select group_name as name, xmin::text as row from group_roles where instance_id = $1', [instanceId])).rows
    const [before] = (await rows()).filter(({ name }) => name === 'Board')
    await saveGroupRoles(database, instanceId, [
      { group: 'Board', role: 'admin' },
      { group: 'all', role: 'developer' },
    ])
    expect(await listGroupRoles(database, instanceId)).toEqual([
      { group: 'Board', role: 'admin' },
      { group: 'all', role: 'developer' },
    ])
    expect(await rows()).toContainEqual(before)
    await saveGroupRoles(database, instanceId, [{ group: 'Board', role: 'viewer' }])
    expect(await listGroupRoles(database, instanceId)).toEqual([{ group: 'Board', role: 'viewer' }])
    await saveGroupRoles(database, instanceId, [])
    expect([await listGroupRoles(database, instanceId), await listGroupRoles(database, otherId)]).toEqual([
      [],
      [{ group: 'staff', role: 'admin' }],
    ])
  })
})

describe('a provisioned user', () => {
  it('is listed with its account, its roles and the names and ids of its groups', async () => {
    const { database } = test
    const [one, two, plain] = [await addProvisioned(), await addProvisioned(false), await addUser()]
    const foreign = await addProvisioned(true, otherId)
    await addGroup('Staff', [one, two], 'id 1')
    await addGroup('Board', [one])
    await database.query(`update scim_users set role_of_groups = 'admin', role_by_hand = 'developer' where user_id = $1`, [one])
    await database.query('update users set disabled_at = now() where id = $1', [two])
    const found = await listProvisionedUsers(database, instanceId, [one, two, plain, foreign])
    const user = (id: string, other: object) => ({ id, email: `avery-${id}@maple.example`, name: 'Avery', role: 'viewer', ...other })
    expect(found.map(({ groups, ...each }) => ({ ...each, groups: groups.toSorted() }))).toEqual(
      [
        user(one, { isEnabled: true, isActive: true, roleOfGroups: 'admin', roleByHand: 'developer', groups: ['Board', 'Staff', 'id 1'] }),
        user(two, { isEnabled: false, isActive: false, roleOfGroups: null, roleByHand: null, groups: ['Staff', 'id 1'] }),
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    expect((await listProvisionedUsers(database, instanceId, [one])).map(({ id }) => id)).toEqual([one])
    expect(await listProvisionedIds(database, instanceId)).toEqual([one, two].toSorted())
  })

  it('gets the role of its groups', async () => {
    const { database } = test
    const [one, two, three, foreign] = [
      await addProvisioned(),
      await addProvisioned(),
      await addProvisioned(),
      await addProvisioned(true, otherId),
    ]
    await database.query(`update scim_users set role_of_groups = 'viewer'`)
    await saveRolesOfGroups(database, instanceId, [
      { id: one, roleOfGroups: 'admin' },
      { id: two, roleOfGroups: null },
      { id: foreign, roleOfGroups: 'admin' },
    ])
    const { rows } = await database.query('select user_id as id, role_of_groups as role from scim_users where instance_id = any($1)', [
      [instanceId, otherId],
    ])
    expect(new Map(rows.map(({ id, role }) => [id, role]))).toEqual(
      new Map([
        [one, 'admin'],
        [two, null],
        [three, 'viewer'],
        [foreign, 'viewer'],
      ]),
    )
  })

  it.each([
    ['another role than before', 'admin', 'viewer', 'developer', 'developer'],
    ['the same role without one of groups', null, 'viewer', 'viewer', 'viewer'],
    ['the same role with one of groups', 'viewer', 'viewer', 'viewer', null],
  ] as const)('that an administrator gives %s', async (_which, ofGroups, before, role, expected) => {
    const { database } = test
    const [id, other] = [await addProvisioned(), await addProvisioned()]
    await database.query('update scim_users set role_of_groups = $2 where user_id = $1', [id, ofGroups])
    await noteRoleByHand(database, { instanceId: otherId, id, role: before }, role)
    await noteRoleByHand(database, { instanceId, id, role: before }, role)
    const { rows } = await database.query('select user_id as id, role_by_hand as role from scim_users where user_id = any($1)', [
      [id, other],
    ])
    expect(new Map(rows.map((each) => [each.id, each.role]))).toEqual(
      new Map([
        [id, expected],
        [other, null],
      ]),
    )
  })

  it('waits for a role if the provider wants it active and nothing gives it one', async () => {
    const { database } = test
    const id = await addProvisioned()
    const waits = () => waitsForRole(database, { instanceId, id })
    expect([
      await waits(),
      await waitsForRole(database, { instanceId: otherId, id }),
      await waitsForRole(database, { instanceId, id: await addUser() }),
    ]).toEqual([true, false, false])
    for (const change of [
      `is_active = false`,
      `is_active = true, role_by_hand = 'viewer'`,
      `role_by_hand = null, role_of_groups = 'viewer'`,
    ]) {
      await database.query(`update scim_users set ${change} where user_id = $1`, [id])
      expect(await waits(), change).toBe(false)
    }
  })

  it('gets or loses its rights, and keeps the time since when it is disabled', async () => {
    const { database } = test
    const [one, two, three, foreign] = [await addUser(), await addUser(), await addUser(), await addUser('viewer', otherId)]
    await database.query('update users set disabled_at = $2 where id = any($1)', [[one, two], minutesAfter(1)])
    const right = (id: string, isEnabled: boolean) => ({ id, role: 'developer' as const, isEnabled })
    await saveRights(
      database,
      instanceId,
      [right(one, false), right(two, true), right(three, false), right(foreign, false)],
      minutesAfter(5),
    )
    const { rows } = await database.query(
      'select id, role, disabled_at as "disabledOn", updated_at as "updatedOn" from users where id = any($1)',
      [[one, two, three, foreign]],
    )
    const changed = (id: string, disabledOn: Date | null) => ({ id, role: 'developer', disabledOn, updatedOn: minutesAfter(5) })
    expect(new Map(rows.map((each) => [each.id, each]))).toEqual(
      new Map(
        [
          ...[changed(one, minutesAfter(1)), changed(two, null), changed(three, minutesAfter(5))],
          { id: foreign, role: 'viewer', disabledOn: null, updatedOn: AT },
        ].map((each) => [each.id, each]),
      ),
    )
  })

  it('loses its sessions, its logins under way and its links for a password, and no other does', async () => {
    const { database } = test
    const [one, two] = [await addUser(), await addUser()]
    for (const id of [one, two]) {
      await database.query(
        `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at) values ($1, gen_random_uuid(), $2, now(), now(), now())`,
        [instanceId, id],
      )
      await database.query(
        `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at, ended_at, end_reason) values ($1, gen_random_uuid(), $2, now(), now(), now(), $3, 'before')`,
        [instanceId, id, AT],
      )
      for (const completedAt of [null, AT])
        await database.query(
          'insert into login_challenges (instance_id, id, user_id, expires_at, completed_at) values ($1, gen_random_uuid(), $2, now(), $3)',
          [instanceId, id, completedAt],
        )
      for (const usedAt of [null, AT])
        await database.query(
          'insert into password_resets (instance_id, token_hash, user_id, expires_at, used_at) values ($1, $2, $3, now(), $4)',
          [instanceId, Buffer.from(randomUUID()), id, usedAt],
        )
    }
    await endAccess(database, otherId, [one], minutesAfter(5))
    const state = async (id: string) => [
      (await database.query('select ended_at as at, end_reason as why from sessions where user_id = $1 order by ended_at nulls last', [id]))
        .rows,
      (await database.query('select completed_at as at from login_challenges where user_id = $1 order by completed_at nulls last', [id]))
        .rows,
      (await database.query('select used_at is null as "isOpen" from password_resets where user_id = $1 order by used_at nulls last', [id]))
        .rows,
    ]
    const before = [
      [
        { at: AT, why: 'before' },
        { at: null, why: null },
      ],
      [{ at: AT }, { at: null }],
      [{ isOpen: false }, { isOpen: true }],
    ]
    expect(await state(one)).toEqual(before)
    await endAccess(database, instanceId, [one], minutesAfter(5))
    const at = minutesAfter(5)
    expect(await state(one)).toEqual([
      [
        { at: AT, why: 'before' },
        { at, why: 'changed by the identity provider' },
      ],
      [{ at: AT }, { at }],
      [{ isOpen: false }, { isOpen: false }],
    ])
    expect(await state(two)).toEqual(before)
    const { rows } = await database.query('select from password_resets where user_id = $1 and used_at = $2', [one, AT])
    expect(rows).toHaveLength(1)
  })

  it('is not the last enabled administrator, if there is another', async () => {
    const { database } = test
    await addUser('developer')
    await addUser('admin', otherId)
    expect(await hasEnabledAdmin(database, instanceId)).toBe(false)
    const id = await addUser('admin')
    expect(await hasEnabledAdmin(database, instanceId)).toBe(true)
    await database.query('update users set disabled_at = now() where id = $1', [id])
    expect(await hasEnabledAdmin(database, instanceId)).toBe(false)
  })

  it('changes while no other user of its instance does', async () => {
    const { database } = test
    const isFree = async (id: string) =>
      (await database.query('select from instances where id = $1 for no key update skip locked', [id])).rowCount === 1
    await inTransaction(database, async (db) => {
      await lockUsers(db, instanceId)
      expect([await isFree(instanceId), await isFree(otherId)]).toEqual([false, true])
    })
    expect(await isFree(instanceId)).toBe(true)
  })
})
