import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  cancelPasswordResets,
  consumePasswordReset,
  createPasswordReset,
  deleteOldPasswordResets,
  findPasswordReset,
} from '../../src/store/access/password-resets.ts'
import {
  deleteUser,
  findLoginUser,
  findPasswordHash,
  findUser,
  insertUser,
  listAdmins,
  lockOtherAdmins,
  lockPasswordHash,
  noteLogin,
  noteProvenEmail,
  removePasswords,
  renewPasswordHash,
  updatePasswordHash,
  updateUser,
} from '../../src/store/access/users.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { AT, emailOf, later, storeMember, storeTwoInstances } from './stored-members.ts'

const test = databaseForTests()
let [instanceId, otherId, userId] = ['', '', '']

beforeEach(async () => {
  ;({ instanceId, otherId, userId } = await storeTwoInstances(test.database))
})

describe('a user', () => {
  it('has an address that no other has, in any instance', async () => {
    const again = { id: randomUUID(), email: emailOf(userId), name: 'Blake', role: 'viewer', passwordHash: 'x' } as const
    expect(await insertUser(test.database, { instanceId: otherId, ...again }, AT)).toBe(false)
    expect(await findUser(test.database, otherId, again.id)).toBe(null)
    expect(await findLoginUser(test.database, emailOf(userId))).toMatchObject({
      id: userId,
      instanceId,
      passwordHash: 'first',
      role: 'admin',
    })
    expect(await findLoginUser(test.database, 'nobody@maple.example')).toBe(null)
  })

  it('is not found, changed or deleted in another instance', async () => {
    const { database } = test
    const details = { name: 'Blake', role: 'viewer', isEnabled: true } as const
    expect(await findUser(database, otherId, userId)).toBe(null)
    expect(await updateUser(database, otherId, userId, details, later(1))).toBe(false)
    expect(await findPasswordHash(database, otherId, userId)).toBe(null)
    expect(await lockPasswordHash(database, otherId, userId)).toBe(null)
    await updatePasswordHash(database, otherId, userId, 'second', later(1))
    await removePasswords(database, otherId, 'none')
    await noteProvenEmail(database, otherId, userId, later(1))
    expect(await noteLogin(database, otherId, userId, later(1), 'fr-CA')).toBe(null)
    expect(await deleteUser(database, otherId, userId)).toBe(false)
    expect(await findLoginUser(database, emailOf(userId))).toMatchObject({
      name: 'Avery',
      role: 'admin',
      passwordHash: 'first',
      emailProvenOn: null,
    })
    expect(await updateUser(database, instanceId, userId, details, later(1))).toBe(true)
    expect(await findUser(database, instanceId, userId)).toMatchObject({ name: 'Blake', role: 'viewer', updatedOn: later(1) })
    await updatePasswordHash(database, instanceId, userId, 'second', later(2))
    expect(await findLoginUser(database, emailOf(userId))).toMatchObject({ passwordHash: 'second', updatedOn: later(2) })
    await removePasswords(database, instanceId, 'none')
    expect(await findPasswordHash(database, instanceId, userId)).toBe('none')
    expect([await deleteUser(database, instanceId, userId), await deleteUser(database, instanceId, userId)]).toEqual([true, false])
  })

  it('who is disabled has no password to sign in with', async () => {
    const { database } = test
    expect([await findPasswordHash(database, instanceId, userId), await lockPasswordHash(database, instanceId, userId)]).toEqual([
      'first',
      'first',
    ])
    await updateUser(database, instanceId, userId, { name: 'Avery', role: 'admin', isEnabled: false }, later(1))
    expect([await findPasswordHash(database, instanceId, userId), await lockPasswordHash(database, instanceId, userId)]).toEqual([
      null,
      null,
    ])
    expect(await findUser(database, instanceId, userId)).toMatchObject({ isEnabled: false })
  })

  it('keeps a password that was changed while its hash was renewed', async () => {
    const user = await findLoginUser(test.database, emailOf(userId))
    if (!user) throw new Error('the user is gone')
    expect(await renewPasswordHash(test.database, user, 'renewed')).toBe(true)
    expect(await renewPasswordHash(test.database, user, 'renewed again')).toBe(false)
    expect(await findPasswordHash(test.database, instanceId, userId)).toBe('renewed')
  })

  it('has proven its address the first time only, and is told of its last login', async () => {
    const { database } = test
    for (const minutes of [1, 2]) await noteProvenEmail(database, instanceId, userId, later(minutes))
    expect(await findUser(database, instanceId, userId)).toMatchObject({ emailProvenOn: later(1) })
    expect(await noteLogin(database, instanceId, userId, later(1), null)).toBe(null)
    expect(await noteLogin(database, instanceId, userId, later(2), 'fr-CA')).toEqual(later(1))
  })

  it('is the last administrator unless another of the instance is enabled', async () => {
    const hasOther = () => inTransaction(test.database, (db) => lockOtherAdmins(db, instanceId, userId))
    await storeMember(test.database, instanceId, { role: 'developer' })
    await storeMember(test.database, otherId)
    expect(await hasOther()).toBe(false)
    const second = await storeMember(test.database, instanceId)
    expect(await hasOther()).toBe(true)
    expect((await listAdmins(test.database, 1000)).map(({ id }) => id)).toEqual(expect.arrayContaining([userId, second]))
    await updateUser(test.database, instanceId, second, { name: 'Blake', role: 'admin', isEnabled: false }, later(1))
    expect(await hasOther()).toBe(false)
    expect((await listAdmins(test.database, 1000)).map(({ id }) => id)).not.toContain(second)
    expect(await listAdmins(test.database, 1)).toHaveLength(1)
  })
})

describe('a link to set a password', () => {
  it('is used once, and ends the other links of its user only', async () => {
    const { database } = test
    const [first, second, others] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const [user, other] = [
      { instanceId, userId },
      { instanceId, userId: await storeMember(test.database, instanceId) },
    ]
    for (const hash of [first, second]) await createPasswordReset(database, hash, user, 1)
    await createPasswordReset(database, others, other, 1)
    expect(await findPasswordReset(database, [randomBytes(32), first])).toEqual(user)
    expect(await consumePasswordReset(database, [randomBytes(32)], user)).toBe(false)
    expect([await findPasswordReset(database, [first]), await findPasswordReset(database, [second])]).toEqual([user, user])
    expect(await consumePasswordReset(database, [first], user)).toBe(true)
    expect(await consumePasswordReset(database, [first], user)).toBe(false)
    expect([await findPasswordReset(database, [first]), await findPasswordReset(database, [second])]).toEqual([null, null])
    expect(await consumePasswordReset(database, [second], user)).toBe(false)
    expect(await findPasswordReset(database, [others])).toEqual(other)
    await cancelPasswordResets(database, { instanceId: otherId, userId: other.userId })
    expect(await findPasswordReset(database, [others])).toEqual(other)
    await cancelPasswordResets(database, other)
    expect(await findPasswordReset(database, [others])).toBe(null)
  })

  it('opens nothing once it has expired, or its user is disabled, and is deleted a day later', async () => {
    const { database } = test
    const [expired, old, live] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    for (const [hash, hours] of [
      [expired, -1],
      [old, -25],
      [live, 1],
    ] as const)
      await createPasswordReset(database, hash, { instanceId, userId }, hours)
    expect(await findPasswordReset(database, [expired])).toBe(null)
    expect(await consumePasswordReset(database, [expired], { instanceId, userId })).toBe(false)
    await deleteOldPasswordResets(database)
    const { rows } = await database.query<{ hash: Buffer }>('select token_hash as hash from password_resets where user_id = $1', [userId])
    const hexes = (hashes: Buffer[]) => hashes.map((hash) => hash.toString('hex')).sort()
    expect(hexes(rows.map(({ hash }) => hash))).toEqual(hexes([expired, live]))
    await updateUser(database, instanceId, userId, { name: 'Avery', role: 'admin', isEnabled: false }, later(1))
    expect(await findPasswordReset(database, [live])).toBe(null)
  })
})
