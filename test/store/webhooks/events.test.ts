import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Db, inTransaction } from '../../../src/store/db/database.ts'
import { insertAuditEvents, insertAuditTestEvent, NOBODY } from '../../../src/store/webhooks/audit-events.ts'
import { appendWaitingEvents, catchUpFeed, listWaitingInstances } from '../../../src/store/webhooks/event-feeds.ts'
import { deleteEventsOfCompany, deleteOldEvents, findEventBody, hasEvent, insertEvent } from '../../../src/store/webhooks/events.ts'
import { listEvents, UnknownCursor } from '../../../src/store/webhooks/feed-pages.ts'
import { disableSubscription, insertSubscription } from '../../../src/store/webhooks/subscriptions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { raiseEvent } from '../../webhooks/harness.ts'
import { dropWeeks } from '../../webhooks/weeks.ts'
import { listColumn, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
})

const inTx = <T>(work: (db: Db) => Promise<T>, database = test.database) => inTransaction(database, work)

describe('an event', () => {
  it('is written with its ids, its body and the external id of its company', async () => {
    const { database } = test
    await database.query(`update companies set external_id = 'crm-1' where id = $1`, [tenants.companyId])
    const [id, onlyFor] = [randomUUID(), randomUUID()]
    const facts = {
      ...{ instanceId, id, kind: 'Error' as const, companyId: tenants.companyId, serviceId: randomUUID(), sessionId: randomUUID() },
      ...{ dedupeKey: `Error/${id}`, onlyFor },
    } as const
    const data = { serviceName: 'Harbor', categoryName: 'Banking', categoryId: NOBODY, email: 'o@maple.example' }
    expect(await insertEvent(database, { ...facts, data })).toBe(true)
    expect(await insertEvent(database, { ...facts, id: randomUUID(), data })).toBe(false)
    const { rows } = await database.query(
      `select instance_id as "instanceId", id, kind, company_id as "companyId", service_id as "serviceId", session_id as "sessionId",
         dedupe_key as "dedupeKey", only_for as "onlyFor", position from events where instance_id = $1`,
      [instanceId],
    )
    expect(rows).toEqual([{ ...facts, position: null }])
    const body = await findEventBody(database, instanceId, id, { mayReadAudit: false })
    expect(body).toContain('"crm-1"')
    expect(body).toContain(`"Error.${id}"`)
  })

  it('of the audit is known to those only who may read the audit', async () => {
    const { database } = test
    const plain = await raiseEvent(database, instanceId, 'RawData')
    const audit = randomUUID()
    await insertAuditTestEvent(database, instanceId, randomUUID(), audit)
    const known = async (id: string, mayReadAudit: boolean, of = instanceId) => [
      await hasEvent(database, of, id, { mayReadAudit }),
      (await findEventBody(database, of, id, { mayReadAudit })) !== null,
    ]
    expect([await known(plain, false), await known(plain, true), await known(audit, false), await known(audit, true)]).toEqual([
      [true, true],
      [true, true],
      [false, false],
      [true, true],
    ])
    expect([await known(plain, true, otherId), await known(randomUUID(), true)]).toEqual([
      [false, false],
      [false, false],
    ])
  })

  it('goes with its company, in its instance', async () => {
    const { database } = test
    const { companyId } = tenants
    for (const owner of [instanceId, otherId]) await raiseEvent(database, owner, 'RawData', { companyId })
    const kept = await raiseEvent(database, instanceId, 'RawData')
    await inTx((db) => deleteEventsOfCompany(db, instanceId, companyId))
    expect(await listColumn(database, 'events', 'id', instanceId)).toEqual([kept])
    expect(await listColumn(database, 'events', 'company_id', otherId)).toEqual([companyId])
  })

  it('in no partition goes when it is too old, the oldest first, up to a limit', async () => {
    const { database } = test
    const ids: string[] = []
    for (const owner of [instanceId, instanceId, instanceId, otherId]) ids.push(await raiseEvent(database, owner, 'RawData'))
    for (const [n, id] of ids.entries())
      await database.query('update events set created_at = now() - make_interval(days => $2) where id = $1', [id, n === 2 ? 89 : 100 - n])
    const remove = (limit: number) => deleteOldEvents(database, instanceId, 90, limit)
    expect(await remove(1)).toBe(1)
    expect(await listColumn(database, 'events', 'id', instanceId)).toEqual([ids[1], ids[2]].toSorted())
    expect([await remove(5), await remove(5)]).toEqual([1, 0])
    expect(await listColumn(database, 'events', 'id', instanceId)).toEqual([ids[2]])
    expect(await listColumn(database, 'events', 'id', otherId)).toEqual([ids[3]])
  })
})

describe('events of audit entries', () => {
  const entry = (position: number) => ({
    ...{ position, hash: 'ab'.repeat(32), at: new Date('2026-11-20T12:00:00Z') },
    entry: { action: 'user.created', userId: null, subject: `user/${position}` },
  })

  it('are in the order given, each once, and about no company', async () => {
    const { database } = test
    await insertAuditEvents(database, instanceId, [entry(1), entry(2), entry(3)])
    await insertAuditEvents(database, instanceId, [entry(3), entry(4)])
    const { rows } = await database.query(
      `select dedupe_key as key, kind, company_id as company, service_id as service, session_id as session, only_for as only,
         body::json #>> '{Data,Subject}' as subject from events where instance_id = $1 order by created_at`,
      [instanceId],
    )
    const nobody = { kind: 'AuditEntry', company: NOBODY, service: NOBODY, session: NOBODY, only: null }
    expect(rows).toEqual([1, 2, 3, 4].map((n) => ({ key: `AuditEntry/${n}`, subject: `user/${n}`, ...nobody })))
    expect(await listColumn(database, 'events', 'id', otherId)).toEqual([])
    await insertAuditEvents(database, instanceId, [])
    const { rows: ids } = await database.query<{ isOwn: boolean }>(
      `select position(id::text in body) > 0 as "isOwn" from events where instance_id = $1`,
      [instanceId],
    )
    expect(ids).toEqual(Array(4).fill({ isOwn: true }))
  })

  it('that test a subscription are for it alone, at position 0 of no chain', async () => {
    const { database } = test
    const [id, subscriptionId] = [randomUUID(), randomUUID()]
    await insertAuditTestEvent(database, instanceId, subscriptionId, id)
    const { rows } = await database.query<{ body: string }>(
      `select id, kind, company_id as company, service_id as service, session_id as session, dedupe_key as key, only_for as only, body
       from events where instance_id = $1`,
      [instanceId],
    )
    const nobody = { company: NOBODY, service: NOBODY, session: NOBODY }
    expect(rows).toEqual([{ id, kind: 'AuditEntry', ...nobody, key: `test/${id}`, only: subscriptionId, body: expect.any(String) }])
    expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({
      Identifier: `AuditEntry.${id}`,
      Data: { Position: 0, Hash: '0'.repeat(64), Action: 'subscription.tested', UserId: null, Subject: `subscription/${subscriptionId}` },
    })
  })
})

describe.each([
  ['with partitions', false],
  ['without partitions', true],
])('a feed %s', (_where, isWithout) => {
  const own = databaseForTests()
  let [mine, theirs] = ['', '']
  const appendMine = (of = mine) => inTx((db) => appendWaitingEvents(db, of), own.database)
  const read = async (after: string | null, limit = 50, mayReadAudit = true) =>
    await listEvents(own.database, { instanceId: mine, after, limit, mayReadAudit })
  const raise = (kind: 'RawData' | 'Error' | 'NormalizedData' = 'RawData', of = mine) => raiseEvent(own.database, of, kind)
  beforeEach(async () => {
    ;({ instanceId: mine, otherId: theirs } = await storeTenants(own.database))
    if (isWithout) await dropWeeks(own.database)
  })

  it('gets the events of its instance, in order, and counts them', async () => {
    const ids = [await raise(), await raise()]
    const foreign = await raise('RawData', theirs)
    expect((await listWaitingInstances(own.database)).toSorted()).toEqual(expect.arrayContaining([mine, theirs].toSorted()))
    expect([await appendMine(), await appendMine()]).toEqual([2, 0])
    expect(await listWaitingInstances(own.database)).not.toContain(mine)
    expect(await listColumn(own.database, 'events', 'position', theirs)).toEqual([null])
    expect((await read(null)).events.map(({ id }) => id)).toEqual(ids)
    expect(await inTx((db) => catchUpFeed(db, mine), own.database)).toBe('2')
    expect(await inTx((db) => catchUpFeed(db, theirs), own.database)).toBe('1')
    expect(await listColumn(own.database, 'events', 'id', theirs)).toEqual([foreign])
  })

  it('appends more events than one statement takes', async () => {
    const { database } = own
    await raise()
    await database.query(
      `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body)
       select instance_id, gen_random_uuid(), kind, company_id, service_id, session_id, 'more/' || n, body
       from only events, generate_series(1, 1000) n where instance_id = $1`,
      [mine],
    )
    expect([await appendMine(), await appendMine()]).toEqual([1_001, 0])
    expect(await listColumn(database, 'event_feeds', 'position', mine)).toEqual(['1001'])
  })

  it('delivers to active subscriptions to the kind, those that all get, and a test to its target alone', async () => {
    const { database } = own
    const [raw, normalized, disabled] = [randomUUID(), randomUUID(), randomUUID()]
    for (const [id, event] of [
      [raw, 'RawData'],
      [normalized, 'NormalizedData'],
      [disabled, 'RawData'],
    ] as const)
      await insertSubscription(database, mine, id, { event, callbackUrl: `https://a.example/${id}` })
    await disableSubscription(database, mine, disabled, 'gone', '0')
    const [one, error, tested] = [await raise(), await raise('Error'), randomUUID()]
    await raiseEvent(database, mine, 'RawData', { id: tested, dedupeKey: tested, onlyFor: normalized })
    await appendMine()
    const { rows } = await database.query<{ event: string; subscription: string }>(
      'select event_id as event, subscription_id as subscription from deliveries where instance_id = $1',
      [mine],
    )
    const sorted = (pairs: string[][]) => pairs.map((pair) => pair.join(' ')).toSorted()
    expect(sorted(rows.map(({ event, subscription }) => [event, subscription]))).toEqual(
      sorted([
        [one, raw],
        [error, raw],
        [error, normalized],
        [tested, normalized],
      ]),
    )
    expect((await read(null)).events.map(({ id }) => id)).toEqual([one, error])
  })

  it('of the last minute leaves older events to the next look at all', async () => {
    const { database } = own
    await raise()
    await database.query(`update events set created_at = now() - interval '2 minutes' where instance_id = $1`, [mine])
    const recent = () => inTx((db) => appendWaitingEvents(db, mine, 'recent'), database)
    expect([await listWaitingInstances(database, 'recent'), await recent()]).toEqual([expect.not.arrayContaining([mine]), 0])
    await raise()
    expect([(await listWaitingInstances(database, 'recent')).includes(mine), await recent(), await appendMine()]).toEqual([true, 1, 1])
  })

  it('has pages, with cursors that go on, and hides the audit from those who may not read it', async () => {
    expect(await read(null)).toEqual({ events: [], cursor: null, hasMore: false })
    const ids = [await raise(), await raise()]
    await insertAuditEvents(own.database, mine, [
      { position: 1, hash: 'ab'.repeat(32), at: new Date(), entry: { action: 'a', userId: null, subject: null } },
    ])
    ids.push(await raise())
    const first = await read(null, 2)
    expect([first.events.map(({ id }) => id), first.hasMore]).toEqual([ids.slice(0, 2), true])
    expect(first.events[0]).toEqual({
      id: ids[0],
      kind: 'RawData',
      createdAt: expect.any(Date),
      body: expect.stringContaining(`RawData.${ids[0]}`),
    })
    const second = await read(first.cursor, 2)
    expect([second.events.map(({ kind }) => kind), second.hasMore]).toEqual([['AuditEntry', 'RawData'], false])
    expect(await read(second.cursor, 2)).toEqual({ events: [], cursor: second.cursor, hasMore: false })
    const hidden = await read(null, 50, false)
    expect([hidden.events.map(({ id }) => id), hidden.cursor]).toEqual([ids, second.cursor])
    const atAudit = await read(null, 3)
    expect((await read(atAudit.cursor, 50, false)).events.map(({ id }) => id)).toEqual(ids.slice(2))
    const exact = await read(null, 4)
    expect([exact.events.length, exact.hasMore]).toEqual([4, false])
  })

  it.each(['1.', 'x1.ID', '1.IDx', '1234567890123456789.ID', '-1.ID'])('refuses a cursor of %s', async (text) => {
    const cursor = Buffer.from(text.replace('ID', '00000000-0000-4000-8000-000000000000')).toString('base64url')
    await expect(read(cursor)).rejects.toThrow(new UnknownCursor())
    await expect(read(cursor)).rejects.toMatchObject({ name: 'UnknownCursor', message: 'the cursor is not one of this feed' })
  })

  it('begins again after a cursor whose position is another event’s', async () => {
    const ids = [await raise(), await raise()]
    await appendMine()
    const cursor = Buffer.from(`1.${randomUUID()}`).toString('base64url')
    expect((await read(cursor)).events.map(({ id }) => id)).toEqual(ids)
    const ahead = Buffer.from(`9.${ids[1]}`).toString('base64url')
    expect((await read(ahead)).events.map(({ id }) => id)).toEqual(ids)
    const atLast = Buffer.from(`2.${ids[1]}`).toString('base64url')
    expect(await read(atLast)).toEqual({ events: [], cursor: atLast, hasMore: false })
  })
})
