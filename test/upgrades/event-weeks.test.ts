import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { listWeeks, takeBackDue } from '../../src/store/webhooks/event-weeks.ts'
import { listEvents } from '../../src/store/webhooks/feed-pages.ts'
import { openWebhookHarness, type Receiver, raiseEvent, type WebhookHarness } from '../webhooks/harness.ts'
import { placesOf } from '../webhooks/weeks.ts'
import { RELEASE_1_0_0 as old } from './release-1-0-0.ts'

let harness: WebhookHarness
let receiver: Receiver
let subscriptionId: string

beforeEach(async () => {
  harness = await openWebhookHarness()
  receiver = await harness.receive()
  subscriptionId = (await harness.subscribeTo(receiver.url)).id
})
afterEach(() => harness.close())

const query = async <T extends object>(text: string, values: unknown[]) => (await harness.test.database.query<T>(text, values)).rows
const raise = () => harness.raise()

async function insert(dedupeKey: string, companyId = randomUUID()): Promise<number> {
  const facts = [harness.instanceId, randomUUID(), 'NormalizedData', companyId, randomUUID(), randomUUID(), dedupeKey, '{"Identifier":"x"}']
  return (await query(old.insertEvent, [...facts, null, new Date(), null])).length
}

const place = () => query(old.placeEvents, [harness.instanceId, 500, ['Error']])

async function claim(): Promise<{ id: string; lease: string; body: string }[]> {
  const lease = randomUUID()
  return await query(old.claim, [harness.instanceId, [subscriptionId], 100, lease, 100, 10, 60_000, 0])
}

async function complete({ id, lease }: { id: string; lease: string }): Promise<void> {
  await query(old.recordAttempt, [harness.instanceId, id, lease, 'delivered', 0, 0, 10, 1_000, new Date(), 1, 200, null, ''])
}

async function feed() {
  return (await query<{ id: string }>(old.readFeed, [harness.instanceId, '0', 100])).map(({ id }) => id)
}

async function newFeed() {
  const page = await listEvents(harness.test.database, { instanceId: harness.instanceId, after: null, limit: 100, mayReadAudit: true })
  return page.events.map(({ id }) => id)
}

async function list() {
  const page = { filter: [], orderBy: 'createdAt', descending: false, limit: 50, offset: 0, mayReadAudit: true }
  return (await listDeliveries(harness.test.database, harness.instanceId, page)).deliveries
}

describe('the statements of release 1.0.0, beside partitions', () => {
  it('record an event once that this version has recorded, and the other way round', async () => {
    await inTransaction(harness.test.database, (db) => raiseEvent(db, harness.instanceId, 'NormalizedData', { dedupeKey: 'run/1' }))
    await harness.dispatcher.runOnce()
    expect([await insert('run/1'), await insert('run/2'), await insert('run/2')]).toEqual([0, 1, 0])
    await inTransaction(harness.test.database, (db) => raiseEvent(db, harness.instanceId, 'NormalizedData', { dedupeKey: 'run/2' }))
    expect(await newFeed()).toHaveLength(2)
  })

  it('append to one feed with this version, and both read all of it in order', async () => {
    await raise()
    await harness.dispatcher.runOnce()
    await raise()
    await place()
    await raise()
    await harness.dispatcher.runOnce()
    expect(await placesOf(harness.test.database, 'events')).toEqual({ here: 1, weeks: 2 })
    expect(await feed()).toEqual(await newFeed())
    expect(await feed()).toHaveLength(3)
  })

  it('claim and complete what this version has made due, once', async () => {
    await raise()
    await inTransaction(harness.test.database, (db) =>
      listEvents(harness.test.database, { instanceId: harness.instanceId, after: null, limit: 1, mayReadAudit: true }).then(() => db),
    )
    const [claimed, again] = [await claim(), await claim()]
    expect([claimed.length, again.length, claimed[0]?.body.includes('NormalizedData')]).toEqual([1, 0, true])
    for (const one of claimed) await complete(one)
    expect(await harness.dispatcher.runOnce()).toBe(0)
    expect((await list()).map(({ kind, status, attempts }) => [kind, status, attempts.length])).toEqual([
      ['NormalizedData', 'delivered', 1],
    ])
  })

  it('make deliveries that this version sends, also again, and each is there once', async () => {
    const eventId = await raise()
    await place()
    await harness.dispatcher.runOnce()
    await query(old.replay, [harness.instanceId, subscriptionId, ['Error'], eventId])
    await harness.dispatcher.runOnce()
    const other = await raise()
    await harness.dispatcher.runOnce()
    await query(old.replay, [harness.instanceId, subscriptionId, ['Error'], other])
    expect(await harness.dispatcher.runOnce()).toBe(1)
    expect((await list()).map(({ status, attemptCount, attempts }) => [status, attemptCount, attempts.length])).toEqual([
      ['delivered', 2, 2],
      ['delivered', 2, 2],
    ])
    expect(receiver.received).toHaveLength(4)
  })

  it('make one delivery due where it lies, and this version takes it back', async () => {
    const { database } = harness.test
    await raise()
    await harness.dispatcher.runOnce()
    await query(`update deliveries set status = 'pending', step = 0, due_at = clock_timestamp() where instance_id = $1`, [
      harness.instanceId,
    ])
    for (const week of await listWeeks(database, 'deliveries')) await takeBackDue(database, week)
    expect(await harness.dispatcher.runOnce()).toBe(1)
    expect((await list()).map(({ status, attempts }) => [status, attempts.length])).toEqual([['delivered', 2]])
  })

  it('delete the deliveries and attempts of a company, and of a subscription', async () => {
    const { database } = harness.test
    const companyId = randomUUID()
    await inTransaction(database, (db) => raiseEvent(db, harness.instanceId, 'NormalizedData', { companyId }))
    await harness.dispatcher.runOnce()
    await insert('other', companyId)
    await place()
    await raise()
    await harness.dispatcher.runOnce()
    await query(old.deleteEventsOfCompany, [harness.instanceId, companyId])
    const left = async () => [(await list()).length, (await query('select from delivery_attempts', [])).length]
    expect(await left()).toEqual([1, 1])
    await query(old.deleteDeliveriesOfSubscription, [harness.instanceId, subscriptionId])
    expect(await left()).toEqual([0, 0])
  })
})
