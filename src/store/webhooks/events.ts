import { AUDIT_EVENT, type EventFacts, type EventKind, toEventBody } from '../../model/events.ts'
import { canonicalJson } from '../../model/values/canonical-json.ts'
import { currentTraceParent } from '../../tracing/spans.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { appendWaitingEvents } from './event-feeds.ts'

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
export interface EventSight {
  /** Whether audit entries are among them. */
  mayReadAudit: boolean
}

export async function hasEvent(db: Db, instanceId: string, id: string, { mayReadAudit }: EventSight): Promise<boolean> {
  const { rows } = await db.query('select 1 from events where instance_id = $1 and id = $2 and ($3 or kind <> $4)', [
    instanceId,
    id,
    mayReadAudit,
    AUDIT_EVENT,
  ])
  return rows.length > 0
}

/** Body of one event: JSON text as delivered, but without `Signature`. */
export async function findEventBody(db: Db, instanceId: string, id: string, { mayReadAudit }: EventSight): Promise<string | null> {
  const { rows } = await db.query<{ body: string }>('select body from events where instance_id = $1 and id = $2 and ($3 or kind <> $4)', [
    instanceId,
    id,
    mayReadAudit,
    AUDIT_EVENT,
  ])
  return rows[0]?.body ?? null
}

export interface FeedEvent {
  id: string
  kind: EventKind
  createdAt: Date
  /** JSON text as delivered, but without `Signature`. */
  body: string
}

export interface FeedPage {
  events: FeedEvent[]
  /** Cursor for the next page. Opaque; null while the feed has never had an event. */
  cursor: string | null
  hasMore: boolean
}

/** Thrown for a cursor that this feed never returned. */
export class UnknownCursor extends Error {
  constructor() {
    super('the cursor is not one of this feed')
    this.name = 'UnknownCursor'
  }
}

/**
 * Event feed: up to `limit` events of an instance by position. A reader that continues from each page's cursor sees
 * every event once: positions are assigned in order and only after commit. A cursor from before a database restore,
 * whose position now belongs to another event or does not exist, restarts the feed: receivers detect duplicates by
 * `Identifier`.
 */
export async function listEvents(
  database: Database,
  request: { instanceId: string; after: string | null; limit: number } & EventSight,
): Promise<FeedPage> {
  const { instanceId, limit } = request
  await inTransaction(database, (db) => appendWaitingEvents(db, instanceId))
  const start = await startOf(database, instanceId, request.after)
  const { rows } = await database.query<FeedEvent & { position: string }>(
    `select id, kind, created_at as "createdAt", body, position from events
     where instance_id = $1 and position > $2 and only_for is null and ($4 or kind <> $5)
     order by position limit $3`,
    [instanceId, start, limit + 1, request.mayReadAudit, AUDIT_EVENT],
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    events: page.map(({ id, kind, createdAt, body }) => ({ id, kind, createdAt, body })),
    cursor: last ? printCursor(last) : start === '0' ? null : request.after,
    hasMore: rows.length > limit,
  }
}

function printCursor(last: { position: string; id: string }): string {
  return Buffer.from(`${last.position}.${last.id}`).toString('base64url')
}

async function startOf(db: Db, instanceId: string, cursor: string | null): Promise<string> {
  if (cursor === null) return '0'
  const parts = /^(\d{1,18})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, position, id] = parts ?? []
  if (position === undefined || id === undefined) throw new UnknownCursor()
  const { rows } = await db.query<{ isAhead: boolean; isOther: boolean }>(
    `select $2 > coalesce((select position from event_feeds where instance_id = $1), 0) as "isAhead",
       exists (select 1 from events where instance_id = $1 and position = $2 and id::text <> $3) as "isOther"`,
    [instanceId, position, id],
  )
  return rows[0]?.isAhead || rows[0]?.isOther ? '0' : position
}

/** Deletes the events of a company and their deliveries: part of its erasure. */
export async function deleteEventsOfCompany(db: Db, instanceId: string, companyId: string): Promise<void> {
  await db.query('delete from events where instance_id = $1 and company_id = $2', [instanceId, companyId])
}

/** Retention: deletes up to `limit` events older than `days` and their deliveries; returns their number. */
export async function deleteOldEvents(db: Db, instanceId: string, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from events where instance_id = $1 and id in (
       select id from events where instance_id = $1 and created_at < statement_timestamp() - make_interval(days => $2)
       order by created_at limit $3)`,
    [instanceId, days, limit],
  )
  return rowCount ?? 0
}
