import { AUDIT_EVENT, type EventKind } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import {
  absentLast,
  type Columns,
  checkBound,
  countBounded,
  type IndexedOrder,
  type Selection,
  type Total,
  toCondition,
} from '../db/list-selection.ts'
import { toPage } from '../db/lists/list-page.ts'
import { partitionOf, type Week, weekOfAttempts } from './event-weeks.ts'
import type { EventVisibility } from './events.ts'

interface DeliveryAttempt {
  number: number
  /** ISO 8601, UTC. */
  startedAt: string
  durationMs: number
  /** Null without a response; then `error` has the reason. */
  httpStatus: number | null
  error: string | null
  /** Beginning of the response body, with secrets removed. */
  response: string
}

export interface Delivery {
  id: string
  eventId: string
  kind: EventKind
  subscriptionId: string
  status: 'pending' | 'delivered' | 'failed'
  attemptCount: number
  createdAt: Date
  deliveredAt: Date | null
  /** Next attempt; null when there is none. */
  dueAt: Date | null
  /** The last ten, oldest first. */
  attempts: DeliveryAttempt[]
}

/** In the order of their names. Few are failed or wait, and have an index of their own. */
const BY_STATUS: IndexedOrder = {
  kind: 'parts',
  parts: ['delivered', 'failed', 'pending'].map((status) => ({ condition: `d.status = '${status}'` })),
  isLastFixed: false,
}
const NEXT_ATTEMPT = `greatest(d.due_at, s.paused_until)`

/**
 * Kind of the event of a delivery. Release 1.0.0 does not note it with the delivery, nor did earlier versions.
 * NOTE in this order: what stands later is looked at only where it is needed.
 */
const KIND = `coalesce(d.kind, (select e.kind from only events e where e.instance_id = d.instance_id and e.id = d.event_id),
         (select e.kind from events e where e.instance_id = d.instance_id and e.id = d.event_id))`

/** Properties for filtering and ordering. */
const DELIVERY_COLUMNS: Columns = {
  id: { sql: 'd.id', type: 'uuid', key: 'd.id', isNeverNull: true },
  // Few deliveries have the same event, so that they are sorted by their ids as they are read.
  eventId: { sql: 'd.event_id', type: 'uuid', key: 'd.event_id', isNeverNull: true },
  kind: { sql: KIND, type: 'string' },
  subscriptionId: { sql: 'd.subscription_id', type: 'uuid', key: 'd.subscription_id', isNeverNull: true, thenBy: 'd.event_id' },
  status: { sql: 'd.status', type: 'string', key: 'd.status', order: BY_STATUS, thenBy: 'd.created_at' },
  attemptCount: { sql: 'd.attempt_count', type: 'number' },
  createdAt: { sql: 'd.created_at', type: 'date', key: 'd.created_at', isNeverNull: true },
  deliveredAt: { sql: 'd.delivered_at', type: 'date' },
  dueAt: {
    sql: `case when d.status = 'pending' then ${NEXT_ATTEMPT} end`,
    type: 'date',
    order: absentLast(NEXT_ATTEMPT, `d.status = 'pending'`),
  },
}

const SHOWN_ATTEMPTS = 10

/** Page of the matching deliveries of an instance, each with its attempts, and the number of all matches. */
export async function listDeliveries(
  db: Db,
  instanceId: string,
  selection: Selection & EventVisibility,
): Promise<{ deliveries: Delivery[]; total: Total }> {
  await checkBound(db, selection, {
    from: 'from deliveries d where d.instance_id = $1',
    instanceId,
    columns: DELIVERY_COLUMNS,
    range: 'createdOn',
  })
  const values: unknown[] = [instanceId]
  const hidden = selection.mayReadAudit ? '' : `and ${KIND} <> '${AUDIT_EVENT}'`
  // NOTE a left join, although each delivery has its subscription: PostgreSQL leaves it out of a count that does not need it.
  const from = `from deliveries d left join subscriptions s on s.instance_id = d.instance_id and s.id = d.subscription_id
    where d.instance_id = $1 ${hidden} and ${toCondition(selection.filter, DELIVERY_COLUMNS, values)}`
  const total = await countBounded(db, from, values)
  const page = toPage({ from, columns: DELIVERY_COLUMNS, tieBreak: 'd.id', total }, selection, values)
  const { rows } = await db.query<Omit<Delivery, 'attempts'> & AttemptedDelivery>(
    `select d.id, d.event_id as "eventId", ${KIND} as kind, d.subscription_id as "subscriptionId", d.status, d.attempt_count as "attemptCount",
       d.created_at as "createdAt", d.delivered_at as "deliveredAt", case when d.status = 'pending' then ${NEXT_ATTEMPT} end as "dueAt",
       ${weekOfAttempts('d.week')} as week
     ${page}`,
    values,
  )
  const attempts = await listAttempts(db, instanceId, rows)
  const deliveries = rows.map(({ week: _, ...delivery }) => ({ ...delivery, attempts: attempts.get(delivery.id) ?? [] }))
  return { deliveries, total }
}

/** Where the attempts of a delivery are: there, and in the table of all weeks. */
interface AttemptedDelivery {
  id: string
  attemptCount: number
  /** Week of their partition; null without one, or when they have expired and it is about to be dropped. */
  week: Week | null
}

/** The last attempts of each delivery, by its id. NOTE the limit keeps the planner from reading the attempts of all others. */
async function listAttempts(db: Db, instanceId: string, places: readonly AttemptedDelivery[]): Promise<Map<string, DeliveryAttempt[]>> {
  const made = places.filter(({ attemptCount }) => attemptCount > 0)
  const sources = [
    { from: 'only delivery_attempts', of: made },
    ...[...new Set(made.flatMap(({ week }) => week ?? []))].map((week) => ({
      from: partitionOf('delivery_attempts', week),
      of: made.filter((place) => place.week === week),
    })),
  ].filter(({ of }) => of.length > 0)
  if (sources.length === 0) return new Map()
  const { rows } = await db.query<DeliveryAttempt & { deliveryId: string }>(
    sources
      .map(
        (
          { from },
          n,
        ) => `select a.delivery_id as "deliveryId", a.number, to_char(a.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "startedAt",
         a.duration_ms as "durationMs", a.http_status as "httpStatus", a.error, a.response
         from unnest($${2 * n + 2}::uuid[], $${2 * n + 3}::int[]) d (id, attempt_count) cross join lateral (
           select * from ${from} where instance_id = $1 and delivery_id = d.id and number > d.attempt_count - ${SHOWN_ATTEMPTS}
           order by number desc limit ${SHOWN_ATTEMPTS}) a`,
      )
      .join(' union all '),
    [instanceId, ...sources.flatMap(({ of }) => [of.map(({ id }) => id), of.map(({ attemptCount }) => attemptCount)])],
  )
  const attempts = new Map<string, DeliveryAttempt[]>()
  for (const { deliveryId, ...attempt } of rows) attempts.set(deliveryId, [...(attempts.get(deliveryId) ?? []), attempt])
  for (const list of attempts.values()) list.sort((a, b) => a.number - b.number)
  return attempts
}

/** Retention of attempts in no partition: deletes up to `limit` older than `days`; returns their number. */
export async function deleteOldAttempts(db: Db, instanceId: string, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from only delivery_attempts where instance_id = $1 and (delivery_id, number) in (
       select delivery_id, number from only delivery_attempts
       where instance_id = $1 and started_at < statement_timestamp() - make_interval(days => $2) order by started_at limit $3)`,
    [instanceId, days, limit],
  )
  return rowCount ?? 0
}
