import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { AT, minutesAfter } from '../../../test/records/record-store.ts'
import { storeUser } from '../../../test/scim/stored-users.ts'
import { inTransaction } from '../db/database.ts'
import type { ScimFilter } from './filters.ts'
import { changeMembers, saveScimGroup } from './scim-groups.ts'
import {
  adoptUsers,
  findScimUser,
  insertScimUser,
  isUserNameTaken,
  listScimUsers,
  type ScimUserRow,
  updateAccount,
  updateScimUser,
} from './scim-users.ts'

const test = databaseForTests()
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  instanceId = await addInstance(test.database)
  otherId = await addInstance(test.database)
})

/** A user who was created so many minutes after the first. */
const addUser = (name: string, minutes = 0, of = instanceId) =>
  storeUser(test.database, of, { name, createdAt: minutesAfter(minutes), updatedAt: minutesAfter(minutes + 100) })

const row = (other: Partial<ScimUserRow> = {}): ScimUserRow => ({
  ...{
    userName: 'Ana.Roy',
    externalId: 'ext',
    attributes: { displayName: 'Ana', name: { givenName: 'Ana', familyName: 'Roy', formatted: 'Ana Roy' } },
    isActive: true,
  },
  ...other,
})

describe('a user as an identity provider sees it', () => {
  it('has what its account has until the provider has said something else', async () => {
    const { id, email } = await addUser('ben')
    const own = { id, email, name: 'ben', groups: [], createdOn: AT, updatedOn: minutesAfter(100) }
    const attributes = { displayName: 'ben', emails: [{ value: email, type: 'work', primary: true }] }
    expect(await findScimUser(test.database, instanceId, id)).toEqual({
      ...own,
      userName: email,
      externalId: null,
      attributes,
      isActive: true,
    })
    await test.database.query('update users set disabled_at = now() where id = $1', [id])
    expect((await findScimUser(test.database, instanceId, id))?.isActive).toBe(false)
    await insertScimUser(test.database, instanceId, id, row())
    expect(await findScimUser(test.database, instanceId, id)).toEqual({ ...own, ...row() })
    expect([await findScimUser(test.database, otherId, id), await findScimUser(test.database, instanceId, randomUUID())]).toEqual([
      null,
      null,
    ])
  })

  it('is replaced as a whole, and its roles stay', async () => {
    const [{ id }, other] = [await addUser('ben'), await addUser('cam')]
    for (const each of [id, other.id]) await insertScimUser(test.database, instanceId, each, row({ userName: each }))
    await test.database.query(`update scim_users set role_by_hand = 'admin', role_of_groups = 'viewer' where user_id = $1`, [id])
    const changed = row({ userName: 'ÉLOI', externalId: null, attributes: { displayName: 'E' }, isActive: false })
    await updateScimUser(test.database, instanceId, id, changed)
    expect(await findScimUser(test.database, instanceId, id)).toMatchObject(changed)
    const { rows } = await test.database.query(
      'select user_name_key as key, role_by_hand as hand, role_of_groups as groups from scim_users where user_id = $1',
      [id],
    )
    expect(rows).toEqual([{ key: 'éloi', hand: 'admin', groups: 'viewer' }])
    expect(await findScimUser(test.database, instanceId, other.id)).toMatchObject(row({ userName: other.id }))
  })

  it('is in its groups, in the order of their names', async () => {
    const { id } = await addUser('ben')
    const groups = ['beta', 'Alpha'].map((displayName) => ({ id: randomUUID(), displayName, externalId: null }))
    for (const group of groups) {
      await saveScimGroup(test.database, instanceId, group, AT)
      await changeMembers(test.database, { instanceId, groupId: group.id }, { added: [id], removed: [] })
    }
    const inGroups = groups.toReversed().map(({ id: groupId, displayName }) => ({ id: groupId, displayName }))
    expect((await findScimUser(test.database, instanceId, id))?.groups).toEqual(inGroups)
    expect((await listScimUsers(test.database, instanceId, { filter: null, offset: 0, limit: 9 })).users[0]?.groups).toEqual(inGroups)
  })

  it('is kept with what the account has, once; a taken name is told', async () => {
    const [one, two, untouched] = [await addUser('one'), await addUser('two'), await addUser('three')]
    await test.database.query(`update users set disabled_at = now(), role = 'developer' where id = $1`, [two.id])
    const adopt = (ids: string[]) => inTransaction(test.database, (db) => adoptUsers(db, instanceId, ids))
    expect(await adopt([one.id, two.id])).toBe(true)
    await updateScimUser(test.database, instanceId, one.id, row())
    expect(await adopt([one.id])).toBe(true)
    const { rows } = await test.database.query(
      `select user_id as id, user_name as name, is_active as "isActive", role_by_hand as role from scim_users where instance_id = $1`,
      [instanceId],
    )
    expect(new Set(rows.map((each) => JSON.stringify(each)))).toEqual(
      new Set(
        [
          { id: one.id, name: 'Ana.Roy', isActive: true, role: 'viewer' },
          { id: two.id, name: two.email, isActive: false, role: 'developer' },
        ].map((each) => JSON.stringify(each)),
      ),
    )
    await updateScimUser(test.database, instanceId, one.id, row({ userName: untouched.email }))
    // The transaction has failed, which the caller rolls back.
    expect(await adopt([untouched.id])).toBe(false)
    await expect(adopt(['no id'])).rejects.toMatchObject({ code: '22P02' })
  })

  it('changes its account: a new address is not proven, and one that is taken is told', async () => {
    const [one, two, foreign] = [await addUser('one'), await addUser('two'), await addUser('three', 0, otherId)]
    await test.database.query('update users set email_proven_at = $1', [AT])
    const update = (id: string, name: string, email: string, of = instanceId) =>
      inTransaction(test.database, (db) => updateAccount(db, of, id, { name, email, at: minutesAfter(7) }))
    const account = async (id: string) =>
      (await test.database.query('select name, email, email_proven_at as proven, updated_at as "updatedOn" from users where id = $1', [id]))
        .rows[0]
    expect(await update(one.id, 'New', one.email)).toBe(true)
    expect(await account(one.id)).toEqual({ name: 'New', email: one.email, proven: AT, updatedOn: minutesAfter(7) })
    expect(await update(one.id, 'New', `n${one.email}`)).toBe(true)
    expect(await account(one.id)).toMatchObject({ email: `n${one.email}`, proven: null })
    expect([
      await update(one.id, 'x', two.email),
      await update(one.id, 'x', foreign.email),
      await update(two.id, 'x', `x${two.email}`, otherId),
    ]).toEqual([false, false, true])
    expect([await account(one.id), await account(two.id)]).toMatchObject([{ name: 'New' }, { name: 'two', email: two.email }])
  })

  it('has a name that no other of its instance has, as sent or as address', async () => {
    const [sent, plain, foreign] = [await addUser('sent'), await addUser('plain'), await addUser('foreign', 0, otherId)]
    await insertScimUser(test.database, instanceId, sent.id, row())
    const isTaken = (name: string, except: string | null = null, of = instanceId) => isUserNameTaken(test.database, of, name, except)
    expect([await isTaken('ANA.ROY'), await isTaken('ana.roy', sent.id), await isTaken('ana.roy', null, otherId)]).toEqual([
      true,
      false,
      false,
    ])
    expect([await isTaken(plain.email.toUpperCase()), await isTaken(plain.email, plain.id), await isTaken(plain.email, sent.id)]).toEqual([
      true,
      false,
      true,
    ])
    // Its address is no name any more once the provider has sent one.
    expect([await isTaken(sent.email), await isTaken(foreign.email), await isTaken('nobody')]).toEqual([false, false, false])
  })
})

describe('a list of users', () => {
  const list = async (filter: ScimFilter | null, page: { offset?: number; limit?: number } = {}) => {
    const { users, total } = await listScimUsers(test.database, instanceId, { filter, offset: 0, limit: 9, ...page })
    return { names: users.map(({ name }) => name).join(' '), total }
  }
  const is = (attribute: string, value: string | boolean, operator: 'eq' | 'gt' | 'co' = 'eq') =>
    list({ kind: 'compare', attribute, operator, value })

  it.each([
    [0, 9, 'a b c', 3],
    [1, 1, 'b', 3],
    [2, 9, 'c', 3],
    [3, 9, '', 3],
    [0, 0, '', 3],
  ])('from %d on with at most %d is in the order of creation: %s', async (offset, limit, names, total) => {
    for (const [at, name] of ['c', 'a', 'b'].entries()) await addUser(name, [3, 1, 2][at])
    await addUser('foreign', 0, otherId)
    expect(await list(null, { offset, limit })).toEqual({ names, total })
    expect(await list({ kind: 'present', attribute: 'id' }, { offset, limit })).toEqual({ names, total })
  })

  it('is found by each attribute, as the provider knows it', async () => {
    const [ana, ben, cam] = [await addUser('ana', 1), await addUser('ben', 2), await addUser('cam', 3)]
    await insertScimUser(
      test.database,
      instanceId,
      ana.id,
      row({ attributes: { displayName: 'Shown', name: { givenName: 'Given', familyName: 'Family', formatted: 'Whole' } } }),
    )
    await insertScimUser(test.database, instanceId, cam.id, row({ userName: 'cam.x', externalId: 'EXT', attributes: {}, isActive: false }))
    const only = (names: string) => ({ names, total: names === '' ? 0 : names.split(' ').length })
    for (const [attribute, value, names] of [
      ['id', ben.id, 'ben'],
      ['username', 'ANA.ROY', 'ana'],
      ['username', ben.email, 'ben'],
      ['username', ana.email, ''],
      ['externalid', 'ext', 'ana'],
      ['active', true, 'ana ben'],
      ['active', false, 'cam'],
      ['displayname', 'shown', 'ana'],
      ['displayname', 'ben', 'ben'],
      ['displayname', 'cam', ''],
      ['name.givenname', 'given', 'ana'],
      ['name.familyname', 'family', 'ana'],
      ['name.formatted', 'whole', 'ana'],
      ['emails', cam.email, 'cam'],
      ['emails.value', cam.email, 'cam'],
      ['meta.created', minutesAfter(2).toISOString(), 'ben'],
      ['meta.lastmodified', minutesAfter(103).toISOString(), 'cam'],
    ] as const)
      expect(await is(attribute, value), `${attribute} ${value}`).toEqual(only(names))
    expect([await is('username', 'cam', 'co'), await is('emails', 'ANA-', 'co'), await is('emails.value', 'ben-', 'co')]).toEqual([
      only('cam'),
      only('ana'),
      only('ben'),
    ])
    expect([await is('meta.created', minutesAfter(1).toISOString(), 'gt'), await is('displayname', 'BEN', 'co')]).toEqual([
      only('ben cam'),
      only('ben'),
    ])
  })
})
