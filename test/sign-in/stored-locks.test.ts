import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey, listApiKeys, lockApiKey } from '../../src/store/access/api-keys.ts'
import { lockIdentityProvider, lockProviderRequirement, saveIdentityProvider } from '../../src/store/access/identity-providers.ts'
import { createInstance, lockInstance } from '../../src/store/access/instances.ts'
import {
  consumePasskeyChallenge,
  createPasskeyChallenge,
  deleteOldPasskeyChallenges,
  lockPasskeyHolder,
} from '../../src/store/access/passkeys.ts'
import { lockTwoStepRule } from '../../src/store/access/sign-in-rules.ts'
import {
  insertUser,
  listUsers,
  lockOtherAdmins,
  lockPasswordHash,
  lockPasswordHashes,
  normalizeEmail,
} from '../../src/store/access/users.ts'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import type { Clause } from '../../src/store/db/list-selection.ts'
import { insertOperator, lockOperator } from '../../src/store/operators/operators.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const AT = new Date('2026-11-20T12:00:00Z')
const AT_TEXT = '2026-11-20T12:00:00.000000Z'
const [instanceId, userId, keyId, operatorId, providerId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]

const test = databaseForTests()

beforeAll(async () => {
  const { database } = test
  await createInstance(database, { id: instanceId, name: 'Maple Lending' })
  const user = { instanceId, id: userId, email: 'avery@maple.example', name: 'Avery', role: 'admin', passwordHash: 'hash' } as const
  await insertUser(database, user, AT)
  await insertUser(database, { ...user, id: randomUUID(), email: 'blake@maple.example', name: 'Blake', role: 'viewer' }, new Date(0))
  const key = {
    instanceId,
    id: keyId,
    applicationId: keyId,
    name: 'Ledger',
    prefix: 'ch_ab',
    scopes: ['data:read'],
    createdBy: userId,
    createdOn: AT,
  }
  await createApiKey(database, { ...key, expiresOn: AT, tokenHash: randomBytes(32) })
  const other = {
    id: randomUUID(),
    applicationId: randomUUID(),
    name: 'Other',
    prefix: 'ch_cd',
    createdBy: randomUUID(),
    createdOn: new Date(0),
  }
  await createApiKey(database, { ...key, ...other, expiresOn: new Date(0), tokenHash: randomBytes(32) })
  await insertOperator(database, { id: operatorId, email: 'op@maple.example', name: 'Avery' }, AT)
  await saveIdentityProvider(database, {
    ...{ instanceId, id: providerId, issuer: 'https://login.example', clientId: 'ch', scopes: [], parameters: {}, groupsClaim: null },
    ...{ emailDomains: [], trustsEmails: false, createsMembers: false, defaultRole: null, acceptedAcr: [], acceptedAmr: [] },
    ...{ isRequired: false, triedAt: null, version: randomUUID(), updatedAt: AT, sealedSecret: Buffer.of(1) },
  })
})

describe('a lock holds its rows until the transaction ends', () => {
  it.each<[string, string, (db: Db) => Promise<unknown>]>([
    ['of a user', 'users', (db) => lockPasswordHash(db, instanceId, userId)],
    ['of all users', 'users', (db) => lockPasswordHashes(db, instanceId)],
    ['of the holder of passkeys', 'users', (db) => lockPasskeyHolder(db, { kind: 'user', instanceId, id: userId })],
    [
      'of an operator with passkeys',
      'operators',
      (db) => lockPasskeyHolder(db, { kind: 'operator', instanceId: '00000000-0000-0000-0000-000000000000', id: operatorId }),
    ],
    ['of an operator', 'operators', (db) => lockOperator(db, operatorId)],
    ['of an API key', 'api_keys', (db) => lockApiKey(db, instanceId, keyId)],
    ['of an instance', 'instances', (db) => lockInstance(db, instanceId)],
    ['of its administrators', 'instances', (db) => lockOtherAdmins(db, instanceId, userId)],
    ['of its rule for second steps', 'instances', (db) => lockTwoStepRule(db, instanceId)],
    ['of its identity provider', 'identity_providers', (db) => lockIdentityProvider(db, instanceId)],
    ['of whether its provider is required', 'identity_providers', (db) => lockProviderRequirement(db, instanceId)],
  ])('%s', async (_what, table, lock) => {
    const others = () => test.database.query(`select from ${table} for no key update nowait`)
    await inTransaction(test.database, async (db) => {
      await lock(db)
      await expect(others()).rejects.toMatchObject({ code: '55P03' })
    })
    await others()
  })
})

const page = { orderBy: 'id', descending: false, limit: 10, offset: 0 }
const equals = (property: string, value: string): Clause[][] => [[{ property, operator: '=', value }]]

describe('a list is filtered and ordered by each of its columns', () => {
  it.each([
    ['id', userId],
    ['email', 'avery@maple.example'],
    ['name', 'Avery'],
    ['role', 'admin'],
    ['createdOn', AT_TEXT],
    ['updatedOn', AT_TEXT],
  ])('of users: %s', async (property, value) => {
    const { users, total } = await listUsers(test.database, instanceId, { ...page, filter: equals(property, value) })
    expect([users.map(({ id }) => id), total]).toEqual([[userId], 1])
    const ordered = await listUsers(test.database, instanceId, { ...page, filter: [], orderBy: property })
    expect([ordered.users.length, ordered.total]).toEqual([2, 2])
  })

  it('of users: whether they are enabled, and have proven their address', async () => {
    for (const [property, value, count] of [
      ['isEnabled', 'true', 2],
      ['isEnabled', 'false', 0],
      ['emailProvenOn', AT_TEXT, 0],
    ] as const)
      expect((await listUsers(test.database, instanceId, { ...page, filter: equals(property, value) })).total).toBe(count)
    expect((await listUsers(test.database, randomUUID(), { ...page, filter: [] })).total).toBe(0)
  })

  it.each([
    ['id', keyId],
    ['applicationId', keyId],
    ['name', 'Ledger'],
    ['prefix', 'ch_ab'],
    ['createdBy', userId],
    ['createdOn', AT_TEXT],
    ['expiresOn', AT_TEXT],
  ])('of API keys: %s', async (property, value) => {
    const { keys, total } = await listApiKeys(test.database, instanceId, { ...page, filter: equals(property, value) })
    expect([keys.map(({ id }) => id), total]).toEqual([[keyId], 1])
  })

  it.each(['lastUsedOn', 'revokedOn'])('of API keys: %s, of none', async (property) => {
    expect((await listApiKeys(test.database, instanceId, { ...page, filter: equals(property, AT_TEXT) })).total).toBe(0)
    expect((await listApiKeys(test.database, instanceId, { ...page, filter: [], orderBy: property })).keys).toHaveLength(2)
    expect((await listApiKeys(test.database, randomUUID(), { ...page, filter: [] })).total).toBe(0)
  })
})

it.each([
  [' Avery@Maple.Example\n', 'avery@maple.example'],
  ['ZOE\u0308@maple.example', 'zo\u00eb@maple.example'],
])('the address %j is stored as %j', (written, stored) => {
  expect(normalizeEmail(written)).toBe(stored)
})

it('challenges for passkeys are deleted once they have expired', async () => {
  const [holder, challenge] = [{ kind: 'user', instanceId, id: userId } as const, randomBytes(32)]
  await createPasskeyChallenge(test.database, holder, { challenge, purpose: 'login', expiresAt: AT })
  const stored = async () => (await test.database.query('select from passkey_challenges where challenge = $1', [challenge])).rowCount
  await deleteOldPasskeyChallenges(test.database, AT)
  expect([await consumePasskeyChallenge(test.database, holder, challenge, 'login', AT), await stored()]).toEqual([false, 1])
  await deleteOldPasskeyChallenges(test.database, new Date(AT.getTime() + 1))
  expect(await stored()).toBe(0)
})
