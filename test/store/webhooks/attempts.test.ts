import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../../src/store/db/database.ts'
import type { ClaimedDelivery, ClaimRules } from '../../../src/store/webhooks/deliveries.ts'
import { type AttemptOutcome, recordAttempt } from '../../../src/store/webhooks/delivery-outcomes.ts'
import { holdInFlight, takeBackDue } from '../../../src/store/webhooks/event-weeks.ts'
import { findSubscription } from '../../../src/store/webhooks/subscriptions.ts'
import { mondayOf, placesOf } from '../../webhooks/weeks.ts'
import { setColumns } from '../stored.ts'
import { deliveriesForTests, rules } from './claims.ts'

const { test, tenants, subscribe, raise, claim } = deliveriesForTests()
let [instanceId, otherId] = ['', '']
beforeEach(() => {
  ;({ instanceId, otherId } = tenants)
})

const outcome = (next: AttemptOutcome['next'], more: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  ...{ startedAt: new Date(), durationMs: 12, httpStatus: next === 'delivered' ? 204 : 500, error: null, response: 'text', next, ...more },
})

async function first(claims: Promise<ClaimedDelivery[]>): Promise<ClaimedDelivery> {
  const [one] = await claims
  if (!one) throw new Error('nothing was claimed')
  return one
}

describe('an attempt', () => {
  const record = (delivery: ClaimedDelivery, made: AttemptOutcome, more: Partial<ClaimRules> = {}) =>
    recordAttempt(test.database, delivery, made, rules(more))
  const stored = async () =>
    (
      await test.database.query(
        `select status, step, attempt_count as count, lease, leased_until as until, delivered_at is not null as "isDelivered",
           extract(epoch from due_at - now())::int as "inSeconds" from deliveries`,
      )
    ).rows

  it('that succeeds finishes the delivery, moves it to its week, and ends a series of failures', async () => {
    const { database } = test
    const id = await subscribe()
    await raise()
    await setColumns(database, 'subscriptions', { instanceId, id }, { failing_since: 'now()', failure_count: '2' })
    const claimed = await first(claim())
    const startedAt = new Date()
    expect(await record(claimed, outcome('delivered', { startedAt }))).toEqual({ failureCount: 0, failingForMs: 0 })
    expect(await stored()).toEqual([
      { status: 'delivered', step: 1, count: 1, lease: null, until: null, isDelivered: true, inSeconds: expect.any(Number) },
    ])
    expect([await placesOf(database, 'deliveries'), await placesOf(database, 'delivery_attempts')]).toEqual(
      Array(2).fill({ here: 0, weeks: 1 }),
    )
    expect(await findSubscription(database, instanceId, id)).toMatchObject({ failingSince: null, failureCount: 0 })
    const { rows } = await database.query('select * from delivery_attempts')
    expect(rows).toEqual([
      {
        ...{ instance_id: instanceId, delivery_id: claimed.id, number: 1, started_at: startedAt, duration_ms: 12, http_status: 204 },
        ...{ error: null, response: 'text' },
      },
    ])
    expect(await record(claimed, outcome('delivered'))).toBe(null)
  })

  it('that fails is due again later, and counts against the subscription until it is probed', async () => {
    const { database } = test
    const id = await subscribe()
    await raise()
    const pausedFor = async () =>
      (
        await database.query<{ s: number | null }>(
          'select round(extract(epoch from paused_until - now()))::int as s from subscriptions where id = $1',
          [id],
        )
      ).rows[0]?.s
    const claimed = await first(claim())
    const health = await record(claimed, outcome({ retryInMs: 60_000 }, { httpStatus: null, error: 'refused' }))
    expect(health).toEqual({ failureCount: 1, failingForMs: 0 })
    expect(await stored()).toEqual([
      { status: 'pending', step: 1, count: 1, lease: null, until: null, isDelivered: false, inSeconds: expect.any(Number) },
    ])
    expect((await stored())[0]?.inSeconds).toBeGreaterThan(50)
    expect(await placesOf(database, 'deliveries')).toEqual({ here: 1, weeks: 0 })
    expect(await pausedFor()).toBe(null)
    const again = await first(claim({ aheadMs: 61_000 }))
    expect([again.step, again.wasDelivered]).toEqual([1, false])
    const second = await record(again, outcome({ retryInMs: 60_000 }), { aheadMs: 120_000 })
    expect(second?.failureCount).toBe(2)
    expect(second?.failingForMs).toBeGreaterThan(110_000)
    expect(await pausedFor()).toBe(null)
    const third = await first(claim({ aheadMs: 300_000 }))
    await record(third, outcome('failed'), { failuresUntilProbing: 3, pauseMs: 600_000 })
    expect(await pausedFor()).toBeGreaterThan(590)
    expect(await stored()).toMatchObject([{ status: 'failed', step: 3, count: 3, isDelivered: false }])
    expect(await placesOf(database, 'delivery_attempts')).toEqual({ here: 0, weeks: 3 })
  })

  it('of a claim that was lost changes nothing', async () => {
    const { database } = test
    await subscribe()
    await raise()
    const claimed = await first(claim())
    for (const wrong of [{ lease: randomUUID() }, { instanceId: otherId }, { id: randomUUID() }])
      for (const next of ['delivered', { retryInMs: 1 }] as const) expect(await record({ ...claimed, ...wrong }, outcome(next))).toBe(null)
    expect(await stored()).toMatchObject([{ status: 'pending', count: 0, lease: claimed.lease }])
    expect((await database.query('select from delivery_attempts')).rowCount).toBe(0)
  })

  it('to a subscription to audit entries holds back the others, and stays the first', async () => {
    await subscribe('AuditEntry')
    const [id] = await raise(2, 'Error')
    await record(await first(claim()), outcome({ retryInMs: 60_000 }))
    expect(await claim()).toEqual([])
    expect((await claim({ aheadMs: 61_000 })).map(({ eventId }) => eventId)).toEqual([id])
  })

  it.each([
    [-1, { here: 0, weeks: 1 }],
    [0, { here: 1, weeks: 0 }],
  ])('that begins %d ms from two weeks after the Monday of its delivery is at %j', async (ms, places) => {
    const { database } = test
    await subscribe()
    await raise()
    const claimed = await first(claim())
    const startedAt = new Date(Date.parse(await mondayOf(database, 0)) + 14 * 86_400_000 + ms)
    await record(claimed, outcome('failed', { startedAt }))
    expect(await placesOf(database, 'delivery_attempts')).toEqual(places)
  })

  it('without partitions stays where it is, also when it finishes', async () => {
    const { database } = test
    await subscribe()
    await raise()
    await record({ ...(await first(claim())), week: null, attemptWeek: null }, outcome('delivered'))
    expect([await placesOf(database, 'deliveries'), await placesOf(database, 'delivery_attempts')]).toEqual(
      Array(2).fill({ here: 1, weeks: 0 }),
    )
    expect(await stored()).toMatchObject([{ status: 'delivered', step: 1, isDelivered: true, lease: null }])
  })

  it('that repeats one that succeeded is known as a redelivery', async () => {
    const { database } = test
    await subscribe()
    await raise(2)
    const [done, failed] = await claim()
    if (!done || !failed) throw new Error('two were expected')
    await record({ ...done, week: null }, outcome('delivered'))
    await record({ ...failed, week: null }, outcome('failed'))
    await database.query(`update deliveries set status = 'pending', due_at = now() - interval '1 minute'`)
    const again = await claim()
    expect(new Map(again.map(({ id, wasDelivered }) => [id, wasDelivered]))).toEqual(
      new Map([
        [done.id, true],
        [failed.id, false],
      ]),
    )
  })
})

it('that is being recorded is waited for before its delivery may move', async () => {
  const { database } = test
  const subscriptionId = await subscribe()
  await raise()
  const { id } = await first(claim())
  const holdAndCount = (of = instanceId, subscription: string | null = null) =>
    inTransaction(database, async (db) => {
      await holdInFlight(db, of, subscription)
      return 'held'
    })
  const recorder = await database.connect()
  try {
    await recorder.query('begin')
    await recorder.query('update deliveries set step = step where id = $1', [id])
    expect([await holdAndCount(otherId), await holdAndCount(instanceId, randomUUID())]).toEqual(['held', 'held'])
    for (const subscription of [null, subscriptionId]) {
      let isHeld = false
      const held = holdAndCount(instanceId, subscription).then(() => {
        isHeld = true
      })
      const isWaiting = async () =>
        (await database.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount ===
        1
      while (!isHeld && !(await isWaiting()));
      expect(isHeld).toBe(false)
      await recorder.query('commit')
      await held
      await recorder.query('begin')
      await recorder.query('update deliveries set step = step where id = $1', [id])
    }
    await recorder.query('rollback')
  } finally {
    recorder.release()
  }
})

it('of release 1.0.0 that made a delivery due in its partition is taken back, and counted', async () => {
  const { database } = test
  await subscribe()
  await raise(2)
  for (const claimed of await claim()) await recordAttempt(database, claimed, outcome('failed'), rules())
  const week = await mondayOf(database, 0)
  const takeBack = () => inTransaction(database, (db) => takeBackDue(db, week))
  expect(await takeBack()).toBe(0)
  await database.query(`update deliveries set status = 'pending' where id = (select id from deliveries limit 1)`)
  expect([await takeBack(), await takeBack(), await placesOf(database, 'deliveries')]).toEqual([1, 0, { here: 1, weeks: 1 }])
})
