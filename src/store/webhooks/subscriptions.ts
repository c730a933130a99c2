import type { SubscribableEvent } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import { holdInFlight } from './event-weeks.ts'

export interface Subscription {
  id: string
  event: SubscribableEvent
  callbackUrl: string
  /** Disabled: nothing is delivered until it is enabled again. */
  status: 'active' | 'disabled'
  /** `gone`: the receiver answered 410. `failing`: no success for days. Null while active. */
  disabledReason: 'gone' | 'failing' | null
  disabledAt: Date | null
  /** First failed attempt since the last success; null when the last one succeeded. */
  failingSince: Date | null
  failureCount: number
  createdAt: Date
}

export type SubscriptionTarget = Pick<Subscription, 'event' | 'callbackUrl'>

const COLUMNS = `id, event, callback_url as "callbackUrl", status, disabled_reason as "disabledReason", disabled_at as "disabledAt",
  failing_since as "failingSince", failure_count as "failureCount", created_at as "createdAt"`

/** Null when the instance already sends this event to this address. */
export async function insertSubscription(db: Db, instanceId: string, id: string, target: SubscriptionTarget): Promise<Subscription | null> {
  const { rows } = await db.query<Subscription>(
    `insert into subscriptions (instance_id, id, event, callback_url) values ($1, $2, $3, $4)
     on conflict (instance_id, event, callback_url) do nothing returning ${COLUMNS}`,
    [instanceId, id, target.event, target.callbackUrl],
  )
  return rows[0] ?? null
}

export async function findSubscription(db: Db, instanceId: string, id: string): Promise<Subscription | null> {
  const { rows } = await db.query<Subscription>(`select ${COLUMNS} from subscriptions where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Like `findSubscription`, locked until the transaction ends. */
export async function lockSubscription(db: Db, instanceId: string, id: string): Promise<Subscription | null> {
  const { rows } = await db.query<Subscription>(
    `select ${COLUMNS} from subscriptions where instance_id = $1 and id = $2 for no key update`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

/** Oldest first. */
export async function listSubscriptions(db: Db, instanceId: string): Promise<Subscription[]> {
  const { rows } = await db.query<Subscription>(`select ${COLUMNS} from subscriptions where instance_id = $1 order by created_at, id`, [
    instanceId,
  ])
  return rows
}

/** Whether a subscription other than `id` sends this event to this address. */
export async function isTaken(db: Db, instanceId: string, id: string, target: SubscriptionTarget): Promise<boolean> {
  const { rows } = await db.query('select 1 from subscriptions where instance_id = $1 and event = $3 and callback_url = $4 and id <> $2', [
    instanceId,
    id,
    target.event,
    target.callbackUrl,
  ])
  return rows.length > 0
}

/** A new address resets the failure state. */
export async function writeTarget(db: Db, instanceId: string, id: string, target: SubscriptionTarget): Promise<Subscription | null> {
  const { rows } = await db.query<Subscription>(
    `update subscriptions set event = $3, callback_url = $4,
       failing_since = case when callback_url = $4 then failing_since end,
       failure_count = case when callback_url = $4 then failure_count else 0 end,
       paused_until = case when callback_url = $4 then paused_until end
     where instance_id = $1 and id = $2 returning ${COLUMNS}`,
    [instanceId, id, target.event, target.callbackUrl],
  )
  return rows[0] ?? null
}

/**
 * Deletes a subscription with secrets, deliveries and attempts. Needs a transaction. Deliveries first: `recordAttempt`
 * takes the locks in the same order.
 */
export async function deleteSubscription(db: Db, instanceId: string, id: string): Promise<boolean> {
  await holdInFlight(db, instanceId, id)
  await db.query('delete from deliveries where instance_id = $1 and subscription_id = $2', [instanceId, id])
  const { rowCount } = await db.query('delete from subscriptions where instance_id = $1 and id = $2', [instanceId, id])
  return rowCount === 1
}

/** `position` is the current head of the feed. False when it is already disabled or does not exist. */
export async function disableSubscription(
  db: Db,
  instanceId: string,
  id: string,
  reason: 'gone' | 'failing',
  position: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update subscriptions set status = 'disabled', disabled_reason = $3, disabled_position = $4, disabled_at = clock_timestamp()
     where instance_id = $1 and id = $2 and status = 'active'`,
    [instanceId, id, reason, position],
  )
  return rowCount === 1
}

/** Number of disabled subscriptions of all instances by reason, for metrics. */
export async function countDisabled(db: Db): Promise<{ reason: string; count: number }[]> {
  const { rows } = await db.query<{ reason: string; count: number }>(
    `select disabled_reason as reason, count(*)::int as count from subscriptions where status = 'disabled' group by disabled_reason`,
  )
  return rows
}

/**
 * Enables a subscription; returns the feed position at which it was disabled; null when it is not disabled or does not
 * exist.
 */
export async function enableSubscription(db: Db, instanceId: string, id: string): Promise<string | null> {
  const { rows } = await db.query<{ position: string }>(
    `with before as (
       select id, disabled_position from subscriptions where instance_id = $1 and id = $2 and status = 'disabled' for update)
     update subscriptions s set status = 'active', disabled_reason = null, disabled_position = null, disabled_at = null,
       failing_since = null, failure_count = 0, paused_until = null
     from before where s.instance_id = $1 and s.id = before.id returning before.disabled_position as position`,
    [instanceId, id],
  )
  return rows[0]?.position ?? null
}
