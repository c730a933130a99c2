import { randomUUID } from 'node:crypto'
import { recordChange } from '../audit/record.ts'
import { CATEGORY_IDS } from '../model/catalogue.ts'
import { AUDIT_EVENT, type ConnectionEventKind } from '../model/events.ts'
import { type Db, inTransaction } from '../store/db/database.ts'
import { insertAuditTestEvent, NOBODY } from '../store/webhooks/audit-events.ts'
import {
  countReplay,
  findSubscriptionOfDelivery,
  listSubscriberIds,
  type ReplaySelection,
  replayDelivery,
  replayEvents,
} from '../store/webhooks/delivery-replays.ts'
import { catchUpFeed } from '../store/webhooks/event-feeds.ts'
import { type EventVisibility, hasEvent, insertEvent } from '../store/webhooks/events.ts'
import { findSubscription, type Subscription } from '../store/webhooks/subscriptions.ts'
import type { WebhookDeps } from './deps.ts'
import { Conflict, UnknownEvent } from './errors.ts'

/**
 * Redelivers events to one subscription: same ids, new timestamps, a fresh retry schedule. Returns their number; null
 * when the subscription does not exist. Throws `Conflict` when it is disabled or does not get the one event selected, and
 * `UnknownEvent` when there is no such event.
 */
export async function replayToSubscription(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  selection: ReplaySelection,
): Promise<number | null> {
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const subscription = await findActive(db, instanceId, subscriptionId)
    if (!subscription) return null
    await checkSelection(db, instanceId, subscription, selection)
    const deliveries = await replayEvents(db, instanceId, subscriptionId, selection)
    if (selection.events === 'one' && deliveries === 0) throw new Conflict('eventNotReceived')
    const details = { events: selection.events, deliveries }
    await recordChange(db, { instanceId, action: 'events.replayed', subject: `subscription/${subscriptionId}`, details })
    return deliveries
  })
}

/** Number of deliveries that `replayToSubscription` would make due. Throws `UnknownEvent` when there is no such event. */
export async function countReplayToSubscription(
  deps: WebhookDeps,
  instanceId: string,
  subscription: Subscription,
  selection: ReplaySelection,
): Promise<number> {
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    await checkSelection(db, instanceId, subscription, selection)
    return await countReplay(db, instanceId, subscription.id, selection)
  })
}

/**
 * Redelivers one event to every active subscription to its kind; null when the event does not exist for this reader.
 * Throws `Conflict` when no active subscription gets it.
 */
export async function replayEvent(deps: WebhookDeps, instanceId: string, eventId: string, sight: EventVisibility): Promise<number | null> {
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    if (!(await hasEvent(db, instanceId, eventId, sight))) return null
    let replayed = 0
    for (const subscriptionId of await listSubscriberIds(db, instanceId, eventId)) {
      replayed += await replayEvents(db, instanceId, subscriptionId, { events: 'one', eventId })
    }
    if (replayed === 0) throw new Conflict('eventNotSubscribed')
    const details = { events: 'one', deliveries: replayed }
    await recordChange(db, { instanceId, action: 'events.replayed', subject: `event/${eventId}`, details })
    return replayed
  })
}

/**
 * Makes one delivery again; false when it does not exist for this reader. Throws `Conflict` when its subscription is
 * disabled: it would wait there.
 */
export async function replayOneDelivery(
  deps: WebhookDeps,
  instanceId: string,
  deliveryId: string,
  sight: EventVisibility,
): Promise<boolean> {
  return await inTransaction(deps.database, async (db) => {
    const subscriptionId = await findSubscriptionOfDelivery(db, instanceId, deliveryId, sight)
    if (subscriptionId === null || !(await findActive(db, instanceId, subscriptionId))) return false
    if (!(await replayDelivery(db, instanceId, deliveryId, sight))) return false
    await recordChange(db, { instanceId, action: 'events.replayed', subject: `delivery/${deliveryId}`, details: { deliveries: 1 } })
    return true
  })
}

/**
 * Sends a test event of the subscription's kind to it alone; it is not part of the feed. Returns the event's id, by
 * which its delivery is found; null when the subscription does not exist. Throws `Conflict` when it is disabled.
 */
export async function sendTestEvent(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<string | null> {
  return await inTransaction(deps.database, async (db) => {
    const subscription = await findActive(db, instanceId, subscriptionId)
    if (!subscription) return null
    const id = randomUUID()
    if (subscription.event === AUDIT_EVENT) await insertAuditTestEvent(db, instanceId, subscription.id, id)
    else await insertTestEvent(db, instanceId, { subscriptionId: subscription.id, kind: subscription.event, id })
    await recordChange(db, { instanceId, action: 'subscription.tested', subject: `subscription/${subscription.id}` })
    return id
  })
}

async function insertTestEvent(
  db: Db,
  instanceId: string,
  { subscriptionId, kind, id }: { subscriptionId: string; kind: ConnectionEventKind; id: string },
): Promise<void> {
  await insertEvent(db, {
    ...{ instanceId, id, kind, companyId: NOBODY, serviceId: NOBODY, sessionId: NOBODY, dedupeKey: `test/${id}` },
    data: { serviceName: 'Test', categoryName: 'Banking', categoryId: CATEGORY_IDS.Banking, email: '' },
    onlyFor: subscriptionId,
  })
}

/** For a subscription to something else, events of audit entries do not exist. */
async function checkSelection(db: Db, instanceId: string, { event }: Subscription, selection: ReplaySelection): Promise<void> {
  if (selection.events !== 'one') return
  if (!(await hasEvent(db, instanceId, selection.eventId, { mayReadAudit: event === AUDIT_EVENT }))) throw new UnknownEvent()
}

async function findActive(db: Db, instanceId: string, id: string): Promise<Subscription | null> {
  const subscription = await findSubscription(db, instanceId, id)
  if (subscription?.status === 'disabled') throw new Conflict('subscriptionDisabled')
  return subscription
}
