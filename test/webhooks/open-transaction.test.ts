import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { type ClaimedDelivery, claimDeliveries, listDueInstances } from '../../src/store/webhooks/deliveries.ts'
import { DeliveryMemory } from '../../src/store/webhooks/delivery-memory.ts'
import { recordAttempt } from '../../src/store/webhooks/delivery-outcomes.ts'
import { appendWaitingEvents, listWaitingInstances, type Waiting } from '../../src/store/webhooks/event-feeds.ts'
import { openRowCounter, type RowCounter } from '../growth/rows-read.ts'
import { openWebhookHarness, type WebhookHarness } from './harness.ts'

const DELIVERED = 10_000
const AT_ONCE = 200
/** NOTE entries of claims whose lease has not ended are read; here it ends at once. */
const RULES = { leaseMs: 1, perSubscription: AT_ONCE, failuresUntilProbing: 5, pauseMs: 30_000, aheadMs: 0 }

let harness: WebhookHarness
let subscriptionId: string
let counter: RowCounter
beforeEach(async () => {
  harness = await openWebhookHarness()
  subscriptionId = (await harness.subscribeTo('https://receiver.example/')).id
  counter = openRowCounter(harness.test.url)
})
afterEach(async () => {
  await counter.close()
  await harness.close()
})

/** Deliveries that have been due since a minute, or for longer. */
async function addDeliveries(count: number, ageMinutes = 1): Promise<void> {
  await counter.database.query(
    `with raised as (
       insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body)
         select $1, id, 'ConnectionStatusChanged', id, id, id, id, '{}' from (select gen_random_uuid() as id from generate_series(1, $3::int)) n returning id)
     insert into deliveries (instance_id, event_id, subscription_id, kind, due_at)
     select $1, id, $2, 'ConnectionStatusChanged', statement_timestamp() - $4 * interval '1 minute' + row_number() over () * interval '1 microsecond' from raised`,
    [harness.instanceId, subscriptionId, count, ageMinutes],
  )
}

async function claim(memory: DeliveryMemory, limit: number, lease = randomUUID()): Promise<ClaimedDelivery[]> {
  const { instanceId } = harness
  return await inTransaction(counter.database, (db) => claimDeliveries(db, instanceId, { lease, limit }, RULES, memory))
}

/** A round of a dispatcher whose receivers answer at once; returns the number of deliveries. */
async function deliver(memory: DeliveryMemory, limit: number): Promise<number> {
  const { instanceId } = harness
  if (!(await listDueInstances(counter.database, 0, memory)).includes(instanceId)) return 0
  const lease = randomUUID()
  const claimed = await claim(memory, limit, lease)
  await counter.database.query(
    `update deliveries set status = 'delivered', lease = null, leased_until = null where instance_id = $1 and id = any($2) and lease is not distinct from $3`,
    [instanceId, claimed.map(({ id }) => id), lease],
  )
  return claimed.length
}

it(`after ${DELIVERED} deliveries beside an open transaction, a round reads at most three times as much as the first, and what the last has left`, async () => {
  await addDeliveries(DELIVERED + 2 * AT_ONCE)
  await counter.openSnapshot()
  const memory = new DeliveryMemory()
  const first = await counter.countEntries('deliveries', () => deliver(memory, 1))
  for (let done = 0; done < DELIVERED; done += AT_ONCE) await deliver(memory, AT_ONCE)
  // However long this took: all deliveries are looked at every ten seconds.
  const kept = asOf(memory, performance.now())
  expect(await counter.countEntries('deliveries', () => deliver(kept, 1))).toBeLessThan(3 * first + 3 * AT_ONCE)
})

it.each(['delivered', { retryInMs: 0 }] as const)(
  'with the statistics of then, an attempt (%j) is noted without reading those',
  async (next) => {
    await addDeliveries(DELIVERED + 4)
    await counter.openSnapshot()
    const memory = new DeliveryMemory()
    for (let done = 0; done < DELIVERED; done += AT_ONCE) await deliver(memory, AT_ONCE)
    await counter.database.query('analyze deliveries')
    const claimed = await claim(memory, 4)
    const outcome = { startedAt: new Date(), durationMs: 1, httpStatus: 200, error: null, response: '', next }
    const note = async () => {
      const delivery = claimed.pop()
      expect(delivery && (await recordAttempt(counter.database, delivery, outcome, RULES))).not.toBeFalsy()
    }
    expect(await counter.countEntries('deliveries', note)).toBeLessThan(100)
  },
)

it('a delivery that appears late is found once everything is looked at again, also while others are made all the time', async () => {
  await addDeliveries(20)
  const memory = new DeliveryMemory()
  expect(await deliver(memory, 5)).toBe(5)
  expect(await deliver(memory, 5)).toBe(5)
  await addDeliveries(1, 5)
  const { rows } = await counter.database.query<{ id: string }>('select id from deliveries order by due_at limit 1')
  const isDelivered = async () =>
    (await counter.database.query(`select 1 from deliveries where id = $1 and status = 'delivered'`, [rows[0]?.id])).rows.length === 1
  await deliver(memory, 5)
  expect(await isDelivered()).toBe(false)
  await deliver(asOf(memory, performance.now() - 11_000), 5)
  expect(await isDelivered()).toBe(true)
})

it('a round reads none of the events that were appended before the last minute', async () => {
  await counter.openSnapshot()
  await addEvents(DELIVERED, 5)
  expect(await append('all')).toBe(DELIVERED)
  await addEvents(1, 0)
  expect(await counter.countEntries('events', () => listWaitingInstances(counter.database, 'all'))).toBeGreaterThan(DELIVERED)
  expect(await counter.countEntries('events', () => listWaitingInstances(counter.database, 'recent'))).toBeLessThan(10)
  expect(await counter.countEntries('events', () => append('recent'))).toBeLessThan(10)

  async function append(which: Waiting): Promise<number> {
    return await inTransaction(counter.database, (db) => appendWaitingEvents(db, harness.instanceId, which))
  }
})

it('an event that appears late is appended by a round that looks at all of them', async () => {
  await addEvents(1, 5)
  const append = (which: Waiting) => inTransaction(counter.database, (db) => appendWaitingEvents(db, harness.instanceId, which))
  expect([await append('recent'), await append('all')]).toEqual([0, 1])
})

async function addEvents(count: number, ageMinutes: number): Promise<void> {
  await counter.database.query(
    `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, created_at)
     select $1, id, 'NormalizedData', id, id, id, id, '{}', statement_timestamp() - $3 * interval '1 minute'
     from (select gen_random_uuid() as id from generate_series(1, $2::int)) n`,
    [harness.instanceId, count, ageMinutes],
  )
}

/** The same memory, had everything been looked at then. */
function asOf(memory: DeliveryMemory, lookedAtMs: number): DeliveryMemory {
  const moved = new DeliveryMemory()
  const [ids, times] = memory.toParameters(0)
  ids.forEach((id, index) => void moved.note(id, times[index] ?? '', true, lookedAtMs))
  return moved
}
