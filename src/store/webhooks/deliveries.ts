import { AUDIT_EVENT, type EventKind } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import { isSuspendedSql } from '../operators/suspensions.ts'
import { DeliveryMemory } from './delivery-memory.ts'

/** A delivery that appears with a time no older than this is not overlooked. */
const RECENT = `interval '2 seconds'`

/** Rules for claims. `aheadMs` is nonzero only in tests, which travel in time; leases always use the database clock. */
export interface ClaimRules {
  leaseMs: number
  /** Maximum concurrent attempts per subscription, in all processes. */
  perSubscription: number
  /** Consecutive failures after which the receiver is probed: one attempt at a time, with a pause after each. */
  failuresUntilProbing: number
  pauseMs: number
  aheadMs: number
}

export interface ClaimedDelivery {
  instanceId: string
  id: string
  subscriptionId: string
  callbackUrl: string
  eventId: string
  kind: EventKind
  /** Canonical JSON, without signature. */
  body: string
  /** Attempts since the schedule began. */
  step: number
  lease: string
  claimedAt: Date
  /** When the event was raised. */
  raisedAt: Date
  /** An earlier attempt succeeded: this is a requested redelivery. */
  wasDelivered: boolean
  /** Trace in which the event was raised, as W3C `traceparent`. */
  traceParent: string | null
}

/**
 * NOTE orders and limits of the statements below keep the planner on the indexes by time, whatever the statistics say.
 * And a `case`, not `coalesce`, which would keep row-level security from using an index.
 */
const FROM_START = `d.due_at >= case when k.due_from is null then '-infinity' else k.due_from end`

/**
 * Instances with a due, unclaimed delivery to an active subscription. Subscriptions whose start has become old are looked
 * at from the beginning and noted again.
 */
export async function listDueInstances(db: Db, aheadMs = 0, memory = new DeliveryMemory()): Promise<string[]> {
  const { rows } = await db.query<{ id: string; instanceId: string; isDue: boolean; dueFrom: string | null }>({
    name: 'list-due-instances',
    text: `select x.id, x.instance_id as "instanceId", x.is_due as "isDue", case when x.is_old then least(statement_timestamp() - ${RECENT}, (
               select d.due_at from deliveries d where d.instance_id = x.instance_id and d.subscription_id = x.id and d.status = 'pending'
               order by d.due_at limit 1))::text end as "dueFrom"
           from (
             select s.id, s.instance_id, k.is_old, (select true from deliveries d where d.instance_id = s.instance_id and d.subscription_id = s.id
               and d.status = 'pending' and d.due_at <= statement_timestamp() + make_interval(secs => $1::float8 / 1000) and ${FROM_START}
               and (d.leased_until is null or d.leased_until < statement_timestamp()) order by d.due_at limit 1) as is_due
             from subscriptions s left join unnest($2::uuid[], $3::timestamptz[], $4::boolean[]) k (id, due_from, is_old) on k.id = s.id
             where s.status = 'active' and not ${isSuspendedSql('s.instance_id')}
               and (s.paused_until is null or s.paused_until <= statement_timestamp() + make_interval(secs => $1::float8 / 1000))) x
           where x.is_due or x.is_old`,
    values: [aheadMs, ...memory.toParameters()],
  })
  for (const { id, dueFrom } of rows) if (dueFrom !== null) memory.note(id, dueFrom, true)
  return [...new Set(rows.filter(({ isDue }) => isDue).map(({ instanceId }) => instanceId))]
}

/**
 * Claims up to `limit` due deliveries of an instance, oldest first and round-robin over its subscriptions. Needs a
 * transaction. Subscriptions locked by another process are skipped, so that all processes together respect
 * `perSubscription`. A subscription to audit entries gets one at a time, in their order.
 */
export async function claimDeliveries(
  db: Db,
  instanceId: string,
  claim: { lease: string; limit: number },
  rules: ClaimRules,
  memory = new DeliveryMemory(),
): Promise<ClaimedDelivery[]> {
  const locked = await lockSubscriptions(db, instanceId, rules, memory)
  if (locked.length === 0) return []
  const { rows } = await db.query<ClaimedDelivery>({
    name: 'claim-deliveries',
    text: `with free as (
             select s.id, s.callback_url, case when s.failure_count >= $6 or s.event = $9 then 1 else $5::int end - (
               select count(*) from (select 1 from deliveries d where d.instance_id = $1 and d.subscription_id = s.id
                 and d.leased_until >= statement_timestamp() order by d.leased_until limit $5) d) as slots, l.due_from
             from unnest($2::uuid[], $10::timestamptz[]) l (id, due_from) join subscriptions s on s.instance_id = $1 and s.id = l.id),
           due as (
             select d.id, free.callback_url, row_number() over (partition by free.id order by d.due_at) as turn, d.due_at
             from free cross join lateral (
               select id, due_at from deliveries d
               where d.instance_id = $1 and d.subscription_id = free.id and d.status = 'pending' and d.due_at >= free.due_from
                 and d.due_at <= statement_timestamp() + make_interval(secs => $8::float8 / 1000)
                 and (d.leased_until is null or d.leased_until < statement_timestamp())
               order by d.due_at limit greatest(free.slots, 0) for update skip locked) d),
           picked as (select id, callback_url from due order by turn, due_at limit $3)
           update deliveries d set lease = $4, leased_until = clock_timestamp() + make_interval(secs => $7::float8 / 1000)
           from picked, events e
           where d.instance_id = $1 and d.id = picked.id and e.instance_id = $1 and e.id = d.event_id
           returning d.instance_id as "instanceId", d.id, d.subscription_id as "subscriptionId", picked.callback_url as "callbackUrl",
             d.event_id as "eventId", e.kind, e.body, d.step, d.lease,
             clock_timestamp() + make_interval(secs => $8::float8 / 1000) as "claimedAt", e.created_at as "raisedAt", e.trace_parent as "traceParent",
             d.attempt_count > 0 and (select count(*) from delivery_attempts a where a.instance_id = $1 and a.delivery_id = d.id
               and a.http_status between 200 and 299) > 0 as "wasDelivered"`,
    values: [
      ...[instanceId, locked.map(({ id }) => id), claim.limit, claim.lease],
      ...[rules.perSubscription, rules.failuresUntilProbing, rules.leaseMs, rules.aheadMs, AUDIT_EVENT],
      locked.map(({ head }) => head),
    ],
  })
  return rows
}

/**
 * NOTE a separate statement, because the next one counts leases and must see all that are committed. `head` is when the
 * oldest of its deliveries became due. Deliveries of audit entries are sent in their order, so that none may be overlooked
 * for a while: they are not remembered.
 */
async function lockSubscriptions(
  db: Db,
  instanceId: string,
  rules: ClaimRules,
  memory: DeliveryMemory,
): Promise<{ id: string; head: string }[]> {
  const { rows } = await db.query<{ id: string; head: string; dueFrom: string | null; isWhole: boolean }>({
    name: 'hold-due-subscriptions',
    text: `select s.id, h.due_at::text as head, case when s.event <> $3 then least(h.due_at, statement_timestamp() - ${RECENT})::text end as "dueFrom",
             k.id is null or k.is_old as "isWhole"
           from subscriptions s left join unnest($4::uuid[], $5::timestamptz[], $6::boolean[]) k (id, due_from, is_old) on k.id = s.id
           cross join lateral (
             select d.due_at from deliveries d where d.instance_id = $1 and d.subscription_id = s.id and d.status = 'pending'
               and d.due_at <= statement_timestamp() + make_interval(secs => $2::float8 / 1000) and ${FROM_START}
             order by d.due_at limit 1) h
           where s.instance_id = $1 and s.status = 'active' and not ${isSuspendedSql('s.instance_id')}
             and (s.paused_until is null or s.paused_until <= statement_timestamp() + make_interval(secs => $2::float8 / 1000))
           for no key update of s skip locked`,
    values: [instanceId, rules.aheadMs, AUDIT_EVENT, ...memory.toParameters()],
  })
  for (const { id, dueFrom, isWhole } of rows) if (dueFrom !== null) memory.note(id, dueFrom, isWhole)
  return rows
}

/** Whether attempts of a subscription are in flight that were claimed before `at` (database time). */
export async function hasOlderClaims(db: Db, instanceId: string, subscriptionId: string, at: Date, leaseMs: number): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from deliveries where instance_id = $1 and subscription_id = $2 and lease is not null
       and leased_until between statement_timestamp() and $3::timestamptz + make_interval(secs => $4::float8 / 1000) limit 1`,
    [instanceId, subscriptionId, at, leaseMs],
  )
  return rows.length > 0
}

/**
 * Number of deliveries to active subscriptions of all instances that are due, or scheduled, for metrics; `lagSeconds` is
 * the age of the oldest due one.
 */
export async function countWaitingDeliveries(db: Db): Promise<{ due: number; later: number; lagSeconds: number }> {
  const { rows } = await db.query<{ due: number; later: number; lagSeconds: number }>(
    `select (count(*) filter (where greatest(d.due_at, s.paused_until) <= statement_timestamp()))::int as due,
       (count(*) filter (where greatest(d.due_at, s.paused_until) > statement_timestamp()))::int as later,
       greatest(0, coalesce(extract(epoch from statement_timestamp() - min(greatest(d.due_at, s.paused_until))), 0))::float8 as "lagSeconds"
     from deliveries d join subscriptions s on s.instance_id = d.instance_id and s.id = d.subscription_id
     where d.status = 'pending' and s.status = 'active'`,
  )
  return rows[0] ?? { due: 0, later: 0, lagSeconds: 0 }
}

/** Result of an attempt. Either `httpStatus` or `error` is set. */
export interface AttemptOutcome {
  startedAt: Date
  durationMs: number
  httpStatus: number | null
  error: string | null
  response: string
  /** Next state of the delivery: delivered, failed, or due again in milliseconds. */
  next: 'delivered' | 'failed' | { retryInMs: number }
}

/** State of a subscription after an attempt. */
export interface SubscriptionHealth {
  failureCount: number
  /** Since the first failure after the last success; 0 when the last attempt succeeded. */
  failingForMs: number
}

/**
 * Records an attempt and updates its delivery and subscription. Null, without a write, when the claim was lost: another
 * process then repeats the attempt. Of a subscription to audit entries, all deliveries wait with the one that failed,
 * which stays the first.
 */
export async function recordAttempt(
  db: Db,
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
  rules: ClaimRules,
): Promise<SubscriptionHealth | null> {
  const next = typeof outcome.next === 'string' ? { status: outcome.next, inMs: 0 } : { status: 'pending', inMs: outcome.next.retryInMs }
  const { rows } = await db.query<SubscriptionHealth>({
    name: 'record-attempt',
    text: `with time as materialized (select clock_timestamp() + make_interval(secs => $6::float8 / 1000) as now),
           mine as (
             update deliveries d set status = $4, step = step + 1, attempt_count = attempt_count + 1, lease = null, leased_until = null,
               due_at = case when $4 = 'pending' and s.event = $14 then d.due_at else time.now + make_interval(secs => $5::float8 / 1000) end,
               delivered_at = case when $4 = 'delivered' then time.now end
             from time, subscriptions s
             where d.instance_id = $1 and d.id = $2 and d.lease = $3 and s.instance_id = $1 and s.id = d.subscription_id
             returning d.id, d.subscription_id, d.attempt_count),
           noted as (
             insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms, http_status, error, response)
             select $1, id, attempt_count, $9, $10, $11, $12, $13 from mine),
           record as (
             update subscriptions s
             set failing_since = case when $4 = 'delivered' then null else coalesce(s.failing_since, time.now) end,
               failure_count = case when $4 = 'delivered' then 0 else s.failure_count + 1 end,
               paused_until = greatest(
                 case when $4 <> 'delivered' and s.failure_count + 1 >= $7 then time.now + make_interval(secs => $8::float8 / 1000) end,
                 case when $4 = 'pending' and s.event = $14 then time.now + make_interval(secs => $5::float8 / 1000) end)
             from mine, time
             where s.instance_id = $1 and s.id = mine.subscription_id and ($4 <> 'delivered' or s.failing_since is not null)
             returning s.failing_since, s.failure_count)
           select coalesce(record.failure_count, 0) as "failureCount",
             coalesce(extract(epoch from time.now - record.failing_since) * 1000, 0)::float8 as "failingForMs"
           from time, mine left join record on true`,
    values: [
      ...[delivery.instanceId, delivery.id, delivery.lease],
      ...[next.status, next.inMs, rules.aheadMs, rules.failuresUntilProbing, rules.pauseMs],
      ...[outcome.startedAt, outcome.durationMs, outcome.httpStatus, outcome.error, outcome.response, AUDIT_EVENT],
    ],
  })
  return rows[0] ?? null
}
