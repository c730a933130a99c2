import { expect, it } from 'vitest'
import { replayEvents } from '../../../src/store/webhooks/delivery-replays.ts'
import { deliveriesForTests } from './claims.ts'

const MANY = 15_000
const { test, tenants, inTx, subscribe, raise } = deliveriesForTests()

/** A subscription with many events, each with a delivery that waits. */
async function addDeliveries(of: string): Promise<string> {
  const subscriptionId = await subscribe('RawData', of)
  await raise(1, 'RawData', of)
  await test.database.query(
    `insert into events select made.* from events e, generate_series(2, $2::int) n, jsonb_populate_record(e,
       jsonb_build_object('id', gen_random_uuid(), 'dedupe_key', gen_random_uuid(), 'position', n)) made where e.instance_id = $1`,
    [of, MANY],
  )
  await test.database.query(
    `insert into deliveries (instance_id, event_id, subscription_id, due_at, week, kind)
     select instance_id, id, $2, now() + interval '1 hour', week, kind from events where instance_id = $1 on conflict do nothing`,
    [of, subscriptionId],
  )
  return subscriptionId
}

it('a replay of many deliveries is made in time also where the statistics of PostgreSQL know nothing of their instance', async () => {
  const { instanceId, otherId } = tenants
  await addDeliveries(otherId)
  await test.database.query('analyze events, deliveries')
  const subscriptionId = await addDeliveries(instanceId)
  // One look at each delivery, not one for each pair of them, which a statement's 30 s do not suffice for.
  expect(await inTx((db) => replayEvents(db, instanceId, subscriptionId, { events: 'after', position: '0' }))).toBe(MANY)
  const { rows } = await test.database.query('select count(*)::int from deliveries where instance_id = $1 and due_at <= now()', [
    instanceId,
  ])
  expect(rows).toEqual([{ count: MANY }])
})
