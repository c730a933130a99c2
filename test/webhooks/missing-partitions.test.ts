import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { replayEvents } from '../../src/store/webhooks/delivery-replays.ts'
import { listMissingWeeks, PARTITIONED, partitionOf } from '../../src/store/webhooks/event-weeks.ts'
import { listEvents } from '../../src/store/webhooks/feed-pages.ts'
import { addEventWeeks } from '../../src/webhooks/event-partitions.ts'
import { pruneEvents } from '../../src/webhooks/retention.ts'
import { openWebhookHarness, type Receiver, type WebhookHarness } from './harness.ts'
import { mondayOf, placesOf, renameWeek } from './weeks.ts'

let harness: WebhookHarness
let receiver: Receiver
let subscriptionId: string
let week: string
const warnings: Record<string, unknown>[] = []
const log = { warn: (fields: Record<string, unknown>) => void warnings.push(fields) }

beforeEach(async () => {
  warnings.length = 0
  harness = await openWebhookHarness()
  receiver = await harness.receive()
  subscriptionId = (await harness.subscribeTo(receiver.url)).id
  week = await mondayOf(harness.test.database, 0)
})
afterEach(() => harness.close())

const feed = async () =>
  (await listEvents(harness.test.database, { instanceId: harness.instanceId, after: null, limit: 50, mayReadAudit: true })).events.map(
    ({ id }) => id,
  )
const list = async () => {
  const page = { filter: [], orderBy: 'createdAt', descending: false, limit: 50, offset: 0, mayReadAudit: true }
  return (await listDeliveries(harness.test.database, harness.instanceId, page)).deliveries
}
const arrived = () => receiver.received.map(({ identifier }) => identifier.split('.')[1]).toSorted()

describe('a partition that is missing', () => {
  it.each(PARTITIONED)('of %s, dropped behind our back, is named and made again; what was not in it is kept', async (table) => {
    const { database } = harness.test
    const before = [await harness.raise(), await harness.raise()]
    // In the feed, and not delivered yet.
    await feed()
    await database.query(`drop table ${partitionOf(table, week)}`)
    const expected = table === 'events' ? [] : before
    expected.push(await harness.raise())
    expect((await listMissingWeeks(database)).map(({ partitions }) => partitions)).toEqual([[partitionOf(table, week)]])
    await harness.dispatcher.runOnce()
    expect([await feed(), arrived()]).toEqual([expected, expected.toSorted()])
    expect((await placesOf(database, table)).here).toBe(expected.length)
    expect(harness.reports.filter(({ level }) => level === 'error')).toEqual([])
    expect(harness.reports.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual(
      table === 'events' ? [{ instanceId: harness.instanceId, count: 2 }] : [],
    )
    expect([await addEventWeeks(database, log), warnings]).toEqual([
      [partitionOf(table, week)],
      [{ partitions: [partitionOf(table, week)] }],
    ])
    expected.push(await harness.raise())
    await harness.dispatcher.runOnce()
    expect(await feed()).toEqual(expected)
    expect((await list()).map(({ eventId, status, attempts }) => [eventId, status, attempts.length])).toEqual(
      expected.map((id) => [id, 'delivered', 1]),
    )
    expect((await placesOf(database, table)).weeks).toBe(1)
  })

  it.each(PARTITIONED)('of %s, taken out of its table, is named and put back with its rows', async (table) => {
    const { database } = harness.test
    const ids = [await harness.raise()]
    await harness.dispatcher.runOnce()
    await database.query(`alter table ${partitionOf(table, week)} no inherit ${table}`)
    expect((await listMissingWeeks(database)).map(({ partitions }) => partitions)).toEqual([[partitionOf(table, week)]])
    ids.push(await harness.raise())
    await harness.dispatcher.runOnce()
    expect([await feed(), arrived()]).toEqual([ids, ids.toSorted()])
    expect(await addEventWeeks(database, log)).toEqual([partitionOf(table, week)])
    expect((await list()).map(({ eventId, attempts }) => [eventId, attempts.length])).toEqual(ids.map((id) => [id, 1]))
    expect(await placesOf(database, table)).toEqual({ here: 0, weeks: 2 })
  })

  it('of events does not keep the deliveries of its week from being dropped', async () => {
    const { database } = harness.test
    await harness.raise()
    await harness.dispatcher.runOnce()
    const old = await mondayOf(database, -15)
    await renameWeek(database, week, old)
    await database.query(`drop table ${partitionOf('events', old)}`)
    await pruneEvents(database)
    expect(await placesOf(database, 'deliveries')).toEqual({ here: 0, weeks: 0 })
  })
})

describe('a partition that has expired', () => {
  beforeEach(async () => {
    await harness.raise()
    await harness.dispatcher.runOnce()
    await renameWeek(harness.test.database, week, await mondayOf(harness.test.database, -15))
  })
  const weeksOf = async () =>
    (await Promise.all(PARTITIONED.map((table) => placesOf(harness.test.database, table)))).map(({ weeks }) => weeks)
  const eventsOfThen = async () => partitionOf('events', await mondayOf(harness.test.database, -15))

  it('and that somebody reads is left to the next time; the others are dropped', async () => {
    const { database } = harness.test
    const reader = await database.connect()
    await reader.query(`begin; select from ${await eventsOfThen()}`)
    await pruneEvents(database)
    const left = await weeksOf()
    await reader.query('rollback')
    reader.release()
    await pruneEvents(database)
    expect([left, await weeksOf()]).toEqual([PARTITIONED.map((table) => Number(table === 'events')), PARTITIONED.map(() => 0)])
  })

  it('and that something depends on fails the work at once', async () => {
    const { database } = harness.test
    await database.query(`create view kept as select id from ${await eventsOfThen()}`)
    await expect(pruneEvents(database)).rejects.toMatchObject({ code: '2BP01' })
  })
})

it('keys of events are deleted a week after their events, in batches, younger ones stay', async () => {
  const { database } = harness.test
  await database.query(
    `insert into event_keys (instance_id, recorded_on, digest)
     select $1, (statement_timestamp() at time zone 'UTC')::date - days, decode(md5(days::text), 'hex') from unnest(array[96, 99, 100, 101]) days`,
    [harness.instanceId],
  )
  const count = async () => (await database.query('select from event_keys')).rowCount
  await pruneEvents(database, () => true, 1)
  const whileStopping = await count()
  await pruneEvents(database, undefined, 1)
  expect([whileStopping, await count()]).toEqual([4, 1])
})

it('deliveries that are deleted after a redelivery in the same transaction take their attempts with them', async () => {
  const { database } = harness.test
  await harness.raise()
  await harness.dispatcher.runOnce()
  await inTransaction(database, async (db) => {
    await replayEvents(db, harness.instanceId, subscriptionId, { events: 'range', from: new Date(0), to: new Date('9999-01-01') })
    await db.query('delete from deliveries')
  })
  expect(await placesOf(database, 'delivery_attempts')).toEqual({ here: 0, weeks: 0 })
})
