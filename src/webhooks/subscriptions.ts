import { randomUUID } from 'node:crypto'
import { recordChange } from '../audit/record.ts'
import { AUDIT_EVENT } from '../model/events.ts'
import { startAuditWebhooks } from '../store/access/audit-cursors.ts'
import { shareResource } from '../store/access/resource-locks.ts'
import { type Database, type Db, inTransaction } from '../store/db/database.ts'
import { admitToQuota } from '../store/operators/quotas.ts'
import { hasAuditSubscription } from '../store/webhooks/audit-events.ts'
import { replayEvents } from '../store/webhooks/delivery-replays.ts'
import { catchUpFeed } from '../store/webhooks/event-feeds.ts'
import {
  deleteSubscription,
  disableSubscription,
  enableSubscription,
  findSubscription,
  insertSubscription,
  isTaken,
  lockSubscription,
  type Subscription,
  type SubscriptionTarget,
  writeTarget,
} from '../store/webhooks/subscriptions.ts'
import { checkAuditTarget, checkCallbackUrl } from './callback-url.ts'
import type { WebhookDeps } from './deps.ts'
import { Conflict } from './errors.ts'
import { replaceSecrets } from './secrets.ts'

/*
 * Every change first appends committed events to the feed: an event committed before the change is delivered by the old
 * state, one after it by the new state.
 */

/**
 * `secret` is `whsec_…`, shown only this once. A subscription with this id that is there already gets a new secret: an
 * earlier execution of the same request made it, and its answer was lost. Throws `InvalidCallbackUrl`, or `Conflict`
 * when the event is already sent to this address.
 */
export async function subscribe(
  deps: WebhookDeps,
  instanceId: string,
  target: SubscriptionTarget,
  id: string = randomUUID(),
): Promise<Subscription & { secret: string }> {
  checkCallbackUrl(target.callbackUrl, deps.callbackRules)
  checkAuditTarget(target, deps.callbackRules)
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const known = await lockSubscription(db, instanceId, id)
    if (!known) await admitToQuota(db, instanceId, 'subscriptions')
    const subscription = known ?? (await insertSubscription(db, instanceId, id, target))
    if (!subscription) throw new Conflict('duplicateSubscription')
    if (!known) await beginAudit(db, instanceId, id, target)
    const { secret } = await replaceSecrets(deps.sealer, db, instanceId, subscription.id)
    await recordTarget(db, instanceId, 'subscription.created', subscription.id, null, target)
    return { ...subscription, secret }
  })
}

/** Omitted fields stay unchanged. Null when the subscription does not exist. Throws like `subscribe`. */
export async function changeSubscription(
  deps: WebhookDeps,
  instanceId: string,
  id: string,
  change: Partial<SubscriptionTarget>,
): Promise<Subscription | null> {
  if (change.callbackUrl !== undefined) checkCallbackUrl(change.callbackUrl, deps.callbackRules)
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const before = await findSubscription(db, instanceId, id)
    if (!before) return null
    const target = { event: change.event ?? before.event, callbackUrl: change.callbackUrl ?? before.callbackUrl }
    checkAuditTarget(target, deps.callbackRules)
    if (await isTaken(db, instanceId, id, target)) throw new Conflict('duplicateSubscription')
    if (before.event !== AUDIT_EVENT) await beginAudit(db, instanceId, id, target)
    const after = await writeTarget(db, instanceId, id, target)
    await recordTarget(db, instanceId, 'subscription.changed', id, before, target)
    return after
  })
}

/** Deletes a subscription and cancels its pending deliveries. False when it does not exist. */
export async function unsubscribe(deps: WebhookDeps, instanceId: string, id: string): Promise<boolean> {
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const before = await findSubscription(db, instanceId, id)
    if (!before || !(await deleteSubscription(db, instanceId, id))) return false
    await recordTarget(db, instanceId, 'subscription.deleted', id, before, null)
    return true
  })
}

/**
 * Enables a disabled subscription: pending deliveries continue, and with `recover` everything it missed is delivered
 * too. Null when the subscription does not exist; an active one stays unchanged.
 */
export async function resumeSubscription(
  deps: WebhookDeps,
  instanceId: string,
  id: string,
  options: { recover: boolean },
): Promise<{ subscription: Subscription; recovered: number } | null> {
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const before = await findSubscription(db, instanceId, id)
    const position = await enableSubscription(db, instanceId, id)
    const recovered = position !== null && options.recover ? await replayEvents(db, instanceId, id, { events: 'after', position }) : 0
    const subscription = await findSubscription(db, instanceId, id)
    const subject = `subscription/${id}`
    if (subscription)
      await recordChange(db, { instanceId, action: 'subscription.enabled', subject, before, after: subscription, details: { recovered } })
    return subscription && { subscription, recovered }
  })
}

/** Disables a subscription whose receiver is gone or keeps failing; false when it is disabled already or does not exist. */
export async function suspendSubscription(
  database: Database,
  instanceId: string,
  id: string,
  reason: 'gone' | 'failing',
): Promise<boolean> {
  return await inTransaction(database, async (db) => {
    await shareResource(db, { instanceId, path: `/admin/api/v1/webhooks/subscriptions/${id}` })
    const position = await catchUpFeed(db, instanceId)
    if (!(await disableSubscription(db, instanceId, id, reason, position))) return false
    const states = { before: { status: 'active' }, after: { status: 'disabled' }, details: { reason } }
    await recordChange(db, { instanceId, action: 'subscription.disabled', subject: `subscription/${id}`, ...states })
    return true
  })
}

/** The first subscription to audit entries gets those from now on. */
async function beginAudit(db: Db, instanceId: string, id: string, { event }: SubscriptionTarget): Promise<void> {
  if (event === AUDIT_EVENT && !(await hasAuditSubscription(db, instanceId, id))) await startAuditWebhooks(db, instanceId)
}

/** An entry shows only the host of an address: the rest may contain a secret. */
async function recordTarget(
  db: Db,
  instanceId: string,
  action: 'subscription.created' | 'subscription.changed' | 'subscription.deleted',
  id: string,
  before: SubscriptionTarget | null,
  after: SubscriptionTarget | null,
): Promise<void> {
  const withHost = (target: SubscriptionTarget | null) => target && { ...target, host: new URL(target.callbackUrl).host }
  await recordChange(db, { instanceId, action, subject: `subscription/${id}`, before: withHost(before), after: withHost(after) })
}
