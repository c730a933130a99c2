import type { Json } from '../../model/values/json.ts'
import type { Db } from '../db/database.ts'

export interface NewJob {
  instanceId: string
  kind: string
  /** At most one job of a key runs at a time; at most one of a kind and key waits. */
  key: string
  /** Key of the connector whose source the work goes to; left out for work of our own. */
  provider?: string
  payload: { [name: string]: Json }
  /** How long from now; 0 when left out. */
  delayMs?: number
}

export interface Job {
  id: string
  instanceId: string
  kind: string
  key: string
  payload: { [name: string]: Json }
  /** Rises with every claim; what does not count as a failure takes it back. */
  attempts: number
}

/** Puts a job into the queue as part of the caller's transaction; one that waits already is brought forward and takes the new payload over its own. */
export async function enqueueJob(db: Db, job: NewJob): Promise<void> {
  await db.query(
    `insert into jobs as j (instance_id, kind, key, provider, payload, run_at)
     values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6::float8 / 1000))
     on conflict (kind, key) where state = 'ready' do update set run_at = least(j.run_at, excluded.run_at), payload = j.payload || excluded.payload`,
    [job.instanceId, job.kind, job.key, job.provider ?? '', JSON.stringify(job.payload), job.delayMs ?? 0],
  )
  await announceJobs(db)
}

/** Lets a waiting job begin with its first attempt again; false when none waits, or it has not failed yet. */
export async function resetAttempts(db: Db, kind: string, key: string): Promise<boolean> {
  const { rowCount } = await db.query(`update jobs set attempts = 0 where kind = $1 and key = $2 and state = 'ready' and attempts > 0`, [
    kind,
    key,
  ])
  return rowCount === 1
}

/** Whether a job of the kind and key waits or runs. */
export async function isQueued(db: Db, kind: string, key: string): Promise<boolean> {
  const { rows } = await db.query<{ isQueued: boolean }>(
    `select exists (select from jobs where kind = $1 and key = $2 and state = 'ready')
       or exists (select from jobs where kind = $1 and key = $2 and state = 'running') as "isQueued"`,
    [kind, key],
  )
  return rows[0]?.isQueued ?? false
}

/** Queues a job unless one of its kind and key waits or runs; what waits keeps its time. */
export async function ensureJob(db: Db, job: Omit<NewJob, 'delayMs'>): Promise<void> {
  await db.query(
    `insert into jobs (instance_id, kind, key, provider, payload)
     select $1, $2, $3, $4, $5
     where not exists (select 1 from jobs where kind = $2 and key = $3 and state = 'ready')
       and not exists (select 1 from jobs where kind = $2 and key = $3 and state = 'running')
     on conflict do nothing`,
    [job.instanceId, job.kind, job.key, job.provider ?? '', JSON.stringify(job.payload)],
  )
}

/** Whether a job of this kind and key runs or is to run now; one that waits for its next time does not count. */
export async function isDueOrRunning(db: Db, kind: string, key: string): Promise<boolean> {
  const { rows } = await db.query<{ isDue: boolean }>(
    `select exists (select from jobs where kind = $1 and key = $2 and state = 'ready' and run_at <= statement_timestamp())
         or exists (select from jobs where kind = $1 and key = $2 and state = 'running') as "isDue"`,
    [kind, key],
  )
  return rows[0]?.isDue ?? false
}

/** Wakes the workers when the transaction commits: a hint, never the truth. */
export async function announceJobs(db: Db): Promise<void> {
  await db.query(`select pg_notify('jobs', '')`)
}

/** What waits for one provider on behalf of one instance. */
export interface Lane {
  instanceId: string
  provider: string
}

export interface Claim {
  worker: string
  kinds: readonly string[]
  limit: number
  leaseMs: number
  /** The lanes' turn begins behind this one; at the first when null. */
  after: Lane | null
  /** Running jobs that one instance, and one provider, may have in all processes together. */
  cap: number
}

/** Before every lane there is. */
const FIRST: Lane = { instanceId: '00000000-0000-0000-0000-000000000000', provider: '' }

/** Claims due jobs of different keys that nobody runs: in turn over the lanes, and no instance and no provider past the cap. */
export async function claimJobs(db: Db, claim: Claim): Promise<(Job & Lane)[]> {
  const after = claim.after ?? FIRST
  const { rows } = await db.query<Job & Lane>({
    name: 'claim-jobs',
    text: `select id, instance_id as "instanceId", kind, key, provider, payload, attempts from claim_jobs($1, $2, $3, $4, $5, $6, $7)`,
    values: [claim.worker, claim.kinds, claim.limit, claim.leaseMs, after.instanceId, after.provider, claim.cap],
  })
  return rows
}

/** A job that a worker runs: found by its key, of which one runs at a time. */
export type ClaimedJob = Pick<Job, 'id' | 'key'>

/** Prolongs the leases of this worker's jobs; gives the ids of those that are still its own. */
export async function extendLeases(db: Db, worker: string, jobs: readonly ClaimedJob[], leaseMs: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `update jobs j set lease_until = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
     from unnest($2::text[], $3::uuid[]) as held (key, id)
     where j.state = 'running' and j.key = held.key and j.id = held.id and j.worker = $1 returning j.id`,
    [worker, jobs.map(({ key }) => key), jobs.map(({ id }) => id), leaseMs],
  )
  return rows.map((row) => row.id)
}

/** A job that was set aside for a human. */
export type DeadJobSummary = Pick<Job, 'id' | 'instanceId' | 'kind' | 'attempts'>

const DEAD_JOB_COLUMNS = `id, instance_id as "instanceId", kind, attempts`

/**
 * Frees the jobs of workers that stopped prolonging; gives how many. A job of the same kind and key that waits already takes their place,
 * and one that outlived its worker `maxAttempts` times is buried: it may be what kills them.
 */
export async function requeueExpiredJobs(db: Db, maxAttempts: number): Promise<{ freed: number; died: DeadJobSummary[] }> {
  const { rows: died } = await db.query<DeadJobSummary>(
    `update jobs set state = 'dead', died_at = clock_timestamp(), worker = null, lease_until = null, error = 'every worker that ran it died'
     where state = 'running' and key in (
       select key from jobs where state = 'running' and lease_until < statement_timestamp() and attempts >= $1 for update skip locked)
     returning ${DEAD_JOB_COLUMNS}`,
    [maxAttempts],
  )
  const { rowCount } = await db.query(
    `with expired as (select kind, key from jobs where state = 'running' and lease_until < statement_timestamp() for update skip locked),
       replaced as (delete from jobs where state = 'running' and key in (select e.key from expired e
         where exists (select 1 from jobs w where w.kind = e.kind and w.key = e.key and w.state = 'ready')) returning key)
     update jobs set state = 'ready', worker = null, lease_until = null, run_at = clock_timestamp()
     where state = 'running' and key in (select key from expired) and key not in (select key from replaced)`,
  )
  const freed = rowCount ?? 0
  if (freed > 0) await announceJobs(db)
  return { freed, died }
}

/**
 * Removes finished jobs. Only the worker that holds them may. The commit does not wait for the disk: a crash of the database brings back
 * at most what finished in the last second, and every job may run twice.
 */
export async function completeJobs(db: Db, worker: string, jobs: readonly ClaimedJob[]): Promise<void> {
  await db.query({
    name: 'finish-jobs',
    text: `delete from jobs j using unnest($2::text[], $3::uuid[]) as held (key, id)
           where j.state = 'running' and j.key = held.key and j.id = held.id and j.worker = $1
             and (select set_config('synchronous_commit', 'off', true)) = 'off'`,
    values: [worker, jobs.map(({ key }) => key), jobs.map(({ id }) => id)],
  })
}

/** Puts a job back to run later; `attempts` says what the next claim counts from. A waiting twin takes its place. */
export async function requeueJob(
  db: Db,
  worker: string,
  { id, key }: ClaimedJob,
  delayMs: number,
  attempts: number,
  error: string | null,
): Promise<void> {
  await db.query(
    `with twin as (delete from jobs j where state = 'running' and key = $6 and id = $2 and worker = $1 and exists (
         select 1 from jobs w where w.kind = j.kind and w.key = j.key and w.state = 'ready') returning id)
     update jobs set state = 'ready', worker = null, lease_until = null, attempts = $4, error = $5,
       run_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
     where state = 'running' and key = $6 and id = $2 and worker = $1 and not exists (select 1 from twin)`,
    [worker, id, delayMs, attempts, error, key],
  )
}

/** Sets a job aside for a human after its last attempt; null when the worker had lost it. */
export async function markJobDead(db: Db, worker: string, { id, key }: ClaimedJob, error: string): Promise<DeadJobSummary | null> {
  const { rows } = await db.query<DeadJobSummary>(
    `update jobs set state = 'dead', died_at = clock_timestamp(), worker = null, lease_until = null, error = $3
     where state = 'running' and key = $4 and id = $2 and worker = $1 returning ${DEAD_JOB_COLUMNS}`,
    [worker, id, error, key],
  )
  return rows[0] ?? null
}

/** Removes jobs of a kind that were set aside so long ago; returns how many. */
export async function deleteJobsDeadFor(db: Db, kind: string, ms: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from jobs where state = 'dead' and kind = $1 and died_at < statement_timestamp() - make_interval(secs => $2::float8 / 1000)`,
    [kind, ms],
  )
  return rowCount ?? 0
}

/** Queue depth by kind and state, for metrics; `lagSeconds` is how long the longest due one has waited. */
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
  /** How long the longest due one has waited. */
  lagSeconds: number
}

/** The jobs of one instance by kind. */
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
