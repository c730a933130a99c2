import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { AT, minutesAfter } from '../../../test/records/record-store.ts'
import { storeGroup, storeProvisioned, storeUser } from '../../../test/scim/stored-users.ts'
import { listKnownGroups, readProvisioningState } from './provisioning-state.ts'
import {
  changeMembers,
  countMembers,
  countScimGroups,
  deleteScimGroup,
  findScimGroup,
  isGroupNameTaken,
  listKnownUsers,
  listMemberIds,
  listScimGroups,
  saveScimGroup,
} from './scim-groups.ts'

const test = databaseForTests()
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  instanceId = await addInstance(test.database)
  otherId = await addInstance(test.database)
})

const addUser = async (of = instanceId) => (await storeUser(test.database, of)).id
const addProvisioned = (isActive = true, of = instanceId) => storeProvisioned(test.database, of, isActive)
const addGroup = (displayName: string, members: string[] = [], externalId: string | null = null, of = instanceId) =>
  storeGroup(test.database, of, displayName, { members, externalId })

describe('groups of an identity provider', () => {
  it('are stored and renamed under a new version, without their members', async () => {
    const { database } = test
    const id = await addGroup('Staff', [], 'ext')
    const group = { id, displayName: 'Staff', externalId: 'ext', version: 1, createdOn: AT, updatedOn: AT }
    expect([await findScimGroup(database, instanceId, id), await findScimGroup(database, otherId, id)]).toEqual([group, null])
    await saveScimGroup(database, instanceId, { id, displayName: 'STAFF É', externalId: null }, minutesAfter(1))
    expect(await findScimGroup(database, instanceId, id)).toEqual({
      ...group,
      displayName: 'STAFF É',
      externalId: null,
      version: 2,
      updatedOn: minutesAfter(1),
    })
    const isTaken = (name: string, except: string | null = null, of = instanceId) => isGroupNameTaken(database, of, name, except)
    expect([
      await isTaken('staff é'),
      await isTaken('Staff'),
      await isTaken('staff é', id),
      await isTaken('staff é', null, otherId),
    ]).toEqual([true, false, false, false])
    await deleteScimGroup(database, otherId, id)
    expect(await countScimGroups(database, instanceId)).toBe(1)
    await deleteScimGroup(database, instanceId, id)
    expect([await countScimGroups(database, instanceId), await findScimGroup(database, instanceId, id)]).toEqual([0, null])
  })

  it('have members, who are users of the instance', async () => {
    const { database } = test
    const [one, two, three, foreign] = [await addUser(), await addUser(), await addUser(), await addUser(otherId)]
    const [group, other] = [await addGroup('A', [one, two]), await addGroup('B', [one])]
    const empty = await addGroup('C')
    expect(await listMemberIds(database, instanceId, group)).toEqual([one, two].toSorted())
    await changeMembers(database, { instanceId, groupId: group }, { added: [two, three], removed: [one, foreign] })
    expect([await listMemberIds(database, instanceId, group), await listMemberIds(database, instanceId, other)]).toEqual([
      [two, three].toSorted(),
      [one],
    ])
    expect(await listMemberIds(database, otherId, group)).toEqual([])
    expect(await countMembers(database, instanceId, [group, empty])).toEqual(new Map([[group, 2]]))
    expect(await listKnownUsers(database, instanceId, [one, foreign, randomUUID()])).toEqual(new Set([one]))
  })

  it('are listed by filters, oldest first', async () => {
    const { database } = test
    const member = await addUser()
    const [old, young] = [await addGroup('Old', [member], 'ext'), await addGroup('Young')]
    await addGroup('Foreign', [], null, otherId)
    await database.query('update scim_groups set created_at = $2, updated_at = $3 where id = $1', [old, minutesAfter(-9), minutesAfter(9)])
    const list = async (filter: Parameters<typeof listScimGroups>[2]['filter'], page: { offset?: number; limit?: number } = {}) => {
      const { groups, total } = await listScimGroups(database, instanceId, { filter, offset: 0, limit: 9, ...page })
      return [groups.map(({ displayName }) => displayName).join(' '), total]
    }
    expect([await list(null), await list(null, { offset: 1 }), await list(null, { limit: 1 })]).toEqual([
      ['Old Young', 2],
      ['Young', 2],
      ['Old', 2],
    ])
    expect([await list(null, { offset: 2 }), await list(null, { limit: 0 })]).toEqual([
      ['', 2],
      ['', 2],
    ])
    for (const [attribute, value] of [
      ['id', old],
      ['displayname', 'OLD'],
      ['externalid', 'ext'],
      ['members', member],
      ['members.value', member],
      ['meta.created', minutesAfter(-9).toISOString()],
      ['meta.lastmodified', minutesAfter(9).toISOString()],
    ] as const)
      expect(await list({ kind: 'compare', attribute, operator: 'eq', value }), attribute).toEqual(['Old', 1])
    expect(await list({ kind: 'compare', attribute: 'displayname', operator: 'co', value: 'OUN' })).toEqual(['Young', 1])
    expect([await list({ kind: 'present', attribute: 'members' }), await list({ kind: 'present', attribute: 'members.value' })]).toEqual([
      ['Old', 1],
      ['Old', 1],
    ])
    for (const attribute of ['members', 'members.value'])
      await expect(list({ kind: 'compare', attribute, operator: 'co', value: 'x' })).rejects.toThrow('is looked for by eq and pr only')
    expect((await listScimGroups(database, instanceId, { filter: null, offset: 0, limit: 9 })).groups[1]).toMatchObject({
      id: young,
      version: 1,
      createdOn: AT,
    })
  })

  it('are shown with the state of provisioning', async () => {
    const { database } = test
    const none = { lastRequestOn: null, users: 0, inactiveUsers: 0, usersWithoutRole: 0, groups: 0 }
    expect(await readProvisioningState(database, instanceId, 'scim')).toEqual(none)
    const [one, two, three] = [await addProvisioned(), await addProvisioned(false), await addProvisioned()]
    await addProvisioned(true, otherId)
    await database.query(`update scim_users set role_by_hand = 'viewer' where user_id = $1`, [one])
    await database.query(`update scim_users set role_of_groups = 'viewer' where user_id = $1`, [two])
    const [b, a] = [await addGroup('b', [one, three], 'ext'), await addGroup('A')]
    await addGroup('c', [], null, otherId)
    for (const [minutes, scope, of] of [
      [1, 'scim', instanceId],
      [2, 'scim', instanceId],
      [8, 'read', instanceId],
      [9, 'scim', otherId],
    ] as const)
      await database.query(
        `insert into api_keys (instance_id, id, application_id, name, prefix, token_hash, scopes, created_by, created_at, last_used_at)
         values ($1, gen_random_uuid(), gen_random_uuid(), 'k', 'p', $2, array[$3], gen_random_uuid(), now(), $4)`,
        [of, Buffer.from(randomUUID()), scope, minutesAfter(minutes)],
      )
    expect(await readProvisioningState(database, instanceId, 'scim')).toEqual({
      lastRequestOn: minutesAfter(2),
      users: 3,
      inactiveUsers: 1,
      usersWithoutRole: 1,
      groups: 2,
    })
    const groups = [
      { id: a, displayName: 'A', externalId: null, members: 0 },
      { id: b, displayName: 'b', externalId: 'ext', members: 2 },
    ]
    expect([await listKnownGroups(database, instanceId, 9), await listKnownGroups(database, instanceId, 1)]).toEqual([
      groups,
      groups.slice(0, 1),
    ])
  })
})
