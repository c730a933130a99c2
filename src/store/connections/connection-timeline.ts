import type { StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'

interface TimelineEntry {
  at: Date
  fromStatus: StatusCode | null
  toStatus: StatusCode
  detail: string
}

/** Status changes of a connection, oldest first: the newest `limit` of them; null: all. */
export async function listTimeline(
  db: Db,
  instanceId: string,
  connectionId: string,
  limit: number | null = null,
): Promise<TimelineEntry[]> {
  const { rows } = await db.query<TimelineEntry>(
    `select at, from_status as "fromStatus", to_status as "toStatus", detail from connection_timeline
     where instance_id = $1 and connection_id = $2 order by at desc, id desc limit $3`,
    [instanceId, connectionId, limit],
  )
  return rows.reverse()
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
