import type { Db } from '../db/database.ts'
import { REFRESH_MINUTES } from '../schedules/refresh-minutes.ts'
import { announceJobs } from './jobs.ts'

/** Statuses without scheduled reads: waiting for the owner, suspended or ended. */
const AT_REST = '(6, 7, 8, 20, 26, 27)'

/** NOTE `clock_timestamp()` is volatile and never an index condition: the whole index would be read each second. */
function timeAhead(parameter: '$2' | '$3'): string {
  return `statement_timestamp() + make_interval(secs => ${parameter}::float8 / 1000)`
}

const IS_DUE = `c.status not in ${AT_REST} and c.entity_id is not null
  and not exists (select 1 from jobs w where w.kind = 'sync' and w.key = 'connection/' || c.id and w.state = 'ready')
  and not exists (select 1 from jobs r where r.key = 'connection/' || c.id and r.state = 'running')`

/**
 * Scheduler: queues a sync for up to `limit` connections whose refresh is due and that have none queued or running;
 * returns their number. `aheadMs` is nonzero only in tests, which travel in time.
 */
export async function enqueueDueSyncs(db: Db, limit: number, aheadMs = 0): Promise<number> {
  const { rowCount } = await db.query(
    `insert into jobs (instance_id, kind, key, provider, payload)
     select c.instance_id, 'sync', 'connection/' || c.id, c.connector_key,
       jsonb_build_object('connectionId', c.id, 'reason', 'schedule')
     from connections c
     where c.update_scheduled_at <= ${timeAhead('$2')} and ${IS_DUE}
     order by c.update_scheduled_at limit $1
     on conflict do nothing`,
    [limit, aheadMs],
  )
  if (rowCount) await announceJobs(db)
  return rowCount ?? 0
}

/**
 * Reschedules connections whose refresh is overdue by more than `lateMs`, because no process was running: evenly spread
 * within `windowMs` from now (at most a quarter of their interval); returns their number.
 */
export async function spreadOverdue(db: Db, lateMs: number, windowMs: number, aheadMs = 0): Promise<number> {
  const { rowCount } = await db.query(
    `update connections c
     set update_scheduled_at = ${timeAhead('$3')} + random() * least(make_interval(secs => $2::float8 / 1000), make_interval(mins => ${REFRESH_MINUTES}) / 4)
     where c.update_scheduled_at < ${timeAhead('$3')} - make_interval(secs => $1::float8 / 1000) and ${IS_DUE}`,
    [lateMs, windowMs, aheadMs],
  )
  return rowCount ?? 0
}
