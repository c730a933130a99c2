import { AUDIT_EVENT, type EventKind } from '../../model/events.ts'
import { type Db, sendWithNext } from '../db/database.ts'
import { isSuspendedSql } from '../operators/suspensions.ts'
import { DeliveryMemory } from './delivery-memory.ts'
import { partitionOf, presentWeek, type Week } from './event-weeks.ts'

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
  /** Week of the partition that takes the delivery when it is finished; null: none. */
  week: Week | null
  /** The same for its attempts. */
  attemptWeek: Week | null
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
               select d.due_at from only deliveries d where d.instance_id = x.instance_id and d.subscription_id = x.id and d.status = 'pending'
               order by d.due_at limit 1))::text end as "dueFrom"
           from (
             select s.id, s.instance_id, k.is_old, (select true from only deliveries d where d.instance_id = s.instance_id and d.subscription_id = s.id
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
 * `perSubscription`. A subscription to audit entries gets one at a time, in their order. Unless `waitsForDisk`, which a
 * transaction needs that does more, the commit does not wait for the disk behind the writes of a sync: what a crash of the
 * database loses of the last second is claimed and sent again, as after the crash of a process.
 */
export async function claimDeliveries(
  db: Db,
  instanceId: string,
  claim: { lease: string; limit: number; waitsForDisk?: boolean; onLost?(count: number): void },
  rules: ClaimRules,
  memory = new DeliveryMemory(),
): Promise<ClaimedDelivery[]> {
  const locked = await lockSubscriptions(db, instanceId, rules, memory)
  if (locked.length === 0) return []
  if (!claim.waitsForDisk) await sendWithNext(db, 'set local synchronous_commit = off')
  const { rows } = await db.query<Claim>({
    name: 'claim-deliveries',
    text: `with free as (
             select s.id, s.callback_url, case when s.failure_count >= $6 or s.event = $9 then 1 else $5::int end - (
               select count(*) from (select 1 from only deliveries d where d.instance_id = $1 and d.subscription_id = s.id
                 and d.leased_until >= statement_timestamp() order by d.leased_until limit $5) d) as slots, l.due_from
             from unnest($2::uuid[], $10::timestamptz[]) l (id, due_from) join subscriptions s on s.instance_id = $1 and s.id = l.id),
           due as (
             select d.id, free.callback_url, row_number() over (partition by free.id order by d.due_at) as turn, d.due_at
             from free cross join lateral (
               select id, due_at from only deliveries d
               where d.instance_id = $1 and d.subscription_id = free.id and d.status = 'pending' and d.due_at >= free.due_from
                 and d.due_at <= statement_timestamp() + make_interval(secs => $8::float8 / 1000)
                 and (d.leased_until is null or d.leased_until < statement_timestamp())
               order by d.due_at limit greatest(free.slots, 0) for update skip locked) d),
           picked as (select id, callback_url from due order by turn, due_at limit $3)
           update only deliveries d set lease = $4, leased_until = clock_timestamp() + make_interval(secs => $7::float8 / 1000)
           from picked where d.instance_id = $1 and d.id = picked.id
           returning d.instance_id as "instanceId", d.id, d.subscription_id as "subscriptionId", picked.callback_url as "callbackUrl",
             d.event_id as "eventId", d.step, d.attempt_count as "attemptCount", d.lease,
             ${presentWeek('events', 'd.week')} as "eventWeek", ${presentWeek('deliveries', 'd.week')} as week,
             ${presentWeek('delivery_attempts', 'd.week')} as "attemptWeek",
             clock_timestamp() + make_interval(secs => $8::float8 / 1000) as "claimedAt"`,
    values: [
      ...[instanceId, locked.map(({ id }) => id), claim.limit, claim.lease],
      ...[rules.perSubscription, rules.failuresUntilProbing, rules.leaseMs, rules.aheadMs, AUDIT_EVENT],
      locked.map(({ head }) => head),
    ],
  })
  return await withEvents(db, instanceId, rows, claim.onLost)
}

type Claim = Omit<ClaimedDelivery, keyof EventPart | 'wasDelivered'> & { attemptCount: number; eventWeek: Week | null }

const EVENT_PART = 'id, kind, body, created_at as "raisedAt", trace_parent as "traceParent"'

interface EventPart {
  kind: EventKind
  body: string
  raisedAt: Date
  traceParent: string | null
}

/**
 * The events of claimed deliveries. A delivery whose event does not exist any more is deleted, as it would have been with
 * it. NOTE a separate statement, which names the partitions of these events: one for all of them would look into the
 * indexes of every week.
 */
async function withEvents(
  db: Db,
  instanceId: string,
  claims: readonly Claim[],
  onLost?: (count: number) => void,
): Promise<ClaimedDelivery[]> {
  if (claims.length === 0) return []
  const weeks = [...new Set(claims.map(({ eventWeek }) => eventWeek))].sort()
  const sources = weeks.map((week) => (week === null ? 'only events' : partitionOf('events', week)))
  const { rows } = await db.query<EventPart & { id: string }>({
    name: `read-claimed-${weeks.join('-')}`,
    text: sources
      .map(
        (from, n) => `select ${EVENT_PART} from ${from}
          where instance_id = $1 and id = any($${n + 2}::uuid[])`,
      )
      .join(' union all '),
    values: [instanceId, ...weeks.map((week) => claims.filter(({ eventWeek }) => eventWeek === week).map(({ eventId }) => eventId))],
  })
  const events = new Map(rows.map(({ id, ...event }) => [id, event]))
  const elsewhere = claims.filter(({ eventId }) => !events.has(eventId)).map(({ eventId }) => eventId)
  for (const { id, ...event } of await findAnywhere(db, instanceId, elsewhere)) events.set(id, event)
  const delivered = await listDeliveredBefore(db, instanceId, claims)
  const lost = claims.filter(({ eventId }) => !events.has(eventId)).map(({ id }) => id)
  if (lost.length > 0) {
    await db.query('delete from only deliveries where instance_id = $1 and id = any($2)', [instanceId, lost])
    onLost?.(lost.length)
  }
  return claims.flatMap(({ attemptCount: _, eventWeek: __, ...claim }) => {
    const event = events.get(claim.eventId)
    return event ? [{ ...claim, ...event, wasDelivered: delivered.has(claim.id) }] : []
  })
}

/** Deliveries that release 1.0.0 has made do not say which week their events are of. */
async function findAnywhere(db: Db, instanceId: string, ids: readonly string[]): Promise<(EventPart & { id: string })[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<EventPart & { id: string }>(`select ${EVENT_PART} from events where instance_id = $1 and id = any($2)`, [
    instanceId,
    ids,
  ])
  return rows
}

/** Ids of the deliveries of which an earlier attempt succeeded. */
async function listDeliveredBefore(db: Db, instanceId: string, claims: readonly Claim[]): Promise<Set<string>> {
  const repeated = claims.filter(({ attemptCount }) => attemptCount > 0).map(({ id }) => id)
  if (repeated.length === 0) return new Set()
  const { rows } = await db.query<{ id: string }>(
    `select delivery_id as id from delivery_attempts where instance_id = $1 and delivery_id = any($2) and http_status between 200 and 299`,
    [instanceId, repeated],
  )
  return new Set(rows.map(({ id }) => id))
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
             select d.due_at from only deliveries d where d.instance_id = $1 and d.subscription_id = s.id and d.status = 'pending'
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

/**
 * Number of deliveries to active subscriptions of all instances that are due, or scheduled, for metrics; `lagSeconds` is
 * the age of the oldest due one.
 */
export async function countWaitingDeliveries(db: Db): Promise<{ due: number; later: number; lagSeconds: number }> {
  const { rows } = await db.query<{ due: number; later: number; lagSeconds: number }>(
    `select (count(*) filter (where greatest(d.due_at, s.paused_until) <= statement_timestamp()))::int as due,
       (count(*) filter (where greatest(d.due_at, s.paused_until) > statement_timestamp()))::int as later,
       greatest(0, coalesce(extract(epoch from statement_timestamp() - min(greatest(d.due_at, s.paused_until))), 0))::float8 as "lagSeconds"
     from only deliveries d join subscriptions s on s.instance_id = d.instance_id and s.id = d.subscription_id
     where d.status = 'pending' and s.status = 'active'`,
  )
  return rows[0] ?? { due: 0, later: 0, lagSeconds: 0 }
}
