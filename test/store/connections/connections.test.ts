import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { findUnfinished } from '../../../src/store/connections/connection-faults.ts'
import {
  findAuthorizedAt,
  getNewestStatusChange,
  listTimeline,
  listTimelineMessagesOfLink,
} from '../../../src/store/connections/connection-timeline.ts'
import {
  type Connection,
  createConnection,
  deleteConnection,
  findActiveConnection,
  findConnection,
  findCurrentConnection,
  lockConnection,
  lockProvisional,
  noteStatus,
  writeAcceptsDeletions,
  writeGrant,
  writeRead,
  writeReidentify,
  writeStatus,
  writeSuspension,
} from '../../../src/store/connections/connections.ts'
import { throughConnection } from '../../../src/store/connections/through-connection.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { minutesAfter } from '../../records/record-store.ts'
import { setColumns, storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId, companyId } = tenants)
})

const find = (id: string, of = instanceId) => findConnection(test.database, of, id)
const set = (id: string, columns: Record<string, string>) => setColumns(test.database, 'connections', { instanceId, id }, columns)

describe('a connection', () => {
  it('begins with its first status, its next refresh, and nothing of the source', async () => {
    const { database } = test
    const given = {
      ...{ instanceId, id: randomUUID(), companyId, serviceId: randomUUID(), connectorKey: 'plaid', category: 'Banking' as const },
      ...{ email: 'o@maple.example', status: 9 as const, refreshHours: 6, applicationId: randomUUID() },
    }
    await createConnection(database, given)
    const stored = await find(given.id)
    expect(stored).toEqual({
      ...given,
      ...{ entityId: null, entityName: null, reference: null, resumeStatus: null, fault: null, faultCode: null, trouble: null },
      ...{
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        publishedAt: null,
        updateScheduledAt: expect.any(Date),
        refreshMinutes: 360,
      },
      ...{ credentialsGeneration: 0, cursors: {}, reidentify: false, acceptsDeletions: false, sourceKeysId: null },
    })
    const hours = ((stored?.updateScheduledAt?.getTime() ?? 0) - (stored?.createdAt.getTime() ?? 0)) / 3_600_000
    expect(hours).toBeCloseTo(6, 1)
    expect(await listTimeline(database, instanceId, given.id)).toEqual([
      { at: expect.any(Date), fromStatus: null, toStatus: 9, detail: '' },
    ])
    expect(await findAuthorizedAt(database, instanceId, given.id)).toEqual((await listTimeline(database, instanceId, given.id))[0]?.at)
    expect([await find(given.id, otherId), await find(randomUUID())]).toEqual([null, null])
    const lock = (of: string) => inTransaction(database, (db) => lockConnection(db, of, given.id))
    expect([await lock(instanceId), await lock(otherId)]).toEqual([stored, null])
  })

  it('changes its status with an entry in its timeline, also in memory', async () => {
    const { database } = test
    const connection = await storeConnection(database, tenants)
    await set(connection.id, { updated_at: `'2026-01-01T00:00:00Z'` })
    await expect(writeStatus(database, { ...connection, instanceId: otherId }, 8, 'x')).rejects.toThrow('foreign key')
    expect((await find(connection.id))?.status).toBe(9)
    await writeStatus(database, connection, 2, 'begins')
    expect([connection.status, (await find(connection.id))?.status]).toEqual([2, 2])
    expect((await find(connection.id))?.updatedAt.getTime()).toBeGreaterThan(Date.UTC(2026, 0, 1))
    await writeStatus(database, connection, 8, { code: 'withdrawn', text: 'Withdrawn by Anna', parts: { linkId: 'l-1', count: 2 } })
    await noteStatus(database, instanceId, connection.id, 8, 8, { code: 'other', text: 'Other', parts: { linkId: 'l-2' } })
    const timeline = await listTimeline(database, instanceId, connection.id)
    expect(timeline.map(({ fromStatus, toStatus, detail }) => [fromStatus, toStatus, detail])).toEqual([
      [null, 9, ''],
      [9, 2, 'begins'],
      [2, 8, 'Withdrawn by Anna'],
      [8, 8, 'Other'],
    ])
    // The first one, until it is authorized again without another status.
    expect(await findAuthorizedAt(database, instanceId, connection.id)).toEqual(timeline[3]?.at)
    await writeStatus(database, connection, 2, 'reads')
    expect(await findAuthorizedAt(database, instanceId, connection.id)).toEqual(timeline[3]?.at)
    expect(await findAuthorizedAt(database, otherId, connection.id)).toBeNull()
    const messages = (linkId: string, codes: string[], of = instanceId) =>
      listTimelineMessagesOfLink(database, { instanceId: of, id: connection.id }, linkId, codes)
    expect(await messages('l-1', ['withdrawn', 'other'])).toEqual([{ code: 'withdrawn', parts: { linkId: 'l-1', count: 2 } }])
    expect([await messages('l-1', ['other']), await messages('l-2', []), await messages('l-1', ['withdrawn'], otherId)]).toEqual([
      [],
      [],
      [],
    ])
    const { rows } = await database.query<{ id: string }>(
      'select id from connection_timeline where connection_id = $1 order by at desc limit 1',
      [connection.id],
    )
    expect(await getNewestStatusChange(database, instanceId, connection.id)).toBe(rows[0]?.id)
    await expect(getNewestStatusChange(database, otherId, connection.id)).rejects.toThrow('a connection has a first status')
    expect(await listTimeline(database, otherId, connection.id)).toEqual([])
  })

  it('is found at its service: one that is active before the others, then the newest', async () => {
    const { database } = test
    const serviceId = randomUUID()
    const ask = async (of = instanceId, company = companyId, service = serviceId) =>
      (await findCurrentConnection(database, of, company, service))?.id ?? null
    const isActive = async (of = instanceId) => (await findActiveConnection(database, of, companyId, serviceId))?.id ?? null
    expect([await ask(), await isActive()]).toEqual([null, null])
    const active = await storeConnection(database, tenants, { serviceId }, { entity_id: `'e'` })
    const ended = await storeConnection(database, tenants, { serviceId, status: 26 }, { entity_id: `'e'` })
    const unfinished = await storeConnection(database, tenants, { serviceId, status: 6 })
    expect([await ask(), await isActive()]).toEqual([active.id, active.id])
    await set(active.id, { status: '26' })
    expect([await ask(), await isActive()]).toEqual([unfinished.id, null])
    await deleteConnection(database, otherId, unfinished.id)
    expect(await ask()).toBe(unfinished.id)
    await deleteConnection(database, instanceId, unfinished.id)
    expect(await ask()).toBe(ended.id)
    expect([
      await ask(otherId),
      await ask(instanceId, randomUUID()),
      await ask(instanceId, companyId, randomUUID()),
      await isActive(otherId),
    ]).toEqual([...[null, null, null, null]])
  })

  it.each([
    [6, true],
    [7, true],
    [20, true],
    [8, false],
    [26, false],
  ] as const)('in status %d is provisional: %s', async (status, isExpected) => {
    const { database } = test
    const { id, serviceId } = await storeConnection(database, tenants, { status })
    const lock = async (of = instanceId, service = serviceId) =>
      (await inTransaction(database, (db) => lockProvisional(db, of, companyId, service)))?.id ?? null
    const unfinished = (of = instanceId) => findUnfinished(database, { instanceId: of, companyId }, serviceId)
    expect([await lock(), await unfinished()]).toEqual(isExpected ? [id, { status, faultCode: null }] : [null, null])
    expect([await lock(otherId), await lock(instanceId, randomUUID()), await unfinished(otherId)]).toEqual([null, null, null])
    const { id: newer } = await storeConnection(database, tenants, { status: 7, serviceId }, { fault_code: `'declined'` })
    expect([await lock(), await unfinished()]).toEqual([newer, { status: 7, faultCode: 'declined' }])
    await deleteConnection(database, instanceId, newer)
    await set(id, { entity_id: `'e'` })
    expect([await lock(), await unfinished()]).toEqual([null, null])
  })

  it('takes what was granted, forgets faults and refreshes, and reads from the start under another handle', async () => {
    const { database } = test
    const before = await storeConnection(
      database,
      tenants,
      {},
      {
        ...{ fault: `'x'`, fault_code: `'declined'`, trouble: `'{}'`, refresh_owner: 'gen_random_uuid()', refresh_lease_until: 'now()' },
        ...{ refresh_started_at: 'now()', refresh_failures: '4', refresh_not_before: 'now()', cursors: `'{"a":1}'`, reference: `'item-1'` },
      },
    )
    const grant = {
      ...{
        serviceId: randomUUID(),
        entityId: 'e-1',
        entityName: 'Books',
        reference: 'item-1',
        email: null,
        credentials: Buffer.from('sealed'),
      },
      ...{
        credentialsExpireAt: minutesAfter(60),
        credentialsRefreshAt: minutesAfter(30),
        sourceKeysId: randomUUID(),
        applicationId: randomUUID(),
      },
    }
    await writeGrant(database, { ...before, instanceId: otherId }, grant)
    expect(await find(before.id)).toEqual(before)
    await writeGrant(database, before, grant)
    const { credentials: _, credentialsExpireAt: __, credentialsRefreshAt: ___, ...shown } = grant
    const after: Connection = {
      ...before,
      ...{
        ...shown,
        email: before.email,
        credentialsGeneration: 1,
        fault: null,
        faultCode: null,
        trouble: null,
        updatedAt: expect.any(Date),
      },
    }
    expect(await find(before.id)).toEqual(after)
    const { rows } = await database.query(
      `select credentials, credentials_expires_at as "expiresAt", credentials_refresh_at as "refreshAt", credentials_issued_at is not null as "isIssued",
         granted_generation as granted, refresh_owner as owner, refresh_lease_until as lease, refresh_started_at as started,
         refresh_failures as failures, refresh_not_before as "notBefore" from connections where id = $1`,
      [before.id],
    )
    expect(rows).toEqual([
      {
        ...{
          credentials: grant.credentials,
          expiresAt: minutesAfter(60),
          refreshAt: minutesAfter(30),
          isIssued: true,
          granted: 1,
          owner: null,
          lease: null,
        },
        ...{ started: null, failures: 0, notBefore: null },
      },
    ])
    await writeGrant(database, before, { ...grant, reference: 'item-2', email: 'new@maple.example' })
    expect(await find(before.id)).toEqual({
      ...after,
      reference: 'item-2',
      email: 'new@maple.example',
      cursors: {},
      credentialsGeneration: 2,
    })
  })

  it('has switches that are set in its instance only', async () => {
    const { database } = test
    const { id } = await storeConnection(database, tenants)
    const state = async () => {
      const found = await find(id)
      return [found?.reidentify, found?.acceptsDeletions, found?.resumeStatus]
    }
    const write = async (of: string, isOn: boolean) => {
      await writeReidentify(database, of, id, isOn)
      await writeAcceptsDeletions(database, of, id, isOn)
      await writeSuspension(database, of, id, isOn ? 19 : null)
    }
    await write(otherId, true)
    expect(await state()).toEqual([false, false, null])
    await write(instanceId, true)
    expect(await state()).toEqual([true, true, 19])
    await write(instanceId, false)
    expect(await state()).toEqual([false, false, null])
  })

  it('notes each read, and each publication that says anything new; the first one stays', async () => {
    const { database } = test
    const connection = await storeConnection(database, tenants)
    const read = async (minutes: number, isNews: boolean, of = instanceId) => {
      await writeRead(
        database,
        { ...connection, instanceId: of },
        { cursors: { accounts: `c${minutes}` }, at: minutesAfter(minutes), isNews },
      )
      const { rows } = await database.query(
        `select cursors->>'accounts' as cursor, last_read_at as read, published_at as published, first_published_at as first from connections where id = $1`,
        [connection.id],
      )
      return rows[0]
    }
    expect(await read(9, true, otherId)).toEqual({ cursor: null, read: null, published: null, first: null })
    expect(await read(1, false)).toEqual({ cursor: 'c1', read: minutesAfter(1), published: null, first: null })
    expect(await read(2, true)).toEqual({ cursor: 'c2', read: minutesAfter(2), published: minutesAfter(2), first: minutesAfter(2) })
    expect(await read(3, true)).toEqual({ cursor: 'c3', read: minutesAfter(3), published: minutesAfter(3), first: minutesAfter(2) })
    expect(await read(4, false)).toEqual({ cursor: 'c4', read: minutesAfter(4), published: minutesAfter(3), first: minutesAfter(2) })
  })

  it('leads to its records by its company and service; one that is gone by neither', async () => {
    const { database } = test
    const { id, serviceId } = await storeConnection(database, tenants)
    expect([await throughConnection(database, instanceId, id), await throughConnection(database, otherId, id)]).toEqual([
      [instanceId, id, companyId, serviceId],
      [otherId, id, null, null],
    ])
  })
})
