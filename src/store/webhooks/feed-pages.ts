import { AUDIT_EVENT, type EventKind } from '../../model/events.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { appendWaitingEvents } from './event-feeds.ts'
import { partitionOf, type Week } from './event-weeks.ts'
import type { EventVisibility } from './events.ts'
import { listShownEvents } from './events-of-runs.ts'

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
  request: { instanceId: string; after: string | null; limit: number } & EventVisibility,
): Promise<FeedPage> {
  const { instanceId, limit } = request
  const shown = await listShownEvents(database, instanceId)
  await inTransaction(database, (db) => appendWaitingEvents(db, instanceId, 'all', shown))
  const cursor = parseCursor(request.after)
  const feed = await readFeed(database, instanceId)
  const ask = { ...request, limit: limit + 1, weeks: feed.weeks, head: feed.position }
  const known = cursor === null || cursor.position > feed.position ? null : await readFrom(database, ask, cursor)
  const rows = known ?? (await readFrom(database, ask, null)) ?? []
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    events: page.map(({ id, kind, createdAt, body }) => ({ id, kind, createdAt, body })),
    cursor: last ? printCursor(last) : known === null ? null : request.after,
    hasMore: rows.length > limit,
  }
}

interface Cursor {
  position: bigint
  id: string
}

function printCursor(last: { position: string; id: string }): string {
  return Buffer.from(`${last.position}.${last.id}`).toString('base64url')
}

function parseCursor(cursor: string | null): Cursor | null {
  if (cursor === null) return null
  const parts = /^(\d{1,18})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, position, id] = parts ?? []
  if (position === undefined || id === undefined) throw new UnknownCursor()
  return { position: BigInt(position), id }
}

/** Weeks of a feed, oldest first, each with the position after which its events begin; and its last position. */
async function readFeed(db: Db, instanceId: string): Promise<{ position: bigint; weeks: FeedWeek[] }> {
  const { rows } = await db.query<{ position: string; weeks: { week: Week; after: string }[] }>({
    name: 'read-feed',
    text: `select position, coalesce((select json_agg(json_build_object('week', to_char(w.week, 'YYYY-MM-DD'), 'after', w.begins_after::text) order by w.week)
             from feed_weeks w where w.instance_id = $1 and to_regclass('events_' || to_char(w.week, 'YYYYMMDD')) is not null), '[]') as weeks
           from event_feeds where instance_id = $1`,
    values: [instanceId],
  })
  const weeks = (rows[0]?.weeks ?? []).map(({ week, after }) => ({ week, after: BigInt(after) }))
  return { position: BigInt(rows[0]?.position ?? 0), weeks }
}

interface FeedWeek {
  week: Week
  after: bigint
}

type FeedRow = FeedEvent & { position: string }

interface FeedQuestion extends EventVisibility {
  instanceId: string
  limit: number
  weeks: readonly FeedWeek[]
  /** Last position when the weeks were read: of later events, the partition may not be among them. */
  head: bigint
}

/**
 * Events from a cursor on, week by week: those of a week are in its partition or in the table of all. Null when the
 * position of the cursor belongs to another event.
 */
async function readFrom(db: Db, question: FeedQuestion, cursor: Cursor | null): Promise<FeedRow[] | null> {
  const at = cursor?.position ?? 0n
  const found: FeedRow[] = []
  for (const { week, after, until } of spansOf(question)) {
    if (until < at || until === after) continue
    const hasCursor = at > after
    const rows = await readSpan(db, question, {
      ...{ week, until, at },
      from: hasCursor ? at : after + 1n,
      limit: question.limit - found.length + (hasCursor ? 1 : 0),
    })
    const [first] = rows
    if (hasCursor && first?.position === String(at)) {
      if (first.id !== cursor?.id) return null
      rows.shift()
    }
    found.push(...rows.slice(0, question.limit - found.length))
    if (found.length === question.limit) break
  }
  return found
}

function spansOf({ weeks, head }: FeedQuestion): { week: Week | null; after: bigint; until: bigint }[] {
  const starts = [{ week: null, after: 0n }, ...weeks]
  return starts.map((start, n) => ({ ...start, until: starts[n + 1]?.after ?? head }))
}

interface Span {
  week: Week | null
  from: bigint
  until: bigint
  /** Position of the cursor, whose event is returned whatever it is. */
  at: bigint
  limit: number
}

async function readSpan(db: Db, { instanceId, mayReadAudit }: FeedQuestion, span: Span): Promise<FeedRow[]> {
  const columns = 'instance_id, id, kind, created_at, body, position, only_for'
  const source =
    span.week === null
      ? 'only events'
      : `(select ${columns} from only events union all select ${columns} from ${partitionOf('events', span.week)})`
  const { rows } = await db.query<FeedRow>({
    name: `read-feed-${span.week ?? 'here'}`,
    text: `select id, kind, created_at as "createdAt", body, position from ${source} e
     where instance_id = $1 and position between $2 and $3 and (position = $4 or only_for is null and ($5 or kind <> $6))
     order by position limit $7`,
    values: [instanceId, span.from, span.until, span.at, mayReadAudit, AUDIT_EVENT, span.limit],
  })
  return rows
}
