import { beforeAll, expect, test } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { openWebhookHarness } from '../../../test/webhooks/harness.ts'
import { inTransaction } from '../db/database.ts'
import { appendWaitingEvents } from './event-feeds.ts'
import { hasOlderClaims } from './older-claims.ts'

const LIMITS = { leaseMs: 30_000, forMs: 5_000 }
const harness = openForTests(openWebhookHarness)
let id: string
let other: string
beforeAll(async () => {
  id = (await harness.subscribeTo('https://receiver.example/in')).id
  other = (await harness.subscribeTo('https://receiver.example/raw', 'RawData')).id
  await harness.raise()
  await inTransaction(harness.test.database, (db) => appendWaitingEvents(db, harness.instanceId))
})

/** Whether an attempt that was claimed so long ago is in flight and older than a change so long ago. */
async function isFound(claimedMs: number, changedMs: number, subscriptionId = id, instanceId = harness.instanceId): Promise<boolean> {
  return await inTransaction(harness.test.database, async (db) => {
    await db.query(
      `update deliveries set lease = gen_random_uuid(), leased_until = transaction_timestamp() + make_interval(secs => $1::float8 / 1000)`,
      [LIMITS.leaseMs - claimedMs],
    )
    const { rows } = await db.query<{ at: Date }>('select transaction_timestamp() - make_interval(secs => $1::float8 / 1000) as at', [
      changedMs,
    ])
    return await hasOlderClaims(db, instanceId, subscriptionId, rows[0]?.at ?? new Date(Number.NaN), LIMITS)
  })
}

test.each([
  [1_000, 0, true],
  [1_000, 3_000, false],
  [29_000, 0, true],
  [30_001, 0, false],
  [20_000, 4_000, true],
  [20_000, 5_000, false],
])('an attempt claimed %i ms ago is waited for by a change %i ms ago: %s', async (claimedMs, changedMs, expected) => {
  expect(await isFound(claimedMs, changedMs)).toBe(expected)
})

test('an attempt is of no concern to another subscription or instance, nor once it has ended', async () => {
  expect(await isFound(1_000, 0, other)).toBe(false)
  expect(await isFound(1_000, 0, id, await harness.newInstance())).toBe(false)
  await harness.test.database.query('update deliveries set lease = null, leased_until = null')
  expect(await hasOlderClaims(harness.test.database, harness.instanceId, id, new Date(), LIMITS)).toBe(false)
})
