import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { deleteInstanceRows, listInstanceTables } from '../../src/store/operators/instance-rows.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { replayDelivery } from '../../src/store/webhooks/delivery-replays.ts'
import { listMissingWeeks, PARTITIONED, partitionOf } from '../../src/store/webhooks/event-weeks.ts'
import { deleteEventsOfCompany } from '../../src/store/webhooks/events.ts'
import { listEvents } from '../../src/store/webhooks/feed-pages.ts'
import { addEventWeeks, dropExpiredWeeks } from '../../src/webhooks/event-partitions.ts'
import { replayToSubscription } from '../../src/webhooks/replay.ts'
import { pruneEvents } from '../../src/webhooks/retention.ts'
import { unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { openWebhookHarness, type Receiver, raiseEvent, type WebhookHarness } from './harness.ts'
import { dropWeeks, mondayOf, placesOf, renameWeek } from './weeks.ts'

let harness: WebhookHarness
let receiver: Receiver
let subscriptionId: string

beforeEach(async () => {
  harness = await openWebhookHarness()
  receiver = await harness.receive()
  subscriptionId = (await harness.subscribeTo(receiver.url)).id
})
afterEach(() => harness.close())

async function raise(count: number, override: Parameters<typeof raiseEvent>[3] = {}): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1)
    ids.push(await inTransaction(harness.test.database, (db) => raiseEvent(db, harness.instanceId, 'NormalizedData', override)))
  return ids
}

async function follow(limit: number, from: string | null = null): Promise<string[]> {
  const ids: string[] = []
  let after = from
  for (let hasMore = true; hasMore; ) {
    const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(harness.test.database, {
      ...{ instanceId: harness.instanceId, after, limit, mayReadAudit: true },
    })
    ids.push(...page.events.map(({ id }) => id))
    after = page.cursor
    hasMore = page.hasMore
  }
  return ids
}

async function deliverAll(): Promise<void> {
  while ((await harness.dispatcher.runOnce()) > 0);
}

async function places() {
  const { database } = harness.test
  return [await placesOf(database, 'events'), await placesOf(database, 'deliveries'), await placesOf(database, 'delivery_attempts')]
}

const list = async (orderBy = 'createdAt') =>
  (
    await listDeliveries(harness.test.database, harness.instanceId, {
      ...{ filter: [], orderBy, descending: false, limit: 50, offset: 0, mayReadAudit: true },
    })
  ).deliveries

describe('what is finished', () => {
  it('lies in the partition of its week: events once they are in the feed, deliveries and attempts once they are made', async () => {
    await raise(3)
    expect(await places()).toEqual([
      { here: 3, weeks: 0 },
      { here: 0, weeks: 0 },
      { here: 0, weeks: 0 },
    ])
    await harness.dispatcher.runOnce()
    expect(await places()).toEqual(Array.from({ length: 3 }, () => ({ here: 0, weeks: 3 })))
  })

  it('is not recorded again under the same key', async () => {
    await raise(1, { dedupeKey: 'run/1' })
    await harness.dispatcher.runOnce()
    await raise(2, { dedupeKey: 'run/1' })
    await harness.dispatcher.runOnce()
    expect((await places())[0]).toEqual({ here: 0, weeks: 1 })
    expect(receiver.received).toHaveLength(1)
  })

  it('is listed with its kind and attempts in every order', async () => {
    await raise(2)
    await harness.dispatcher.runOnce()
    for (const orderBy of ['createdAt', 'kind', 'status', 'attemptCount', 'deliveredAt', 'dueAt', 'eventId', 'id']) {
      const found = await list(orderBy)
      expect(found.map(({ kind, status, attempts }) => [kind, status, attempts.map(({ httpStatus }) => httpStatus)])).toEqual([
        ['NormalizedData', 'delivered', [200]],
        ['NormalizedData', 'delivered', [200]],
      ])
    }
  })

  it('is taken back by a redelivery, keeps its attempts, and is finished once', async () => {
    const [eventId = ''] = await raise(1)
    await harness.dispatcher.runOnce()
    expect(await replayToSubscription(harness.deps, harness.instanceId, subscriptionId, { events: 'one', eventId })).toBe(1)
    expect((await places())[1]).toEqual({ here: 1, weeks: 0 })
    await harness.dispatcher.runOnce()
    const [delivery] = await list()
    expect(
      await inTransaction(harness.test.database, (db) =>
        replayDelivery(db, harness.instanceId, delivery?.id ?? '', { mayReadAudit: true }),
      ),
    ).toBe(true)
    await harness.dispatcher.runOnce()
    expect((await places()).slice(1)).toEqual([
      { here: 0, weeks: 1 },
      { here: 0, weeks: 3 },
    ])
    expect((await list()).map(({ attempts }) => attempts.map(({ number }) => number))).toEqual([[1, 2, 3]])
    expect(receiver.received).toHaveLength(3)
  })

  it('is deleted with its company, and with its subscription', async () => {
    const companyId = randomUUID()
    await raise(2, { companyId, dedupeKey: 'of/company' })
    await raise(1)
    await harness.dispatcher.runOnce()
    await inTransaction(harness.test.database, (db) => deleteEventsOfCompany(db, harness.instanceId, companyId))
    expect(await places()).toEqual(Array.from({ length: 3 }, () => ({ here: 0, weeks: 1 })))
    await unsubscribe(harness.deps, harness.instanceId, subscriptionId)
    expect((await places()).slice(1)).toEqual(Array.from({ length: 2 }, () => ({ here: 0, weeks: 0 })))
  })

  it('of another instance stays when an instance is erased', async () => {
    const { database } = harness.test
    const other = await harness.newInstance()
    await harness.subscribeTo(receiver.url, 'NormalizedData', other)
    await harness.raise('NormalizedData', other)
    await harness.dispatcher.runOnce()
    await renameWeek(database, await mondayOf(database, 0), await mondayOf(database, -1))
    await addEventWeeks(database, console)
    await raise(3)
    await harness.dispatcher.runOnce()
    for (const table of await listInstanceTables(database))
      await inTransaction(database, (db) => deleteInstanceRows(db, table, harness.instanceId, 10))
    const { rows } = await database.query('select instance_id as id from events union all select instance_id from deliveries')
    expect(rows).toEqual([{ id: other }, { id: other }])
  })
})

describe('a reader of the feed', () => {
  it('sees every event once and in order, over weeks, before the first week, and where a partition was missing', async () => {
    const { database } = harness.test
    await dropWeeks(database)
    const expected = await raise(4)
    const begin = await listEvents(database, { instanceId: harness.instanceId, after: null, limit: 2, mayReadAudit: true })
    await addEventWeeks(database, console)
    expected.push(...(await raise(5)))
    await deliverAll()
    const middle = await follow(3)
    await renameWeek(database, await mondayOf(database, 0), await mondayOf(database, -2))
    expected.push(...(await raise(3)))
    await deliverAll()
    expect(await placesOf(database, 'events')).toEqual({ here: 7, weeks: 5 })
    await addEventWeeks(database, console)
    expected.push(...(await raise(6)))
    await deliverAll()
    expect(middle).toEqual(expected.slice(0, 9))
    for (const limit of [1, 2, 5, 18, 100]) expect(await follow(limit)).toEqual(expected)
    expect([...begin.events.map(({ id }) => id), ...(await follow(4, begin.cursor))]).toEqual(expected)
    expect(receiver.received.map(({ identifier }) => identifier.split('.')[1]).sort()).toEqual(expected.toSorted())
  })

  it('begins again with a cursor whose position belongs to another event', async () => {
    const ids = await raise(3)
    await deliverAll()
    const foreign = Buffer.from(`2.${randomUUID()}`).toString('base64url')
    expect(await follow(2, foreign)).toEqual(ids)
  })
})

describe('partitions', () => {
  it('are made ahead, of this week and the next two; the first ones are not called missing', async () => {
    const { database } = harness.test
    const warnings: unknown[] = []
    const log = { warn: (fields: unknown) => void warnings.push(fields) }
    expect([await addEventWeeks(database, log), await listMissingWeeks(database)]).toEqual([[], []])
    await dropWeeks(database)
    const weeks = [await mondayOf(database, 0), await mondayOf(database, 1), await mondayOf(database, 2)]
    const partitions = weeks.flatMap((week) => PARTITIONED.map((table) => partitionOf(table, week)))
    expect([await addEventWeeks(database, log), warnings]).toEqual([partitions, []])
  })

  it('begin on a Monday a day after an upgrade at least', async () => {
    const { database } = harness.test
    await dropWeeks(database)
    const next = await mondayOf(database, 1)
    const age = (interval: string) =>
      database.query(`update schema_migrations set applied_at = applied_at - $1::interval where name < '086'`, [interval])
    // Longer ago than the upgrade of either case, on whichever day of the week this runs.
    await age('14 days')
    await database.query(
      `update schema_migrations set applied_at = ($1::date - 1)::timestamp at time zone 'UTC' - interval '1 second' where name > '086'`,
      [next],
    )
    expect((await addEventWeeks(database, console))[0]).toBe(partitionOf('events', next))
    await dropWeeks(database)
    await database.query(
      `update schema_migrations set applied_at = ($1::date - 1)::timestamp at time zone 'UTC' + interval '1 second' where name > '086'`,
      [next],
    )
    expect((await addEventWeeks(database, console))[0]).toBe(partitionOf('events', await mondayOf(database, 2)))
  })

  it('of expired weeks are dropped with what still waited, the others stay', async () => {
    const { database } = harness.test
    await raise(2)
    await harness.dispatcher.runOnce()
    await raise(1)
    await harness.dispatcher.runOnce()
    const [delivery] = await list()
    await inTransaction(database, (db) => replayDelivery(db, harness.instanceId, delivery?.id ?? '', { mayReadAudit: true }))
    await renameWeek(database, await mondayOf(database, 0), await mondayOf(database, -15))
    await addEventWeeks(database, console)
    const stays = await raise(2)
    await harness.dispatcher.runOnce()
    await pruneEvents(database)
    expect(await places()).toEqual([
      { here: 0, weeks: 2 },
      { here: 0, weeks: 2 },
      { here: 0, weeks: 2 },
    ])
    expect(await follow(1)).toEqual(stays)
    expect((await list()).map(({ eventId }) => eventId).sort()).toEqual(stays.toSorted())
  })

  it('of attempts are dropped before those of their events', async () => {
    const { database } = harness.test
    await raise(1)
    await harness.dispatcher.runOnce()
    await renameWeek(database, await mondayOf(database, 0), await mondayOf(database, -8))
    await pruneEvents(database)
    expect((await list()).map(({ status, attemptCount, attempts }) => [status, attemptCount, attempts])).toEqual([['delivered', 1, []]])
    expect(
      await replayToSubscription(harness.deps, harness.instanceId, subscriptionId, { events: 'range', from: new Date(0), to: new Date() }),
    ).toBe(1)
    await harness.dispatcher.runOnce()
    expect((await list()).map(({ status, attempts }) => [status, attempts.map(({ number }) => number)])).toEqual([['delivered', [2]]])
    await dropExpiredWeeks(database, 90)
    expect(await placesOf(database, 'delivery_attempts')).toEqual({ here: 1, weeks: 0 })
  })

  it('of a week that has just expired are out of the feed and wait for nothing, and are dropped a day later', async () => {
    const { database } = harness.test
    await raise(1)
    await deliverAll()
    const week = await mondayOf(database, -15)
    await renameWeek(database, await mondayOf(database, 0), week)
    await raise(1)
    await follow(1)
    await database.query('update only deliveries set week = $1', [week])
    const { rows } = await database.query<{ days: number }>(
      `select floor(extract(epoch from statement_timestamp() - ($1::date + 7)::timestamp at time zone 'UTC') / 86400)::int as days`,
      [week],
    )
    const days = rows[0]?.days ?? Number.NaN
    await dropExpiredWeeks(database, days)
    expect((await database.query('select from feed_weeks where week = $1', [week])).rows).toEqual([])
    expect(await placesOf(database, 'deliveries')).toEqual({ here: 0, weeks: 1 })
    await dropExpiredWeeks(database, days - 1)
    expect(await placesOf(database, 'deliveries')).toEqual({ here: 0, weeks: 0 })
  })

  it.each([
    [43, 1],
    [44, 1],
    [45, 0],
  ])('of attempts in a week that began %i days ago are %i', async (days, weeks) => {
    const { database } = harness.test
    await raise(1)
    await deliverAll()
    const { rows } = await database.query<{ day: string }>(
      `select to_char((statement_timestamp() at time zone 'UTC')::date - $1::int, 'YYYY-MM-DD') as day`,
      [days],
    )
    await renameWeek(database, await mondayOf(database, 0), rows[0]?.day ?? '')
    await dropExpiredWeeks(database, 90)
    expect(await placesOf(database, 'delivery_attempts')).toEqual({ here: 0, weeks })
  })

  it('give back what release 1.0.0 has made due in them', async () => {
    const { database } = harness.test
    await raise(1)
    await deliverAll()
    await database.query(
      `update ${partitionOf('deliveries', await mondayOf(database, 0))} set status = 'pending', due_at = clock_timestamp()`,
    )
    await dropExpiredWeeks(database, 90)
    expect(await placesOf(database, 'deliveries')).toEqual({ here: 1, weeks: 0 })
  })

  it('that are missing are called so only in the week in which we are, and once they are made', async () => {
    const { database } = harness.test
    await raise(1)
    await deliverAll()
    const warnings: unknown[] = []
    const log = { warn: (fields: unknown) => void warnings.push(fields) }
    const [current, next] = [partitionOf('events', await mondayOf(database, 0)), partitionOf('events', await mondayOf(database, 1))]
    await database.query(`drop table ${next}`)
    expect([await addEventWeeks(database, log), warnings]).toEqual([[next], []])
    await database.query(`drop table ${current}`)
    const busy = await database.connect()
    await busy.query(`begin; select pg_advisory_xact_lock(hashtextextended('event weeks', 0))`)
    const meanwhile = await addEventWeeks(database, log)
    await busy.query('rollback')
    busy.release()
    expect([meanwhile, warnings]).toEqual([[], []])
    expect([await addEventWeeks(database, log), warnings]).toEqual([[current], [{ partitions: [current] }]])
  })
})
