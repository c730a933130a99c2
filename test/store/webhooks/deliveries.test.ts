import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ClaimedDelivery, claimDeliveries, countWaitingDeliveries, listDueInstances } from '../../../src/store/webhooks/deliveries.ts'
import { DeliveryMemory } from '../../../src/store/webhooks/delivery-memory.ts'
import { hasOlderClaims } from '../../../src/store/webhooks/older-claims.ts'
import { disableSubscription } from '../../../src/store/webhooks/subscriptions.ts'
import { mondayOf } from '../../webhooks/weeks.ts'
import { listColumn, setColumns } from '../stored.ts'
import { deliveriesForTests, rules } from './claims.ts'

const { test, tenants, inTx, subscribe, raise, claim } = deliveriesForTests()
let [instanceId, otherId] = ['', '']
beforeEach(() => {
  ;({ instanceId, otherId } = tenants)
})

describe('due deliveries', () => {
  it('are claimed with the event, the address and the weeks of their partitions', async () => {
    const { database } = test
    const subscriptionId = await subscribe()
    const [eventId] = await raise()
    expect(await listDueInstances(database)).toEqual([instanceId])
    const lease = randomUUID()
    const claimed = await inTx((db) => claimDeliveries(db, instanceId, { lease, limit: 1 }, rules()))
    const week = await mondayOf(database, 0)
    expect(claimed).toEqual([
      {
        ...{ instanceId, id: expect.any(String), subscriptionId, callbackUrl: `https://a.example/${subscriptionId}`, eventId, week, lease },
        ...{
          attemptWeek: week,
          kind: 'RawData',
          body: expect.stringContaining(`RawData.${eventId}`),
          step: 0,
          claimedAt: expect.any(Date),
        },
        ...{ raisedAt: expect.any(Date), wasDelivered: false, traceParent: null },
      },
    ])
    expect([await listDueInstances(database), await claim()]).toEqual([[], []])
    expect([await claim({ of: otherId }), await listDueInstances(database, 0)]).toEqual([[], []])
  })

  it('are claimed without a wait for the disk', async () => {
    await subscribe()
    await raise()
    const [claimed, commit] = await inTx(async (db) => {
      await db.query('set local synchronous_commit = on')
      const { length } = await claimDeliveries(db, instanceId, { lease: randomUUID(), limit: 1 }, rules())
      return [length, (await db.query<{ commit: string }>(`select current_setting('synchronous_commit') as commit`)).rows[0]?.commit]
    })
    expect([claimed, commit]).toEqual([1, 'off'])
  })

  it('are none of a subscription that is disabled or paused, or of a suspended instance', async () => {
    const { database } = test
    const id = await subscribe()
    await raise()
    const isDue = async () => [(await listDueInstances(database)).length, (await claim({ limit: 0 })).length]
    const canClaim = async () => {
      const claimed = await claim()
      await database.query('update deliveries set lease = null, leased_until = null')
      return claimed.length
    }
    expect([await isDue(), await canClaim()]).toEqual([[1, 0], 1])
    await setColumns(database, 'subscriptions', { instanceId, id }, { paused_until: `now() + interval '1 minute'` })
    expect([await isDue(), await canClaim()]).toEqual([[0, 0], 0])
    expect([await listDueInstances(database, 61_000), (await claim({ aheadMs: 61_000 })).length]).toEqual([[instanceId], 1])
    await database.query('update deliveries set lease = null, leased_until = null')
    await setColumns(database, 'subscriptions', { instanceId, id }, { paused_until: 'null' })
    await disableSubscription(database, instanceId, id, 'gone', '0')
    expect([await isDue(), await canClaim()]).toEqual([[0, 0], 0])
  })

  it('that are scheduled wait until their time, and leases until they end', async () => {
    const { database } = test
    await subscribe()
    await raise()
    await database.query(`update deliveries set due_at = now() + interval '1 hour'`)
    expect([await listDueInstances(database), await claim()]).toEqual([[], []])
    expect([await listDueInstances(database, 3_601_000), (await claim({ aheadMs: 3_601_000 })).length]).toEqual([[instanceId], 1])
    await database.query(`update deliveries set due_at = now() - interval '1 hour'`)
    expect(await claim()).toEqual([])
    await database.query(`update deliveries set leased_until = now() - interval '1 second'`)
    expect([await listDueInstances(database), (await claim()).length]).toEqual([[instanceId], 1])
  })

  it('are claimed in turn, the oldest of each subscription first, within its limit and that of the claim', async () => {
    const { database } = test
    const [a, b] = [await subscribe(), await subscribe()]
    const ids = await raise(4)
    for (const [n, id] of ids.entries())
      await database.query(
        `update deliveries set due_at = now() - make_interval(secs => $2 + case when subscription_id = $3 then 100 else 0 end) where event_id = $1`,
        [...[id, 50 - n, a]],
      )
    const pairs = (claims: ClaimedDelivery[]) =>
      claims.map(({ eventId, subscriptionId }) => `${ids.indexOf(eventId)}${subscriptionId === a ? 'a' : 'b'}`).toSorted()
    expect(pairs(await claim({ limit: 3 }))).toEqual(['0a', '0b', '1a'])
    expect(pairs(await claim({ perSubscription: 3 }))).toEqual(['1b', '2a', '2b'])
    expect(await claim({ perSubscription: 2 })).toEqual([])
    await setColumns(database, 'subscriptions', { instanceId, id: b }, { failure_count: '3' })
    await database.query('update deliveries set lease = null, leased_until = null')
    expect(pairs(await claim())).toEqual(['0a', '0b', '1a', '2a', '3a'])
  })

  it('of audit entries are claimed one at a time', async () => {
    await subscribe('AuditEntry')
    const ids = await raise(3, 'Error')
    expect((await claim()).map(({ eventId }) => eventId)).toEqual(ids.slice(0, 1))
    expect(await claim()).toEqual([])
  })

  it('whose events are gone are deleted, and counted', async () => {
    const { database } = test
    await subscribe()
    const [, kept] = await raise(2)
    await database.query(`insert into deliveries (instance_id, event_id, subscription_id, kind)
      select instance_id, gen_random_uuid(), subscription_id, kind from deliveries limit 1`)
    const lost: number[] = []
    const claimed = await claim({ onLost: (count) => lost.push(count) })
    expect([claimed.length, lost]).toEqual([2, [1]])
    expect(claimed.map(({ eventId }) => eventId)).toContain(kept)
    expect(await listColumn(database, 'deliveries', 'event_id', instanceId)).toHaveLength(2)
  })

  it('without a week, as release 1.0.0 makes them, find their events in any partition', async () => {
    await subscribe()
    const [eventId] = await raise()
    await test.database.query('update deliveries set week = null')
    expect(await claim()).toMatchObject([{ eventId, week: null, attemptWeek: null, kind: 'RawData' }])
  })

  it('are counted as due or later, with the age of the oldest', async () => {
    const { database } = test
    expect(await countWaitingDeliveries(database)).toEqual({ due: 0, later: 0, lagSeconds: 0 })
    const id = await subscribe()
    await raise(3)
    const [late] = await raise()
    await database.query(`update deliveries set due_at = now() + interval '1 hour' where event_id = $1`, [late])
    const counts = await countWaitingDeliveries(database)
    expect(counts).toEqual({ due: 3, later: 1, lagSeconds: expect.any(Number) })
    expect(counts.lagSeconds).toBeGreaterThan(0)
    await setColumns(database, 'subscriptions', { instanceId, id }, { paused_until: `now() + interval '2 hours'` })
    expect(await countWaitingDeliveries(database)).toEqual({ due: 0, later: 4, lagSeconds: 0 })
    await disableSubscription(database, instanceId, id, 'gone', '0')
    expect(await countWaitingDeliveries(database)).toEqual({ due: 0, later: 0, lagSeconds: 0 })
  })
})

describe('what a dispatcher remembers', () => {
  it('leaves out deliveries from before, until all are looked at again', async () => {
    const { database } = test
    await subscribe()
    const memory = new DeliveryMemory()
    await raise(2)
    await claim({ limit: 1, memory })
    const [[noted]] = memory.toParameters()
    expect(noted).toEqual(expect.any(String))
    await database.query(`update deliveries set due_at = now() - interval '1 hour', lease = null, leased_until = null`)
    expect([await listDueInstances(database, 0, memory), await claim({ memory })]).toEqual([[], []])
    expect([await listDueInstances(database), (await claim({ limit: 1 })).length]).toEqual([[instanceId], 1])
  })
})

it('claims from before a moment are known until their leases end', async () => {
  const { database } = test
  const id = await subscribe()
  await raise()
  const ask = (at: Date, { leaseMs = 60_000, forMs = 60_000, of = instanceId, subscription = id } = {}) =>
    hasOlderClaims(database, of, subscription, at, { leaseMs, forMs })
  const now = new Date(Date.now() + 1_000)
  expect(await ask(now)).toBe(false)
  await claim()
  expect([
    await ask(now),
    await ask(new Date(Date.now() - 30_000)),
    await ask(now, { of: otherId }),
    await ask(now, { subscription: randomUUID() }),
  ]).toEqual([true, false, false, false])
  expect(await ask(new Date(Date.now() - 30_000), { leaseMs: 120_000, forMs: 10_000 })).toBe(false)
  await database.query(`update deliveries set leased_until = now() - interval '1 second'`)
  expect(await ask(now)).toBe(false)
})
