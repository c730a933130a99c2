import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createApiKey,
  findApiKey,
  findApiKeyByToken,
  lockApiKey,
  noteApiKeyUses,
  replaceApiKey,
  revokeApiKey,
} from '../../src/store/access/api-keys.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import {
  consumePasskeyChallenge,
  createPasskeyChallenge,
  deletePasskey,
  deletePasskeys,
  insertPasskey,
  listPasskeys,
  notePasskeyUse,
  type PasskeyHolder,
  renamePasskey,
} from '../../src/store/access/passkeys.ts'
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
  type Role,
  removePasswords,
  renewPasswordHash,
  updatePasswordHash,
  updateUser,
} from '../../src/store/access/users.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const AT = new Date('2026-11-20T12:00:00Z')
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)

const test = databaseForTests()
let [instanceId, otherId, userId] = ['', '', '']
let email = ''

async function addUser(role: Role = 'admin', of = instanceId): Promise<string> {
  const id = randomUUID()
  email = `${id}@maple.example`
  await insertUser(test.database, { instanceId: of, id, email, name: 'Avery', role, passwordHash: 'first' }, AT)
  return id
}

beforeEach(async () => {
  instanceId = randomUUID()
  otherId = randomUUID()
  for (const id of [instanceId, otherId]) await createInstance(test.database, { id, name: 'Maple Lending' })
  userId = await addUser()
})

describe('a user', () => {
  it('has an address that no other has, in any instance', async () => {
    const again = { id: randomUUID(), email, name: 'Blake', role: 'viewer', passwordHash: 'x' } as const
    expect(await insertUser(test.database, { instanceId: otherId, ...again }, AT)).toBe(false)
    expect(await findUser(test.database, otherId, again.id)).toBe(null)
    expect(await findLoginUser(test.database, email)).toMatchObject({ id: userId, instanceId, passwordHash: 'first', role: 'admin' })
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
    expect(await findLoginUser(database, email)).toMatchObject({ name: 'Avery', role: 'admin', passwordHash: 'first', emailProvenOn: null })
    expect(await updateUser(database, instanceId, userId, details, later(1))).toBe(true)
    expect(await findUser(database, instanceId, userId)).toMatchObject({ name: 'Blake', role: 'viewer', updatedOn: later(1) })
    await updatePasswordHash(database, instanceId, userId, 'second', later(2))
    expect(await findLoginUser(database, email)).toMatchObject({ passwordHash: 'second', updatedOn: later(2) })
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
    const user = await findLoginUser(test.database, email)
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
    await addUser('developer')
    await addUser('admin', otherId)
    expect(await hasOther()).toBe(false)
    const second = await addUser('admin')
    expect(await hasOther()).toBe(true)
    expect((await listAdmins(test.database, 1000)).map(({ id }) => id)).toEqual(expect.arrayContaining([userId, second]))
    await updateUser(test.database, instanceId, second, { name: 'Blake', role: 'admin', isEnabled: false }, later(1))
    expect(await hasOther()).toBe(false)
    expect((await listAdmins(test.database, 1000)).map(({ id }) => id)).not.toContain(second)
    expect(await listAdmins(test.database, 1)).toHaveLength(1)
  })
})

describe('an API key', () => {
  const newKey = (id = randomUUID(), tokenHash = randomBytes(32)) => ({
    ...{ instanceId, id, applicationId: id, name: 'Ledger', prefix: 'ch_ab', scopes: ['data:read'], createdBy: userId },
    ...{ createdOn: AT, expiresOn: null, tokenHash },
  })

  it('is found by its token, or one of its possible hashes, and by its id in its instance only', async () => {
    const { database } = test
    const key = newKey()
    const stored = await createApiKey(database, key)
    expect(stored).toMatchObject({ id: key.id, scopes: ['data:read'], revokedOn: null, lastUsedOn: null, replacedBy: null })
    expect(await findApiKeyByToken(database, [randomBytes(32), key.tokenHash])).toEqual(stored)
    expect(await findApiKeyByToken(database, [randomBytes(32)])).toBe(null)
    expect(await findApiKey(database, instanceId, key.id)).toEqual(stored)
    expect(await lockApiKey(database, instanceId, key.id)).toEqual(stored)
    expect([await findApiKey(database, otherId, key.id), await lockApiKey(database, otherId, key.id)]).toEqual([null, null])
  })

  it('that a repeated request creates again has the new token only', async () => {
    const first = newKey()
    await createApiKey(test.database, first)
    const again = { ...newKey(first.id), name: 'Other', prefix: 'ch_cd' }
    expect(await createApiKey(test.database, again)).toMatchObject({ id: first.id, name: 'Ledger', prefix: 'ch_cd' })
    expect(await findApiKeyByToken(test.database, [first.tokenHash])).toBe(null)
    expect(await findApiKeyByToken(test.database, [again.tokenHash])).toMatchObject({ id: first.id })
  })

  it('is revoked once, at the first time, and in its instance only', async () => {
    const { database } = test
    const { id } = await createApiKey(database, newKey())
    expect(await revokeApiKey(database, otherId, id, later(1))).toBe(false)
    expect((await findApiKey(database, instanceId, id))?.revokedOn).toBe(null)
    expect([await revokeApiKey(database, instanceId, id, later(2)), await revokeApiKey(database, instanceId, id, later(3))]).toEqual([
      true,
      false,
    ])
    expect((await findApiKey(database, instanceId, id))?.revokedOn).toEqual(later(2))
  })

  it('names its successor and its end, and the minute of its last use', async () => {
    const { database } = test
    const [one, other] = [await createApiKey(database, newKey()), await createApiKey(database, newKey())]
    await replaceApiKey(database, one, { replacedBy: other.id, expiresOn: later(60) })
    await noteApiKeyUses(database, [])
    const use = (seconds: number, of = instanceId) => ({ instanceId: of, keyId: one.id, at: new Date(AT.getTime() + seconds * 1000) })
    await noteApiKeyUses(database, [use(125)])
    await noteApiKeyUses(database, [use(65), use(600, otherId)])
    expect(await findApiKey(database, instanceId, one.id)).toMatchObject({
      replacedBy: other.id,
      expiresOn: later(60),
      lastUsedOn: later(2),
    })
    expect(await findApiKey(database, instanceId, other.id)).toMatchObject({ replacedBy: null, expiresOn: null, lastUsedOn: null })
  })
})

describe('a link to set a password', () => {
  it('is used once, and ends the other links of its user only', async () => {
    const { database } = test
    const [first, second, others] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const [user, other] = [
      { instanceId, userId },
      { instanceId, userId: await addUser() },
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

describe('a passkey', () => {
  const holder = (): PasskeyHolder => ({ kind: 'user', instanceId, id: userId })
  const newPasskey = (signCount = 0) => ({
    ...{ id: randomUUID(), name: 'Laptop', credentialId: randomBytes(16), publicKey: randomBytes(32), transports: ['usb'], signCount },
  })

  it('is stored once, and renamed and deleted by its holder only', async () => {
    const { database } = test
    const passkey = newPasskey()
    const stranger: PasskeyHolder = { ...holder(), id: await addUser() }
    expect(await insertPasskey(database, holder(), passkey, AT)).toBe(true)
    expect(await insertPasskey(database, stranger, { ...passkey, id: randomUUID() }, AT)).toBe(false)
    expect([await renamePasskey(database, stranger, passkey.id, 'Phone'), await deletePasskey(database, stranger, passkey.id)]).toEqual([
      false,
      false,
    ])
    expect([await renamePasskey(database, holder(), passkey.id, 'Phone'), await deletePasskeys(database, stranger)]).toEqual([true, 0])
    expect(await listPasskeys(database, holder())).toEqual([
      expect.objectContaining({ id: passkey.id, name: 'Phone', transports: ['usb'], createdOn: AT, lastUsedOn: null }),
    ])
    expect([await deletePasskey(database, holder(), passkey.id), await deletePasskey(database, holder(), passkey.id)]).toEqual([
      true,
      false,
    ])
    for (const one of [newPasskey(), newPasskey()]) await insertPasskey(database, holder(), one, AT)
    expect([await deletePasskeys(database, holder()), await listPasskeys(database, holder())]).toEqual([2, []])
  })

  it.each<[string, number, [number, boolean][]]>([
    [
      'that counts has to count on',
      5,
      [
        [6, true],
        [6, false],
        [5, false],
        [7, true],
      ],
    ],
    [
      'that does not count sends 0 each time',
      0,
      [
        [0, true],
        [0, true],
      ],
    ],
    [
      'that has counted once may not stop',
      3,
      [
        [0, false],
        [4, true],
      ],
    ],
  ])('%s', async (_what, signCount, uses) => {
    const passkey = newPasskey(signCount)
    await insertPasskey(test.database, holder(), passkey, AT)
    const accepted: [number, boolean][] = []
    for (const [count] of uses) accepted.push([count, await notePasskeyUse(test.database, holder(), passkey.id, count, later(1))])
    expect(accepted).toEqual(uses)
  })

  it('has challenges that serve once, in time, for their purpose and holder', async () => {
    const { database } = test
    const challenge = randomBytes(32)
    await createPasskeyChallenge(database, holder(), { challenge, purpose: 'login', expiresAt: later(5) })
    const consume = (parts: { of?: PasskeyHolder; purpose?: 'login' | 'proof' | 'registration'; at?: Date; bytes?: Uint8Array }) =>
      consumePasskeyChallenge(database, parts.of ?? holder(), parts.bytes ?? challenge, parts.purpose ?? 'login', parts.at ?? later(1))
    const refused = [
      { of: { ...holder(), id: randomUUID() } },
      { of: { ...holder(), instanceId: otherId } },
      { purpose: 'registration' } as const,
    ]
    for (const parts of [...refused, { purpose: 'proof' } as const, { at: later(5) }, { bytes: randomBytes(32) }])
      expect(await consume(parts), JSON.stringify(parts)).toBe(false)
    expect([await consume({}), await consume({})]).toEqual([true, false])
  })
})
