import type { Db } from '../db/database.ts'

/** Maximum number of jobs counted per kind and state. */
const MOST_JOBS = 100_000

/** Kinds of waiting jobs, with one index lookup for each. */
const WAITING_KINDS = `with recursive kinds (kind) as (
    (select kind from jobs where state = 'ready' order by kind limit 1)
    union all select (select j.kind from jobs j where j.state = 'ready' and j.kind > k.kind order by j.kind limit 1) from kinds k where k.kind is not null)
  select kind from kinds where kind is not null`

/**
 * Queue depth by kind and state, for metrics, counting up to `MOST_JOBS` of each; `lagSeconds` is the age of the oldest
 * due job among those counted.
 */
export async function countJobs(db: Db): Promise<{ kind: string; state: string; count: number; lagSeconds: number }[]> {
  const { rows } = await db.query<{ kind: string; state: string; count: number; lagSeconds: number }>(
    `select k.kind, 'ready' as state, j.count, j.lag as "lagSeconds" from (${WAITING_KINDS}) k cross join lateral (
       select count(*)::int as count, greatest(0, coalesce(extract(epoch from clock_timestamp() - min(run_at)), 0))::float8 as lag
       from (select run_at from jobs where state = 'ready' and kind = k.kind limit ${MOST_JOBS}) counted) j
     union all select kind, 'running', count(*)::int, 0 from jobs where state = 'running' group by kind
     union all select kind, 'dead', count(*)::int, 0 from (select kind from jobs where state = 'dead' limit ${MOST_JOBS}) counted group by kind`,
  )
  return rows
}

export interface QueueDepth {
  kind: string
  waiting: number
  running: number
  dead: number
  /** Age of the oldest due job. */
  lagSeconds: number
}

/** Queue depth of one instance by kind. */
export async function countJobsOf(db: Db, instanceId: string): Promise<QueueDepth[]> {
  const { rows } = await db.query<QueueDepth>(
    `select kind, (count(*) filter (where state = 'ready'))::int as waiting, (count(*) filter (where state = 'running'))::int as running,
       (count(*) filter (where state = 'dead'))::int as dead,
       greatest(0, coalesce(extract(epoch from clock_timestamp() - min(run_at) filter (where state = 'ready')), 0))::float8 as "lagSeconds"
     from jobs where instance_id = $1 group by kind order by kind`,
    [instanceId],
  )
  return rows
}
