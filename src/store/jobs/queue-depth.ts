import type { Db } from '../db/database.ts'

/** Queue depth by kind and state, for metrics; `lagSeconds` is the age of the oldest due job. */
export async function countJobs(db: Db): Promise<{ kind: string; state: string; count: number; lagSeconds: number }[]> {
  const { rows } = await db.query<{ kind: string; state: string; count: number; lagSeconds: number }>(
    `select kind, state, count(*)::int as count,
       greatest(0, coalesce(extract(epoch from clock_timestamp() - min(run_at) filter (where state = 'ready')), 0))::float8 as "lagSeconds"
     from jobs group by kind, state`,
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
