import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type CredentialVersion,
  listLeftVersions,
  listVersions,
  lockCredentialsInUse,
  saveVersion,
  shredVersions,
} from '../../../src/store/connections/credential-versions.ts'
import {
  type FreshCredentials,
  findCredentials,
  listIdleCredentials,
  shredCredentials,
  writeRefreshed,
} from '../../../src/store/connections/credentials.ts'
import { claimRefresh, holdLivenessLock, releaseRefresh } from '../../../src/store/connections/credentials-lease.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { listColumn, setColumns, storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, connectionId] = ['', '', '']
beforeEach(async () => {
  await test.database.query('delete from credential_versions')
  await test.database.query('delete from connections')
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
  connectionId = (await storeConnection(test.database, tenants, {}, { credentials: `'old'`, credentials_generation: '3' })).id
})

const key = (more: { instanceId?: string; connectionId?: string; generation?: number } = {}) => ({
  instanceId,
  connectionId,
  generation: 3,
  ...more,
})
const fresh = (more: Partial<FreshCredentials> = {}): FreshCredentials => ({
  ...{ sealed: Buffer.from('new'), issuedAt: AT, expiresAt: minutesAfter(60), refreshAt: minutesAfter(30), ...more },
})
const set = (columns: Record<string, string>) => setColumns(test.database, 'connections', { instanceId, id: connectionId }, columns)

async function row() {
  const { rows } = await test.database.query(
    `select credentials as sealed, credentials_generation as generation, credentials_issued_at as "issuedAt", credentials_expires_at as "expiresAt",
       credentials_refresh_at as "refreshAt", refresh_owner as owner, refresh_lease_until as "leaseUntil", refresh_started_at as "startedAt",
       refresh_failures as failures, refresh_not_before as "notBefore" from connections where instance_id = $1 and id = $2`,
    [instanceId, connectionId],
  )
  return rows[0]
}

describe('credentials', () => {
  it('are found with their generation and the wait before the next refresh', async () => {
    const { database } = test
    const find = (of = instanceId, id = connectionId) => findCredentials(database, of, id)
    const found = { sealed: Buffer.from('old'), generation: 3, refreshAt: null, refreshFailures: 0, refreshInMs: 0 }
    expect([await find(), await find(otherId), await find(instanceId, randomUUID())]).toEqual([found, null, null])
    await set({ refresh_not_before: `now() + interval '1 hour'`, refresh_failures: '2', credentials_refresh_at: `'2026-11-20T12:00:00Z'` })
    const waiting = await find()
    expect(waiting).toEqual({ ...found, refreshAt: AT, refreshFailures: 2, refreshInMs: expect.any(Number) })
    expect(waiting?.refreshInMs).toBeGreaterThan(3_500_000)
    await set({ refresh_not_before: `now() - interval '1 hour'` })
    expect((await find())?.refreshInMs).toBe(0)
    await set({ credentials: 'null' })
    expect(await find()).toBe(null)
  })

  it('are replaced by the next generation, which ends the refresh', async () => {
    const { database } = test
    await set({
      refresh_owner: 'gen_random_uuid()',
      refresh_lease_until: 'now()',
      refresh_started_at: 'now()',
      refresh_failures: '1',
      refresh_not_before: 'now()',
    })
    expect(await writeRefreshed(database, key(), null, fresh())).toBe(true)
    expect(await row()).toEqual({ ...fresh(), generation: 4, owner: null, leaseUntil: null, startedAt: null, failures: 0, notBefore: null })
    expect(await writeRefreshed(database, key(), null, fresh())).toBe(false)
  })

  it.each<[string, Parameters<typeof key>[0], Record<string, string>]>([
    ['of another generation', { generation: 2 }, {}],
    ['of another instance', { instanceId: '00000000-0000-4000-8000-000000000000' }, {}],
    ['of an ended connection', {}, { status: '26' }],
    ['by somebody who lost the lease', {}, { refresh_owner: 'gen_random_uuid()' }],
  ])('are not replaced %s', async (_what, more, columns) => {
    await set(columns)
    expect(await writeRefreshed(test.database, key(more), randomUUID(), fresh())).toBe(false)
    expect(await row()).toMatchObject({ sealed: Buffer.from('old'), generation: 3 })
  })

  it('are shredded with all versions, and end every refresh', async () => {
    const { database } = test
    await saveVersion(database, key(), randomUUID(), fresh())
    const { id: neighbour } = await storeConnection(database, tenants, {}, { credentials: `'n'`, reference: `'r'` })
    await saveVersion(database, key({ connectionId: neighbour }), randomUUID(), fresh())
    const columns = {
      credentials_issued_at: 'now()',
      credentials_expires_at: 'now()',
      credentials_refresh_at: 'now()',
      reference: `'item'`,
    }
    await set({
      ...columns,
      refresh_owner: 'gen_random_uuid()',
      refresh_lease_until: 'now()',
      refresh_started_at: 'now()',
      refresh_not_before: 'now()',
    })
    await shredCredentials(database, otherId, [connectionId])
    expect(await row()).toMatchObject({ sealed: Buffer.from('old'), generation: 3 })
    await shredCredentials(database, instanceId, [connectionId])
    const none = {
      sealed: null,
      issuedAt: null,
      expiresAt: null,
      refreshAt: null,
      owner: null,
      leaseUntil: null,
      startedAt: null,
      notBefore: null,
    }
    expect(await row()).toEqual({ ...none, generation: 4, failures: 0 })
    expect(await listColumn(database, 'connections', 'reference', instanceId)).toEqual(['r', null])
    expect(await listColumn(database, 'credential_versions', 'connection_id', instanceId)).toEqual([neighbour])
  })

  it('that were not renewed for days are listed by connector, longest ago first', async () => {
    const { database } = test
    const old = (days: number) => ({ credentials: `'c'`, credentials_issued_at: `now() - interval '${days} days'` })
    const [ten, thirty, own] = [
      await storeConnection(database, tenants, {}, old(10)),
      await storeConnection(database, tenants, {}, old(30)),
      await storeConnection(database, tenants, { connectorKey: 'xero' }, { ...old(40), source_keys_id: 'gen_random_uuid()' }),
    ]
    await storeConnection(database, tenants, {}, old(4))
    await storeConnection(database, tenants, { connectorKey: 'xero' }, old(40))
    await storeConnection(database, tenants, {}, { ...old(40), credentials: 'null' })
    await storeConnection(database, tenants, {}, { ...old(40), resume_status: '8' })
    for (const status of [6, 7, 8, 20, 26] as const) await storeConnection(database, tenants, { status }, old(40))
    const idle = [
      { connectorKey: 'quickbooks', days: 5, isEnabled: true },
      { connectorKey: 'xero', days: 5, isEnabled: false },
    ]
    const shown = ({ id, connectorKey }: { id: string; connectorKey: string }) => ({ instanceId, connectionId: id, connectorKey })
    expect(await listIdleCredentials(database, idle, 10)).toEqual([shown(thirty), shown(ten), shown(own)])
    expect(await listIdleCredentials(database, idle.slice(0, 1), 1)).toEqual([shown(thirty)])
    expect(await listIdleCredentials(database, [], 10)).toEqual([])
  })
})

describe('a version of credentials', () => {
  it('is stored once, unless the connection has ended, and listed newest first', async () => {
    const { database } = test
    const [one, two] = [randomUUID(), randomUUID()]
    expect(await saveVersion(database, key(), one, fresh())).toBe(true)
    expect(await saveVersion(database, key(), one, fresh({ issuedAt: minutesAfter(9) }))).toBe(true)
    expect(
      await saveVersion(database, key({ generation: 4 }), two, fresh({ issuedAt: minutesAfter(1), expiresAt: null, refreshAt: null })),
    ).toBe(true)
    const first: CredentialVersion = { ...fresh(), id: one, baseGeneration: 3 }
    const second: CredentialVersion = {
      ...fresh({ issuedAt: minutesAfter(1), expiresAt: null, refreshAt: null }),
      id: two,
      baseGeneration: 4,
    }
    expect(await listVersions(database, instanceId, connectionId)).toEqual([second, first])
    expect([
      await listVersions(database, otherId, connectionId),
      await saveVersion(database, key({ instanceId: otherId }), randomUUID(), fresh()),
    ]).toEqual([[], false])
    await set({ status: '26' })
    expect(await saveVersion(database, key(), randomUUID(), fresh())).toBe(false)
    expect(await listVersions(database, instanceId, connectionId)).toHaveLength(2)
  })

  it('is shredded up to a time, or with all', async () => {
    const { database } = test
    for (const minutes of [0, 1, 2]) await saveVersion(database, key(), randomUUID(), fresh({ issuedAt: minutesAfter(minutes) }))
    const left = async () => (await listVersions(database, instanceId, connectionId)).map(({ issuedAt }) => issuedAt)
    await shredVersions(database, otherId, connectionId, null)
    expect(await left()).toHaveLength(3)
    await shredVersions(database, instanceId, connectionId, minutesAfter(1))
    expect(await left()).toEqual([minutesAfter(2)])
    await shredVersions(database, instanceId, connectionId, null)
    expect(await left()).toEqual([])
  })

  it('that nobody has put into use for a minute names its connection, once', async () => {
    const { database } = test
    for (const id of [randomUUID(), randomUUID()]) await saveVersion(database, key(), id, fresh())
    expect(await listLeftVersions(database, 5)).toEqual([])
    await database.query(`update credential_versions set stored_at = now() - interval '61 seconds'`)
    expect([await listLeftVersions(database, 5), await listLeftVersions(database, 0)]).toEqual([[{ instanceId, connectionId }], []])
  })

  it('is judged by what is in use, unless the connection has ended', async () => {
    const { database } = test
    await set({ granted_generation: '2', credentials_issued_at: `'2026-11-20T12:00:00Z'` })
    const lock = (of = instanceId) => inTransaction(database, (db) => lockCredentialsInUse(db, of, connectionId))
    expect([await lock(), await lock(otherId)]).toEqual([{ generation: 3, issuedAt: AT, grantedGeneration: 2 }, null])
    await set({ status: '26' })
    expect(await lock()).toBe(null)
  })
})

describe('the right to refresh', () => {
  const owner = randomUUID()
  const claim = (isAlone = true, more: Parameters<typeof key>[0] = {}) => claimRefresh(test.database, key(more), owner, isAlone)

  it('is claimed by one, for a minute', async () => {
    expect([await claim(), await claim()]).toEqual([true, false])
    expect(await row()).toMatchObject({ owner, startedAt: expect.any(Date), leaseUntil: expect.any(Date) })
    const [seconds] = await listColumn(
      test.database,
      'connections',
      'extract(epoch from refresh_lease_until - refresh_started_at)::int',
      instanceId,
    )
    expect(seconds).toBe(60)
  })

  it.each<[string, Record<string, string>, { isAlone?: boolean; more?: Parameters<typeof key>[0] }, boolean]>([
    ['after the lease of one that is gone', { refresh_lease_until: `now() - interval '1 second'` }, {}, true],
    ['soon after the lease of one that is silent', { refresh_lease_until: `now() - interval '299 seconds'` }, { isAlone: false }, false],
    ['long after the lease of one that is silent', { refresh_lease_until: `now() - interval '301 seconds'` }, { isAlone: false }, true],
    ['during a wait', { refresh_not_before: `now() + interval '1 minute'` }, {}, false],
    ['after a wait', { refresh_not_before: `now() - interval '1 second'` }, {}, true],
    ['of another generation', {}, { more: { generation: 4 } }, false],
    ['of an ended connection', { status: '26' }, {}, false],
    ['in another instance', {}, { more: { instanceId: '00000000-0000-4000-8000-000000000000' } }, false],
  ])('%s is claimed: %j', async (_what, columns, { isAlone = true, more = {} }, isExpected) => {
    await set(columns)
    expect(await claim(isAlone, more)).toBe(isExpected)
  })

  it('is released by its owner, with a wait after a failure', async () => {
    const { database } = test
    await claim()
    const release = (by: string, waitMs: number | null, of = instanceId) =>
      releaseRefresh(database, { instanceId: of, connectionId }, by, waitMs)
    await release(randomUUID(), 1_000)
    await release(owner, 1_000, otherId)
    expect(await row()).toMatchObject({ owner, failures: 0, notBefore: null })
    await release(owner, null)
    expect(await row()).toMatchObject({ owner: null, leaseUntil: null, startedAt: null, failures: 0, notBefore: null })
    await claim()
    await release(owner, 3_600_000)
    expect(await row()).toMatchObject({ owner: null, failures: 1, notBefore: expect.any(Date) })
    expect([(await findCredentials(database, instanceId, connectionId))?.refreshFailures, await claim()]).toEqual([1, false])
  })

  it('has a lock that shows that its holder lives, one for each connection', async () => {
    const { database } = test
    const hold = (of = instanceId, id = connectionId) => holdLivenessLock(database, of, id)
    const held = await hold()
    expect([held === null, await hold()]).toEqual([false, null])
    const others = [await hold(otherId), await hold(instanceId, randomUUID())]
    expect(others.map((other) => other === null)).toEqual([false, false])
    for (const lock of [held, ...others]) await lock?.end()
    const again = await hold()
    expect(again).not.toBe(null)
    await again?.end()
    // More than the pool has: each session was given back.
    for (let turn = 0; turn < 12; turn += 1) {
      const [lock, refused] = [await hold(), await hold()]
      expect([lock === null, refused]).toEqual([false, null])
      await lock?.end()
    }
  })
})
