import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Selection } from '../../../src/store/db/list-selection.ts'
import { deleteOldAttempts, listDeliveries } from '../../../src/store/webhooks/delivery-log.ts'
import { type AttemptOutcome, recordAttempt } from '../../../src/store/webhooks/delivery-outcomes.ts'
import {
  countReplay,
  findSubscriptionOfDelivery,
  listSubscriberIds,
  type ReplaySelection,
  replayDelivery,
  replayEvents,
} from '../../../src/store/webhooks/delivery-replays.ts'
import { disableSubscription } from '../../../src/store/webhooks/subscriptions.ts'
import { raiseEvent } from '../../webhooks/harness.ts'
import { mondayOf, placesOf } from '../../webhooks/weeks.ts'
import { listColumn, setColumns } from '../stored.ts'
import { deliveriesForTests, rules } from './claims.ts'

const { test, tenants, inTx, subscribe, raise, claim } = deliveriesForTests()
let [instanceId, otherId] = ['', '']
beforeEach(() => {
  ;({ instanceId, otherId } = tenants)
})

/** Claims what is due and records an attempt of each. */
async function attempt(next: AttemptOutcome['next'], more: Partial<AttemptOutcome> = {}): Promise<void> {
  for (const claimed of await claim())
    await recordAttempt(
      test.database,
      claimed,
      { startedAt: new Date(), durationMs: 5, httpStatus: next === 'delivered' ? 200 : 500, error: null, response: '', next, ...more },
      rules(),
    )
}

interface StoredDelivery {
  event: string
  status: string
  step: number
  count: number
}

async function stored(): Promise<StoredDelivery[]> {
  const { rows } = await test.database.query<StoredDelivery>(
    `select event_id as event, status, step, attempt_count as count from deliveries where instance_id = $1 order by created_at, id`,
    [instanceId],
  )
  return rows
}

const all = { mayReadAudit: true }
const replay = (subscriptionId: string, selection: ReplaySelection, of = instanceId) =>
  inTx((db) => replayEvents(db, of, subscriptionId, selection))

describe('a replay', () => {
  it('of one event makes its finished delivery due again, with its earlier attempts', async () => {
    const id = await subscribe()
    const [one, other] = await raise(2)
    await attempt('delivered')
    const selection = { events: 'one', eventId: one ?? '' } as const
    expect(await countReplay(test.database, instanceId, id, selection)).toBe(1)
    expect(await replay(id, selection)).toBe(1)
    expect((await stored()).toSorted((a, b) => (a.status < b.status ? -1 : 1))).toEqual([
      { event: other, status: 'delivered', step: 1, count: 1 },
      { event: one, status: 'pending', step: 0, count: 1 },
    ])
    expect(await placesOf(test.database, 'deliveries')).toEqual({ here: 1, weeks: 1 })
    expect((await claim()).map(({ eventId, wasDelivered }) => [eventId, wasDelivered])).toEqual([[one, true]])
    expect([await replay(id, selection, otherId), await countReplay(test.database, otherId, id, selection)]).toEqual([0, 0])
    expect([await replay(randomUUID(), selection), await replay(id, { events: 'one', eventId: randomUUID() })]).toEqual([0, 0])
  })

  it('of a waiting delivery begins its schedule anew, and makes it due now', async () => {
    const id = await subscribe()
    const [eventId] = await raise()
    await attempt({ retryInMs: 3_600_000 })
    expect([await claim(), await replay(id, { events: 'one', eventId: eventId ?? '' })]).toEqual([[], 1])
    expect(await stored()).toEqual([{ event: eventId, status: 'pending', step: 0, count: 1 }])
    expect(await claim()).toHaveLength(1)
  })

  it('makes the deliveries that there never were, of the kinds that the subscription gets', async () => {
    const ids = await raise(2)
    const errors = await raise(1, 'Error')
    const [raw, normalized] = [await subscribe(), await subscribe('NormalizedData')]
    const after = { events: 'after', position: '1' } as const
    expect([await countReplay(test.database, instanceId, raw, after), await replay(raw, after)]).toEqual([2, 2])
    expect((await stored()).map(({ event }) => event).toSorted()).toEqual([ids[1], ...errors].toSorted())
    expect([await replay(normalized, { events: 'after', position: '0' }), await replay(raw, { events: 'after', position: '3' })]).toEqual([
      1, 0,
    ])
    const { rows } = await test.database.query(
      'select distinct status, step, kind, week is not null as "hasWeek" from deliveries order by kind',
    )
    expect(rows).toEqual([
      { status: 'pending', step: 0, kind: 'Error', hasWeek: true },
      { status: 'pending', step: 0, kind: 'RawData', hasWeek: true },
    ])
  })

  it('of a range has its beginning and not its end', async () => {
    const ids = await raise(3)
    const id = await subscribe()
    for (const [n, event] of ids.entries())
      await test.database.query('update events set created_at = $2 where id = $1', [event, new Date(Date.UTC(2026, 10, 20, 12, n))])
    const range = { events: 'range', from: new Date(Date.UTC(2026, 10, 20, 12, 0)), to: new Date(Date.UTC(2026, 10, 20, 12, 2)) } as const
    expect([await countReplay(test.database, instanceId, id, range), await replay(id, range)]).toEqual([2, 2])
    expect((await stored()).map(({ event }) => event).toSorted()).toEqual(ids.slice(0, 2).toSorted())
  })

  it('of what is undelivered leaves out what was delivered, and what is older', async () => {
    const id = await subscribe()
    const [old, delivered] = await raise(2)
    await attempt('delivered')
    const [failed] = await raise()
    await attempt('failed')
    await test.database.query(`update deliveries set status = 'failed' where event_id = $1`, [old])
    await test.database.query(`update events set created_at = '2026-01-01' where id = $1`, [old])
    const since = { events: 'undelivered', since: new Date('2026-01-02T00:00:00Z') } as const
    expect([await countReplay(test.database, instanceId, id, since), await replay(id, since)]).toEqual([1, 1])
    expect(new Map((await stored()).map(({ event, status }) => [event, status]))).toEqual(
      new Map([
        [old, 'failed'],
        [delivered, 'delivered'],
        [failed, 'pending'],
      ]),
    )
  })

  it('of one delivery is for who may know of its event', async () => {
    const { database } = test
    await subscribe()
    await raise()
    await attempt('failed')
    const id = String((await listColumn(database, 'deliveries', 'id', instanceId))[0])
    const again = (deliveryId: string, visibility = all, of = instanceId) => inTx((db) => replayDelivery(db, of, deliveryId, visibility))
    expect([await again(randomUUID()), await again(id, all, otherId), await again(id), await again(id)]).toEqual([false, false, true, true])
    expect(await stored()).toMatchObject([{ status: 'pending', step: 0, count: 1 }])
    await database.query(`update events set kind = 'AuditEntry' where instance_id = $1`, [instanceId])
    const subscriptionOf = (visibility = all, of = instanceId) => findSubscriptionOfDelivery(database, of, id, visibility)
    expect([await again(id, { mayReadAudit: false }), await again(id)]).toEqual([false, true])
    expect([await subscriptionOf({ mayReadAudit: false }), await subscriptionOf(all, otherId)]).toEqual([null, null])
    expect(await subscriptionOf()).toEqual((await listColumn(database, 'deliveries', 'subscription_id', instanceId))[0])
  })

  it('moves deliveries for itself alone: others deleted later in its transaction take their attempts along', async () => {
    const id = await subscribe()
    const [eventId] = await raise()
    await attempt('failed')
    await inTx(async (db) => {
      await replayEvents(db, instanceId, id, { events: 'one', eventId: eventId ?? '' })
      await db.query('delete from deliveries where instance_id = $1', [instanceId])
    })
    expect(await placesOf(test.database, 'delivery_attempts')).toEqual({ here: 0, weeks: 0 })
  })

  it('is for the active subscriptions to an event', async () => {
    const { database } = test
    const [raw, disabled, normalized] = [await subscribe(), await subscribe(), await subscribe('NormalizedData')]
    await subscribe('RawData', otherId)
    await disableSubscription(database, instanceId, disabled, 'gone', '0')
    const [rawEvent, error] = [...(await raise()), ...(await raise(1, 'Error'))]
    const tested = await raiseEvent(database, instanceId, 'RawData', { onlyFor: normalized })
    const listed = async (id = '') => (await listSubscriberIds(database, instanceId, id)).toSorted()
    expect([await listed(rawEvent), await listed(error), await listed(tested), await listed(randomUUID())]).toEqual([
      [raw],
      [raw, normalized].toSorted(),
      [normalized],
      [],
    ])
    expect(await listSubscriberIds(database, otherId, rawEvent ?? '')).toEqual([])
  })
})

describe('the log of deliveries', () => {
  const list = (more: Partial<Selection & { mayReadAudit: boolean }> = {}, of = instanceId) =>
    listDeliveries(test.database, of, {
      filter: [],
      orderBy: 'createdAt',
      descending: false,
      limit: 10,
      offset: 0,
      mayReadAudit: true,
      ...more,
    })

  it('has each delivery with its attempts, and the time of the next', async () => {
    const subscriptionId = await subscribe()
    const [done] = await raise()
    const startedAt = new Date('2026-11-27T10:00:00.123Z')
    await attempt('delivered', { startedAt, response: 'ok' })
    const [waiting] = await raise()
    await attempt({ retryInMs: 3_600_000 }, { httpStatus: null, error: 'timeout' })
    const { deliveries, total } = await list()
    const shown = { id: expect.any(String), kind: 'RawData', subscriptionId, attemptCount: 1, createdAt: expect.any(Date) }
    const made = { number: 1, durationMs: 5 }
    expect(deliveries).toEqual([
      {
        ...{ ...shown, eventId: done, status: 'delivered', deliveredAt: expect.any(Date), dueAt: null },
        attempts: [{ ...made, startedAt: '2026-11-27T10:00:00.123Z', httpStatus: 200, error: null, response: 'ok' }],
      },
      {
        ...{ ...shown, eventId: waiting, status: 'pending', deliveredAt: null, dueAt: expect.any(Date) },
        attempts: [{ ...made, startedAt: expect.any(String), httpStatus: null, error: 'timeout', response: '' }],
      },
    ])
    expect(total).toEqual({ total: 2, hasMore: false })
    expect(await list({}, otherId)).toEqual({ deliveries: [], total: { total: 0, hasMore: false } })
  })

  it('shows the later of the due time and the pause of the subscription', async () => {
    const id = await subscribe()
    await raise()
    await setColumns(test.database, 'subscriptions', { instanceId, id }, { paused_until: `'2099-01-01T00:00:00Z'` })
    expect((await list()).deliveries).toMatchObject([{ dueAt: new Date('2099-01-01T00:00:00Z'), attempts: [] }])
  })

  it('hides the audit from those who may not read it, and filters and orders by what it shows', async () => {
    const { database } = test
    const subscriptionId = await subscribe()
    const [audit, plain] = await raise(2)
    await database.query(`update events set kind = 'AuditEntry' where id = $1`, [audit])
    await database.query(`update deliveries set kind = null where event_id = $1`, [audit])
    const events = async (more: Parameters<typeof list>[0]) => (await list(more)).deliveries.map(({ eventId }) => eventId)
    const where = (property: string, value: string, operator: '=' | '!=' = '=') => ({ filter: [[{ property, operator, value }]] })
    const table: [Parameters<typeof list>[0], (string | undefined)[]][] = [
      [{}, [audit, plain]],
      [{ mayReadAudit: false }, [plain]],
      [{ descending: true }, [plain, audit]],
      [{ limit: 1 }, [audit]],
      [{ offset: 1 }, [plain]],
      [where('kind', 'AuditEntry'), [audit]],
      [where('eventId', plain ?? ''), [plain]],
      [where('subscriptionId', subscriptionId), [audit, plain]],
      [where('status', 'failed'), []],
      [where('status', 'failed', '!='), [audit, plain]],
      [where('attemptCount', '0'), [audit, plain]],
    ]
    for (const [more, expected] of table) expect(await events(more), JSON.stringify(more)).toEqual(expected)
    for (const orderBy of ['id', 'eventId', 'kind', 'subscriptionId', 'status', 'attemptCount', 'deliveredAt', 'dueAt'])
      expect((await list({ orderBy })).deliveries, orderBy).toHaveLength(2)
    expect((await list({ mayReadAudit: false })).total).toEqual({ total: 1, hasMore: false })
  })

  it('shows the last ten attempts, in order, wherever they are', async () => {
    const { database } = test
    await subscribe()
    const [one, bare] = await raise(2)
    const [delivery] = (await list()).deliveries
    const partition = `delivery_attempts_${(await mondayOf(database, 0)).replaceAll('-', '')}`
    for (const [from, to, table] of [
      [1, 6, partition],
      [7, 12, 'delivery_attempts'],
    ] as const)
      await database.query(
        `insert into ${table} (instance_id, delivery_id, number, started_at, duration_ms, http_status)
         select $1, $2, n, statement_timestamp(), 1, 500 from generate_series($3::int, $4::int) n`,
        [instanceId, delivery?.id, from, to],
      )
    await database.query('update deliveries set attempt_count = 12 where event_id = $1', [one])
    const shown = new Map((await list()).deliveries.map(({ eventId, attempts }) => [eventId, attempts.map(({ number }) => number)]))
    expect(shown).toEqual(
      new Map([
        [one, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        [bare, []],
      ]),
    )
  })

  it('loses attempts in no partition when they are too old, the oldest first, up to a limit', async () => {
    const { database } = test
    const insert = (number: number, days: number, of = instanceId) =>
      database.query(
        `insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms, http_status)
         values ($1, $1, $2, now() - make_interval(days => $3), 1, 500)`,
        [of, number, days],
      )
    for (const [number, days] of [
      [1, 31],
      [2, 33],
      [3, 29],
    ] as const)
      await insert(number, days)
    await insert(1, 40, otherId)
    const remove = (limit: number) => deleteOldAttempts(database, instanceId, 30, limit)
    expect([await remove(1), await listColumn(database, 'delivery_attempts', 'number', instanceId)]).toEqual([1, [1, 3]])
    expect([await remove(5), await remove(5)]).toEqual([1, 0])
    expect([
      await listColumn(database, 'delivery_attempts', 'number', instanceId),
      await listColumn(database, 'delivery_attempts', 'number', otherId),
    ]).toEqual([[3], [1]])
  })
})
