import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whileOpen } from '../../test/harness/while-open.ts'
import { openWebhookHarness, type Receiver, type WebhookHarness } from '../../test/webhooks/harness.ts'
import { dropWeeks } from '../../test/webhooks/weeks.ts'
import { CATEGORY_IDS } from '../model/catalogue.ts'
import { insertAuditEvents, NOBODY } from '../store/webhooks/audit-events.ts'
import { deleteOldAttempts, listDeliveries } from '../store/webhooks/delivery-log.ts'
import { replayDelivery } from '../store/webhooks/delivery-replays.ts'
import { listEvents } from '../store/webhooks/feed-pages.ts'
import { findSubscription } from '../store/webhooks/subscriptions.ts'
import { UnknownEvent } from './errors.ts'
import { countReplayToSubscription, replayEvent, replayOneDelivery, replayToSubscription, sendTestEvent } from './replay.ts'
import { verifyWebhook } from './verify.ts'

let bench: WebhookHarness
let receiver: Receiver
let id = ''
let secret = ''
let isWell = true

beforeEach(async () => {
  bench = await openWebhookHarness()
  isWell = true
  receiver = await bench.receive((_request, response) => response.writeHead(isWell ? 200 : 500).end('thanks'))
  const subscription = await bench.subscribeTo(receiver.url)
  id = subscription.id
  secret = subscription.secret
})
afterEach(() => bench.close())

async function deliverAll(): Promise<void> {
  while ((await bench.dispatcher.runOnce()) > 0);
}

async function delivered(): Promise<string> {
  const eventId = await bench.raise()
  await deliverAll()
  return eventId
}

/** Requests received since the last call. */
function takeReceived(): string[] {
  return receiver.received.splice(0).map(({ identifier }) => identifier.split('.')[1] ?? '')
}

async function givenUp(): Promise<string> {
  isWell = false
  const eventId = await delivered()
  await bench.test.database.query(`update deliveries set status = 'failed', step = 10 where event_id = $1`, [eventId])
  isWell = true
  return eventId
}

describe('a replay', () => {
  test('of one delivery sends the same event id and body with a new timestamp', async () => {
    const eventId = await delivered()
    const [before] = receiver.received
    const page = { filter: [], orderBy: 'createdAt', descending: false, limit: 10, offset: 0 }
    const { deliveries } = await listDeliveries(bench.test.database, bench.instanceId, { ...page, mayReadAudit: true })
    bench.travel(3_600_000)
    expect(await replayDelivery(bench.test.database, bench.instanceId, deliveries[0]?.id ?? '', { mayReadAudit: true })).toBe(true)
    await deliverAll()
    const after = receiver.received[1]
    expect(after?.headers['webhook-id']).toBe(`evt_${eventId}`)
    expect(after?.body).toBe(before?.body)
    const at = Number(after?.headers['webhook-timestamp'])
    expect(at - Number(before?.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(3599)
    expect(verifyWebhook(after?.headers ?? {}, after?.body ?? '', secret, new Date(at * 1000))).toBe(true)
  })

  test('of one delivery is none where it does not exist, is of another instance, or is deleted meanwhile', async () => {
    await delivered()
    const { rows } = await bench.test.database.query<{ id: string }>('select id from deliveries')
    const deliveryId = rows[0]?.id ?? ''
    const replay = (which = deliveryId, instanceId = bench.instanceId) =>
      replayOneDelivery(bench.deps, instanceId, which, { mayReadAudit: true })
    expect([await replay(crypto.randomUUID()), await replay(deliveryId, await bench.newInstance()), await replay()]).toEqual([
      ...[false, false, true],
    ])
    await deliverAll()
    const deletion = { id: deliveryId, first: ['delete from deliveries where id = $1'] }
    expect(await whileOpen(bench.test.database, deletion, () => replay())).toBe(false)
  })

  test('of one event reaches every active subscription of its kind', async () => {
    const other = await bench.receive()
    await bench.subscribeTo(other.url)
    await bench.subscribeTo(other.url, 'RawData')
    const eventId = await delivered()
    takeReceived()
    other.received.splice(0)
    expect(await replayEvent(bench.deps, bench.instanceId, eventId, { mayReadAudit: true })).toBe(2)
    await deliverAll()
    expect([takeReceived(), other.received.map(({ identifier }) => identifier)]).toEqual([[eventId], [`NormalizedData.${eventId}`]])
  })

  test('of an event that is not there, or of another instance, is nothing', async () => {
    const eventId = await delivered()
    expect(await replayEvent(bench.deps, bench.instanceId, crypto.randomUUID(), { mayReadAudit: true })).toBeNull()
    expect(await replayEvent(bench.deps, await bench.newInstance(), eventId, { mayReadAudit: true })).toBeNull()
    expect(await replayDelivery(bench.test.database, bench.instanceId, crypto.randomUUID(), { mayReadAudit: true })).toBe(false)
    expect(await replayToSubscription(bench.deps, bench.instanceId, crypto.randomUUID(), { events: 'one', eventId })).toBeNull()
    const unknown = { events: 'one', eventId: crypto.randomUUID() } as const
    await expect(replayToSubscription(bench.deps, bench.instanceId, id, unknown)).rejects.toThrow('no such event')
  })

  test('of a range takes all events in it, delivered or not, of the kinds of the subscription', async () => {
    await delivered()
    const within = [await delivered(), await givenUp()]
    const { events } = await listEvents(bench.test.database, { instanceId: bench.instanceId, after: null, limit: 10, mayReadAudit: true })
    const from = events[1]?.createdAt ?? new Date(0)
    await bench.raise('RawData')
    takeReceived()
    const to = new Date(from.getTime() + 3_600_000)
    expect(await replayToSubscription(bench.deps, bench.instanceId, id, { events: 'range', from, to })).toBe(2)
    await deliverAll()
    expect(takeReceived().sort()).toEqual(within.sort())
    expect(
      await replayToSubscription(bench.deps, bench.instanceId, id, { events: 'range', from: to, to: new Date(to.getTime() + 1) }),
    ).toBe(0)
  })

  test('of what was not delivered leaves out what was, and takes what came before the subscription', async () => {
    const late = await bench.receive()
    const [early, failed] = [await delivered(), await givenUp()]
    takeReceived()
    const since = new Date(0)
    expect(await replayToSubscription(bench.deps, bench.instanceId, id, { events: 'undelivered', since })).toBe(1)
    const { id: lateId } = await bench.subscribeTo(late.url)
    expect(await replayToSubscription(bench.deps, bench.instanceId, lateId, { events: 'undelivered', since })).toBe(2)
    await deliverAll()
    expect(takeReceived()).toEqual([failed])
    expect(late.received.map(({ identifier }) => identifier.split('.')[1]).sort()).toEqual([early, failed].sort())
  })

  test('has a whole schedule before it', async () => {
    const eventId = await givenUp()
    await replayEvent(bench.deps, bench.instanceId, eventId, { mayReadAudit: true })
    isWell = false
    await deliverAll()
    const { rows } = await bench.test.database.query('select status, step, attempt_count from deliveries')
    expect(rows).toEqual([{ status: 'pending', step: 1, attempt_count: 2 }])
  })

  test('to a disabled subscription is refused', async () => {
    const eventId = await delivered()
    await bench.test.database.query(`update subscriptions set status = 'disabled', disabled_position = 1`)
    await expect(replayToSubscription(bench.deps, bench.instanceId, id, { events: 'one', eventId })).rejects.toMatchObject({
      reason: 'subscriptionDisabled',
    })
    await expect(sendTestEvent(bench.deps, bench.instanceId, id)).rejects.toMatchObject({ reason: 'subscriptionDisabled' })
  })
})

describe('a test event', () => {
  test('goes to its subscription alone, signed like any other, and stays out of the feed', async () => {
    const other = await bench.receive()
    await bench.subscribeTo(other.url)
    const eventId = await sendTestEvent(bench.deps, bench.instanceId, id)
    await deliverAll()
    const [got] = receiver.received
    expect(got?.identifier).toBe(`NormalizedData.${eventId}`)
    expect(verifyWebhook(got?.headers ?? {}, got?.body ?? '', secret)).toBe(true)
    expect(other.received).toEqual([])
    const feed = await listEvents(bench.test.database, { instanceId: bench.instanceId, after: null, limit: 10, mayReadAudit: true })
    expect(feed.events).toEqual([])
  })

  test('says that it is one, and can be sent again and again', async () => {
    await sendTestEvent(bench.deps, bench.instanceId, id)
    await sendTestEvent(bench.deps, bench.instanceId, id)
    await deliverAll()
    const data = { ServiceName: 'Test', CategoryName: 'Banking', CategoryId: CATEGORY_IDS.Banking, Email: '', CompanyId: NOBODY }
    expect(receiver.received.map(({ body }) => JSON.parse(body).Data)).toMatchObject([data, data])
  })

  test('of a subscription that is not there is none', async () => {
    expect(await sendTestEvent(bench.deps, await bench.newInstance(), id)).toBeNull()
  })
})

describe('an event of an audit entry', () => {
  const entry = { action: 'company.created', userId: null, subject: 'company/1' }
  const facts = { position: 1, hash: '0'.repeat(64), at: new Date('2026-11-20T12:00:00Z'), entry }

  test('is delivered again to a subscription to audit entries, and unknown to any other', async () => {
    const audit = await bench.receive()
    const { id: auditId } = await bench.subscribeTo(audit.url, 'AuditEntry')
    const normalized = await findSubscription(bench.test.database, bench.instanceId, id)
    if (!normalized) return expect.fail('no subscription')
    await insertAuditEvents(bench.test.database, bench.instanceId, [facts])
    await deliverAll()
    const one = { events: 'one', eventId: audit.received[0]?.identifier.split('.')[1] ?? '' } as const
    expect(await replayToSubscription(bench.deps, bench.instanceId, auditId, one)).toBe(1)
    await deliverAll()
    expect(audit.received).toHaveLength(2)
    await expect(replayToSubscription(bench.deps, bench.instanceId, id, one)).rejects.toThrow(UnknownEvent)
    await expect(countReplayToSubscription(bench.deps, bench.instanceId, normalized, one)).rejects.toThrow(UnknownEvent)
  })

  test('is made by a test of such a subscription, at position 0', async () => {
    const audit = await bench.receive()
    const { id: auditId } = await bench.subscribeTo(audit.url, 'AuditEntry')
    await sendTestEvent(bench.deps, bench.instanceId, auditId)
    await deliverAll()
    expect(audit.received.map(({ body }) => JSON.parse(body))).toMatchObject([{ MessageType: 'AuditEntry', Data: { Position: 0 } }])
  })
})

describe('the list of deliveries', () => {
  const page = { filter: [], orderBy: 'createdAt', descending: true, limit: 2, offset: 0 }

  test('shows each with its attempts, newest first, in pages', async () => {
    isWell = false
    const eventId = await delivered()
    bench.travel(10_000)
    isWell = true
    await deliverAll()
    const newer = [await delivered(), await delivered()]
    const first = await listDeliveries(bench.test.database, bench.instanceId, { ...page, mayReadAudit: true })
    const second = await listDeliveries(bench.test.database, bench.instanceId, { ...page, offset: 2, mayReadAudit: true })
    expect([first.total.total, ...first.deliveries.map((delivery) => delivery.eventId)]).toEqual([3, ...newer.toReversed()])
    expect(second.deliveries).toMatchObject([
      {
        eventId,
        kind: 'NormalizedData',
        subscriptionId: id,
        status: 'delivered',
        attemptCount: 2,
        dueAt: null,
        attempts: [
          { number: 1, httpStatus: 500, error: null, response: 'thanks' },
          { number: 2, httpStatus: 200, error: null, response: 'thanks' },
        ],
      },
    ])
  })

  test('says why no answer came, and when the next attempt is due', async () => {
    await receiver.close()
    await delivered()
    const { deliveries } = await listDeliveries(bench.test.database, bench.instanceId, { ...page, mayReadAudit: true })
    expect(deliveries).toMatchObject([
      { status: 'pending', dueAt: expect.any(Date), attempts: [{ httpStatus: null, error: 'the address could not be reached' }] },
    ])
  })

  test('can be filtered, and shows nothing of another instance', async () => {
    await delivered()
    const failed = await givenUp()
    const filter = [[{ property: 'status', operator: '=' as const, value: 'failed' }]]
    const { deliveries, total } = await listDeliveries(bench.test.database, bench.instanceId, { ...page, filter, mayReadAudit: true })
    expect([total.total, ...deliveries.map(({ eventId }) => eventId)]).toEqual([1, failed])
    expect(await listDeliveries(bench.test.database, await bench.newInstance(), { ...page, mayReadAudit: true })).toEqual({
      deliveries: [],
      total: { total: 0, hasMore: false },
    })
  })

  test('forgets attempts of more than 30 days, and keeps the deliveries', async () => {
    await dropWeeks(bench.test.database)
    await delivered()
    await bench.test.database.query(`update delivery_attempts set started_at = started_at - interval '31 days'`)
    await delivered()
    expect(await deleteOldAttempts(bench.test.database, bench.instanceId, 30, 100)).toBe(1)
    const { deliveries } = await listDeliveries(bench.test.database, bench.instanceId, { ...page, mayReadAudit: true })
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 0])
  })
})
