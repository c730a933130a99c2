import { ALWAYS_DELIVERED_EVENTS, AUDIT_EVENT } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import { holdInFlight, MOVED_COLUMNS } from './event-weeks.ts'
import type { EventVisibility } from './events.ts'

/** Events to redeliver to a subscription. Times are those of the events; the upper bound is exclusive. */
export type ReplaySelection =
  | { events: 'one'; eventId: string }
  | { events: 'range'; from: Date; to: Date }
  /** Except those that were delivered. */
  | { events: 'undelivered'; since: Date }
  /** All events after a feed position. */
  | { events: 'after'; position: string }

/** In a partition: finished, and not in the table of those that wait. */
const IS_FINISHED = `d.tableoid <> 'deliveries'::regclass`
/**
 * Makes the deliveries of `found` due: those that wait, and those that are finished, which come back from their partitions.
 * NOTE here and below an array of ids takes the place of a join, which is planned for one delivery of an instance that the
 * statistics do not know, and compares each of them with each event.
 */
const DUE_AGAIN = `move as materialized (select set_config('countinghouse.deliveries_move', 'on', true)),
       again as (
         update only deliveries d set status = 'pending', step = 0, due_at = clock_timestamp()
         where d.instance_id = $1 and d.id = any(array(select id from found)) returning 1),
       taken as (
         delete from deliveries d using move where d.instance_id = $1 and d.id = any(array(select id from found)) and ${IS_FINISHED} returning d.*),
       back as (
         insert into deliveries (${MOVED_COLUMNS})
         select instance_id, id, event_id, subscription_id, 'pending', 0, attempt_count, clock_timestamp(), created_at, delivered_at, week, kind
         from taken returning 1)`
const COUNT_AGAIN = '(select count(*) from again)::int + (select count(*) from back)::int'

/**
 * Redelivery: makes deliveries due now, with a fresh retry schedule and the same event ids: all kinds that the
 * subscription gets, whether they were delivered, given up, or never created because it was disabled. Returns their
 * number.
 */
export async function replayEvents(db: Db, instanceId: string, subscriptionId: string, selection: ReplaySelection): Promise<number> {
  const { from, values } = toSource(selection)
  await holdInFlight(db, instanceId, subscriptionId)
  const { rows } = await db.query<{ count: number }>(
    `with ordered as materialized (select e.id as event_id, e.week, e.kind ${from} order by e.position),
       found as materialized (
         select id, event_id from deliveries
         where instance_id = $1 and subscription_id = $2 and event_id = any(array(select event_id from ordered))),
       ${DUE_AGAIN},
       made as (
         insert into deliveries (instance_id, event_id, subscription_id, due_at, week, kind)
         select $1, event_id, $2, clock_timestamp(), week, kind from ordered where event_id not in (select event_id from found)
         on conflict do nothing returning 1)
     select ${COUNT_AGAIN} + (select count(*) from made)::int as count`,
    [instanceId, subscriptionId, ALWAYS_DELIVERED_EVENTS, ...values],
  )
  await announce(db)
  return rows[0]?.count ?? 0
}

/** Number of deliveries that `replayEvents` would make due. */
export async function countReplay(db: Db, instanceId: string, subscriptionId: string, selection: ReplaySelection): Promise<number> {
  const { from, values } = toSource(selection)
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count ${from}`, [
    instanceId,
    subscriptionId,
    ALWAYS_DELIVERED_EVENTS,
    ...values,
  ])
  return rows[0]?.count ?? 0
}

/** Subscription of a delivery; null when the delivery does not exist for this reader. */
export async function findSubscriptionOfDelivery(
  db: Db,
  instanceId: string,
  deliveryId: string,
  { mayReadAudit }: EventVisibility,
): Promise<string | null> {
  const { rows } = await db.query<{ subscriptionId: string }>(
    `select d.subscription_id as "subscriptionId" from deliveries d join events e on e.instance_id = $1 and e.id = d.event_id
       and ($3 or e.kind <> $4) where d.instance_id = $1 and d.id = $2`,
    [instanceId, deliveryId, mayReadAudit, AUDIT_EVENT],
  )
  return rows[0]?.subscriptionId ?? null
}

/** Makes one delivery due now. False when it does not exist for this reader. */
export async function replayDelivery(db: Db, instanceId: string, deliveryId: string, { mayReadAudit }: EventVisibility): Promise<boolean> {
  await holdInFlight(db, instanceId, null)
  const { rows } = await db.query<{ count: number }>(
    `with found as materialized (
         select d.id from deliveries d join events e on e.instance_id = $1 and e.id = d.event_id and ($3 or e.kind <> $4)
         where d.instance_id = $1 and d.id = $2),
       ${DUE_AGAIN}
     select ${COUNT_AGAIN} as count`,
    [instanceId, deliveryId, mayReadAudit, AUDIT_EVENT],
  )
  await announce(db)
  return rows[0]?.count === 1
}

/** Active subscriptions to this kind of event; for a test event only its target. */
export async function listSubscriberIds(db: Db, instanceId: string, eventId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select s.id from events e join subscriptions s on s.instance_id = $1 and s.status = 'active'
       and case when e.only_for is null then e.kind = s.event or e.kind = any($3) else e.only_for = s.id end
     where e.instance_id = $1 and e.id = $2`,
    [instanceId, eventId, ALWAYS_DELIVERED_EVENTS],
  )
  return rows.map((row) => row.id)
}

/** Wakes dispatchers, and ends the move of deliveries for the rest of the transaction. */
async function announce(db: Db): Promise<void> {
  await db.query(`select pg_notify('events', ''), set_config('countinghouse.deliveries_move', '', true)`)
}

/**
 * SQL of the selected events with the subscription: `$1` instance, `$2` subscription, `$3` kinds that every
 * subscription gets.
 */
function toSource(selection: ReplaySelection): { from: string; values: unknown[] } {
  const { condition, values } = toCondition(selection)
  const from = `from subscriptions s join events e on e.instance_id = $1
       and case when e.only_for is null then e.kind = s.event or e.kind = any($3) else e.only_for = s.id end
     where s.instance_id = $1 and s.id = $2 and e.position is not null and ${condition}`
  return { from, values }
}

function toCondition(selection: ReplaySelection): { condition: string; values: unknown[] } {
  switch (selection.events) {
    case 'one':
      return { condition: 'e.id = $4', values: [selection.eventId] }
    case 'range':
      return { condition: 'e.created_at >= $4 and e.created_at < $5', values: [selection.from, selection.to] }
    case 'undelivered':
      return {
        condition: `e.created_at >= $4 and not exists (select 1 from deliveries done where done.instance_id = $1
          and done.subscription_id = s.id and done.event_id = e.id and done.status = 'delivered')`,
        values: [selection.since],
      }
    case 'after':
      return { condition: 'e.position > $4', values: [selection.position] }
  }
}
