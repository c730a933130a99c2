import { AUDIT_EVENT } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import type { ClaimedDelivery, ClaimRules } from './deliveries.ts'
import { LATE_DAYS, MOVED_COLUMNS, partitionOf, type Week } from './event-weeks.ts'

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
  const isFinished = next.status !== 'pending'
  const attemptWeek = weekOfAttempt(delivery, outcome)
  const { rows } = await db.query<SubscriptionHealth>({
    name: `record-attempt-${isFinished ? 'last' : 'again'}-${delivery.week ?? 'here'}-${attemptWeek ?? 'here'}`,
    text: `with time as materialized (select clock_timestamp() + make_interval(secs => $6::float8 / 1000) as now),
           ${isFinished && delivery.week !== null ? toMove(delivery.week) : CHANGE},
           noted as (
             insert into ${attemptWeek === null ? 'delivery_attempts' : partitionOf('delivery_attempts', attemptWeek)}
               (instance_id, delivery_id, number, started_at, duration_ms, http_status, error, response)
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

/**
 * NOTE not with `=`, which would let the planner choose the index of the deliveries that have a lease: while a transaction
 * stays open elsewhere, it keeps an entry for each delivery that was ever claimed.
 */
const HAS_LEASE = 'd.lease is not distinct from $3'

const CHANGE = `mine as (
             update only deliveries d set status = $4, step = step + 1, attempt_count = attempt_count + 1, lease = null, leased_until = null,
               due_at = case when $4 = 'pending' and s.event = $14 then d.due_at else time.now + make_interval(secs => $5::float8 / 1000) end,
               delivered_at = case when $4 = 'delivered' then time.now end
             from time, subscriptions s
             where d.instance_id = $1 and d.id = $2 and ${HAS_LEASE} and s.instance_id = $1 and s.id = d.subscription_id
             returning d.id, d.subscription_id, d.attempt_count)`

/** A finished delivery moves to the partition of its week, where it is not changed again. */
function toMove(week: Week): string {
  return `move as materialized (select set_config('countinghouse.deliveries_move', 'on', true)),
           mine as (
             delete from only deliveries d using time, subscriptions s, move
             where d.instance_id = $1 and d.id = $2 and ${HAS_LEASE} and s.instance_id = $1 and s.id = d.subscription_id
             returning d.instance_id, d.id, d.event_id, d.subscription_id, $4::text as status, (d.step + 1)::smallint as step,
               d.attempt_count + 1 as attempt_count, time.now + make_interval(secs => $5::float8 / 1000) as due_at, d.created_at,
               case when $4 = 'delivered' then time.now end as delivered_at, d.week, d.kind),
           moved as (
             insert into ${partitionOf('deliveries', week)} (${MOVED_COLUMNS}) select ${MOVED_COLUMNS} from mine)`
}

const DAY_MS = 86_400_000
/** From the beginning of a week on. */
const WITH_WEEK_MS = (7 + LATE_DAYS) * DAY_MS

function weekOfAttempt({ attemptWeek }: ClaimedDelivery, { startedAt }: AttemptOutcome): Week | null {
  return attemptWeek !== null && startedAt.getTime() < Date.parse(attemptWeek) + WITH_WEEK_MS ? attemptWeek : null
}
