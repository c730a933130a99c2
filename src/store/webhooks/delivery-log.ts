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
import type { EventSight } from './events.ts'

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

/** Properties for filtering and ordering. */
const DELIVERY_COLUMNS: Columns = {
  id: { sql: 'd.id', type: 'uuid', key: 'd.id', isNeverNull: true },
  // Few deliveries have the same event, so that they are sorted by their ids as they are read.
  eventId: { sql: 'd.event_id', type: 'uuid', key: 'd.event_id', isNeverNull: true },
  kind: { sql: 'e.kind', type: 'string' },
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
  selection: Selection & EventSight,
): Promise<{ deliveries: Delivery[]; total: Total }> {
  await checkBound(db, selection, {
    from: 'from deliveries d where d.instance_id = $1',
    instanceId,
    columns: DELIVERY_COLUMNS,
    range: 'createdOn',
  })
  const values: unknown[] = [instanceId]
  // NOTE only where it must: PostgreSQL leaves a join out of a count that does not need it.
  const hidden = selection.mayReadAudit ? '' : `and e.kind <> '${AUDIT_EVENT}'`
  // NOTE left joins, although each delivery has its event and subscription, for the same reason.
  const from = `from deliveries d left join events e on e.instance_id = d.instance_id and e.id = d.event_id
      left join subscriptions s on s.instance_id = d.instance_id and s.id = d.subscription_id
    where d.instance_id = $1 ${hidden} and ${toCondition(selection.filter, DELIVERY_COLUMNS, values)}`
  const total = await countBounded(db, from, values)
  const page = toPage({ from, columns: DELIVERY_COLUMNS, tieBreak: 'd.id', total }, selection, values)
  const { rows } = await db.query<Delivery>(
    `select d.id, d.event_id as "eventId", e.kind, d.subscription_id as "subscriptionId", d.status, d.attempt_count as "attemptCount",
       d.created_at as "createdAt", d.delivered_at as "deliveredAt", case when d.status = 'pending' then ${NEXT_ATTEMPT} end as "dueAt",
       coalesce((select json_agg(json_build_object('number', a.number, 'startedAt', to_char(a.started_at at time zone 'UTC',
           'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', a.duration_ms, 'httpStatus', a.http_status, 'error', a.error,
           'response', a.response) order by a.number)
         from delivery_attempts a where a.instance_id = $1 and a.delivery_id = d.id and a.number > d.attempt_count - ${SHOWN_ATTEMPTS}),
         '[]') as attempts
     ${page}`,
    values,
  )
  return { deliveries: rows, total }
}

/** Retention: deletes up to `limit` attempts older than `days`; returns their number. */
export async function deleteOldAttempts(db: Db, instanceId: string, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from delivery_attempts where instance_id = $1 and (delivery_id, number) in (
       select delivery_id, number from delivery_attempts
       where instance_id = $1 and started_at < statement_timestamp() - make_interval(days => $2) order by started_at limit $3)`,
    [instanceId, days, limit],
  )
  return rowCount ?? 0
}
