import { Status, type StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'

interface TimelineEntry {
  at: Date
  fromStatus: StatusCode | null
  toStatus: StatusCode
  detail: string
}

/** Entries of a timeline that one answer has. */
export const ENTRIES_SHOWN = 100

/** Status changes of a connection, oldest first: the newest of them. */
export async function listTimeline(db: Db, instanceId: string, connectionId: string): Promise<TimelineEntry[]> {
  const { rows } = await db.query<TimelineEntry>(
    `select at, from_status as "fromStatus", to_status as "toStatus", detail from connection_timeline
     where instance_id = $1 and connection_id = $2 order by at desc, id desc limit $3`,
    [instanceId, connectionId, ENTRIES_SHOWN],
  )
  return rows.reverse()
}

/** When a connection was last authorized, or authorized again without a change of its status; null: not yet. */
export async function findAuthorizedAt(db: Db, instanceId: string, connectionId: string): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date }>(
    `select at from connection_timeline where instance_id = $1 and connection_id = $2 and (to_status = $3 or to_status = from_status)
     order by at desc, id desc limit 1`,
    [instanceId, connectionId, Status.Authorized],
  )
  return rows[0]?.at ?? null
}

/** Id of the newest status change of a connection. */
export async function getNewestStatusChange(db: Db, instanceId: string, connectionId: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'select id from connection_timeline where instance_id = $1 and connection_id = $2 order by at desc, id desc limit 1',
    [instanceId, connectionId],
  )
  const [row] = rows
  if (!row) throw new Error('a connection has a first status')
  return row.id
}

/** Timeline entries with certain codes whose parts name a link, oldest first. */
export async function listTimelineMessagesOfLink(
  db: Db,
  { instanceId, id }: { instanceId: string; id: string },
  linkId: string,
  codes: readonly string[],
): Promise<{ code: string; parts: Record<string, unknown> }[]> {
  const { rows } = await db.query<{ code: string; parts: Record<string, unknown> }>(
    `select detail_code as code, detail_parts as parts from connection_timeline
     where instance_id = $1 and connection_id = $2 and detail_code = any($3) and detail_parts->>'linkId' = $4 order by at, id`,
    [instanceId, id, codes, linkId],
  )
  return rows
}
