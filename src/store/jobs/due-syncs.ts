import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { IS_READ, REFRESH_MINUTES } from '../schedules/refresh-minutes.ts'
import { announceJobs } from './jobs.ts'

/** NOTE `clock_timestamp()` is volatile and never an index condition: the whole index would be read each second. */
function timeAhead(parameter: '$2' | '$3'): string {
  return `statement_timestamp() + make_interval(secs => ${parameter}::float8 / 1000)`
}

const HAS_NO_SYNC = `not exists (select 1 from jobs w where w.kind = 'sync' and w.key = 'connection/' || c.id and w.state = 'ready')
  and not exists (select 1 from jobs r where r.key = 'connection/' || c.id and r.state = 'running')`
const IS_DUE = `${IS_READ} and c.entity_id is not null and ${HAS_NO_SYNC}`

/** Position of a walk over due connections: time as text of the database, then id. */
export interface DuePosition {
  at: string
  id: string
}

export const EARLIEST: DuePosition = { at: '-infinity', id: FIRST_ID }

/**
 * Scheduler: looks at the next `limit` connections behind `after` whose refresh is due, and queues a sync for those that
 * have none queued or running. `end` is null when there were fewer. `aheadMs` is nonzero only in tests, which travel in
 * time.
 */
export async function enqueueDueSyncs(
  db: Db,
  limit: number,
  after: DuePosition = EARLIEST,
  aheadMs = 0,
): Promise<{ queued: number; end: DuePosition | null }> {
  const { rows } = await db.query<{ queued: number; seen: number; at: string; id: string }>(
    `with due as materialized (
         select c.* from connections c
         where c.update_scheduled_at <= ${timeAhead('$2')} and (c.update_scheduled_at, c.id) > ($3, $4)
           and ${IS_READ} and c.entity_id is not null
         order by c.update_scheduled_at, c.id limit $1),
       queued as (
         insert into jobs (instance_id, kind, key, provider, payload)
         select c.instance_id, 'sync', 'connection/' || c.id, c.connector_key,
           jsonb_build_object('connectionId', c.id, 'reason', 'schedule')
         from due c where ${HAS_NO_SYNC}
         on conflict do nothing returning 1)
     select (select count(*) from queued)::int as queued, (select count(*) from due)::int as seen, d.update_scheduled_at::text as at, d.id
     from due d order by d.update_scheduled_at desc, d.id desc limit 1`,
    [limit, aheadMs, after.at, after.id],
  )
  const [last] = rows
  if (last?.queued) await announceJobs(db)
  return { queued: last?.queued ?? 0, end: last?.seen === limit ? { at: last.at, id: last.id } : null }
}

/**
 * Reschedules up to `limit` connections whose refresh is overdue by more than `lateMs`, because no process was running:
 * evenly spread within `windowMs` from now (at most a quarter of their interval); returns their number.
 */
export async function spreadOverdue(db: Db, lateMs: number, windowMs: number, limit: number, aheadMs = 0): Promise<number> {
  const { rowCount } = await db.query(
    `update connections c
     set update_scheduled_at = ${timeAhead('$3')} + random() * least(make_interval(secs => $2::float8 / 1000), make_interval(mins => ${REFRESH_MINUTES}) / 4)
     where c.ctid = any (array(select c.ctid from connections c
       where c.update_scheduled_at < ${timeAhead('$3')} - make_interval(secs => $1::float8 / 1000) and ${IS_DUE}
       order by c.update_scheduled_at limit $4 for update))`,
    [lateMs, windowMs, aheadMs, limit],
  )
  return rowCount ?? 0
}
