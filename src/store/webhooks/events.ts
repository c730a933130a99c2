import { AUDIT_EVENT, type EventFacts, toEventBody } from '../../model/events.ts'
import { canonicalJson } from '../../model/values/canonical-json.ts'
import { currentTraceParent } from '../../tracing/spans.ts'
import type { Db } from '../db/database.ts'
import { holdFeed } from './event-feeds.ts'
import { holdInFlight } from './event-weeks.ts'

export interface NewEvent extends EventFacts {
  instanceId: string
  /** Deduplication key, such as `NormalizedData/<connection>/<run>`: a second event with the same key is dropped. */
  dedupeKey: string
  /** For a test event: the only subscription that gets it. */
  onlyFor?: string
}

/**
 * Records an event in the caller's transaction, so that it exists if and only if its cause does. The body is built
 * here, with database time and the company's external id. False when an event with this `dedupeKey` exists.
 */
export async function insertEvent(db: Db, event: NewEvent): Promise<boolean> {
  // Also as text: a `Date` would lose the microseconds, which order events of one millisecond.
  const clock = await db.query<{ at: Date; exact: string; externalId: string | null }>(
    `select now as at, now::text as exact, (select external_id from companies where instance_id = $1 and id = $2) as "externalId"
     from clock_timestamp() as now`,
    [event.instanceId, event.companyId],
  )
  const [time] = clock.rows
  if (!time) throw new Error('the database gave no time')
  const { rowCount } = await db.query(
    `with inserted as (
       insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, only_for, created_at, trace_parent)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict do nothing returning id)
     select pg_notify('events', '') from inserted`,
    [
      ...[event.instanceId, event.id, event.kind, event.companyId, event.serviceId, event.sessionId, event.dedupeKey],
      ...[
        canonicalJson(toEventBody({ ...event, data: { ...event.data, externalId: time.externalId } }, time.at)),
        event.onlyFor ?? null,
        time.exact,
        currentTraceParent(),
      ],
    ],
  )
  return rowCount === 1
}

/** Which events a reader may know of. */
export interface EventVisibility {
  /** Whether audit entries are among them. */
  mayReadAudit: boolean
}

export async function hasEvent(db: Db, instanceId: string, id: string, { mayReadAudit }: EventVisibility): Promise<boolean> {
  const { rows } = await db.query('select 1 from events where instance_id = $1 and id = $2 and ($3 or kind <> $4)', [
    instanceId,
    id,
    mayReadAudit,
    AUDIT_EVENT,
  ])
  return rows.length > 0
}

/** Body of one event: JSON text as delivered, but without `Signature`. */
export async function findEventBody(db: Db, instanceId: string, id: string, { mayReadAudit }: EventVisibility): Promise<string | null> {
  const { rows } = await db.query<{ body: string }>('select body from events where instance_id = $1 and id = $2 and ($3 or kind <> $4)', [
    instanceId,
    id,
    mayReadAudit,
    AUDIT_EVENT,
  ])
  return rows[0]?.body ?? null
}

/**
 * Deletes the events of a company and their deliveries: part of its erasure. Needs a transaction, in which nothing may move
 * to a partition.
 */
export async function deleteEventsOfCompany(db: Db, instanceId: string, companyId: string): Promise<void> {
  await holdFeed(db, instanceId)
  await holdInFlight(db, instanceId, null)
  await db.query('delete from events where instance_id = $1 and company_id = $2', [instanceId, companyId])
}

/**
 * Retention of events that are in no partition: deletes up to `limit` older than `days` and their deliveries; returns their
 * number.
 */
export async function deleteOldEvents(db: Db, instanceId: string, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from only events where instance_id = $1 and id in (
       select id from only events where instance_id = $1 and created_at < statement_timestamp() - make_interval(days => $2)
       order by created_at limit $3)`,
    [instanceId, days, limit],
  )
  return rowCount ?? 0
}
