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
import { databaseForTests } from '../harness/for-tests.ts'
import { AT, later, storeMember, storeTwoInstances } from './stored-members.ts'

const test = databaseForTests()
let [instanceId, otherId, userId] = ['', '', '']

beforeEach(async () => {
  ;({ instanceId, otherId, userId } = await storeTwoInstances(test.database))
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

describe('a passkey', () => {
  const holder = (): PasskeyHolder => ({ kind: 'user', instanceId, id: userId })
  const newPasskey = (signCount = 0) => ({
    ...{ id: randomUUID(), name: 'Laptop', credentialId: randomBytes(16), publicKey: randomBytes(32), transports: ['usb'], signCount },
  })

  it('is stored once, and renamed and deleted by its holder only', async () => {
    const { database } = test
    const passkey = newPasskey()
    const stranger: PasskeyHolder = { ...holder(), id: await storeMember(test.database, instanceId) }
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
