import type { Json } from '../model/json.ts'
import type { Db } from './database.ts'

export interface NewJob {
  instanceId: string
  kind: string
  /** At most one job of a key runs at a time; at most one of a kind and key waits. */
  key: string
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
  /** Rises with every claim: the fencing token of this worker's writes. */
  attempts: number
}

/** Puts a job into the queue as part of the caller's transaction; one that waits already is brought forward and takes the new payload over its own. */
export async function enqueueJob(db: Db, job: NewJob): Promise<void> {
  await db.query(
    `insert into jobs as j (instance_id, kind, key, payload, run_at)
     values ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5::float8 / 1000))
     on conflict (kind, key) where state = 'ready' do update set run_at = least(j.run_at, excluded.run_at), payload = j.payload || excluded.payload`,
    [job.instanceId, job.kind, job.key, JSON.stringify(job.payload), job.delayMs ?? 0],
  )
  await db.query(`select pg_notify('jobs', '')`)
}

/** Queues a job unless one of its kind and key waits or runs; what waits keeps its time. */
export async function ensureJob(db: Db, job: Omit<NewJob, 'delayMs'>): Promise<void> {
  await db.query(
    `insert into jobs (instance_id, kind, key, payload)
     select $1, $2, $3, $4 where not exists (select 1 from jobs where kind = $2 and key = $3 and state in ('ready', 'running'))
     on conflict do nothing`,
    [job.instanceId, job.kind, job.key, JSON.stringify(job.payload)],
  )
}

/**
 * Claims up to `limit` due jobs of different keys that nobody runs, for `leaseMs` of database time. Two workers that pick jobs of one key
 * at the same instant meet at the unique index: one of them gets nothing and asks again.
 */
export async function claimJobs(db: Db, worker: string, kinds: string[], limit: number, leaseMs: number): Promise<Job[]> {
  const { rows } = await db.query<Job>({
    name: 'claim-jobs',
    text: `with due as (
             select id, key, row_number() over (partition by key order by run_at, id) as place from (
               select id, key, run_at from jobs ready
               where state = 'ready' and run_at <= clock_timestamp() and kind = any($2)
                 and not exists (select 1 from jobs running where running.key = ready.key and running.state = 'running')
               order by run_at limit $3 for update skip locked) picked)
           update jobs set state = 'running', worker = $1, attempts = attempts + 1,
             lease_until = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
           from due where jobs.id = due.id and due.place = 1
           returning jobs.id, jobs.instance_id as "instanceId", jobs.kind, jobs.key, jobs.payload, jobs.attempts`,
    values: [worker, kinds, limit, leaseMs],
  })
  return rows
}

/** Prolongs the leases of this worker's jobs; gives those that are still its own. */
export async function extendLeases(db: Db, worker: string, ids: string[], leaseMs: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `update jobs set lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
     where id = any($2) and worker = $1 and state = 'running' returning id`,
    [worker, ids, leaseMs],
  )
  return rows.map((row) => row.id)
}

/** Frees the jobs of workers that stopped prolonging. A job of the same kind and key that waits already takes their place. */
export async function freeExpired(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `with expired as (select id, kind, key from jobs where state = 'running' and lease_until < clock_timestamp() for update skip locked),
       replaced as (delete from jobs where id in (select e.id from expired e
         where exists (select 1 from jobs w where w.kind = e.kind and w.key = e.key and w.state = 'ready')) returning id)
     update jobs set state = 'ready', worker = null, lease_until = null, run_at = clock_timestamp()
     where id in (select id from expired) and id not in (select id from replaced)`,
  )
  return rowCount ?? 0
}

/** Removes finished jobs. Only the worker that holds them may. */
export async function finishJobs(db: Db, worker: string, ids: string[]): Promise<void> {
  await db.query(`delete from jobs where id = any($2) and worker = $1 and state = 'running'`, [worker, ids])
}

/** Puts a job back to run later; `attempts` says what the next claim counts from. A waiting twin takes its place. */
export async function returnJob(
  db: Db,
  worker: string,
  id: string,
  delayMs: number,
  attempts: number,
  error: string | null,
): Promise<void> {
  await db.query(
    `with twin as (delete from jobs j where id = $2 and worker = $1 and state = 'running' and exists (
         select 1 from jobs w where w.kind = j.kind and w.key = j.key and w.state = 'ready') returning id)
     update jobs set state = 'ready', worker = null, lease_until = null, attempts = $4, error = $5,
       run_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
     where id = $2 and worker = $1 and state = 'running' and id not in (select id from twin)`,
    [worker, id, delayMs, attempts, error],
  )
}

/** Sets a job aside for a human after its last attempt. */
export async function buryJob(db: Db, worker: string, id: string, error: string): Promise<void> {
  await db.query(
    `update jobs set state = 'dead', worker = null, lease_until = null, error = $3 where id = $2 and worker = $1 and state = 'running'`,
    [worker, id, error],
  )
}

/** Queue depth by kind and state, for metrics. */
export async function countJobs(db: Db): Promise<{ kind: string; state: string; count: number }[]> {
  const { rows } = await db.query<{ kind: string; state: string; count: number }>(
    'select kind, state, count(*)::int as count from jobs group by kind, state',
  )
  return rows
}

/** Queues a sync for every connection whose refresh is due and that has none queued or running. */
export async function enqueueDueSyncs(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `insert into jobs (instance_id, kind, key, payload)
     select c.instance_id, 'sync', 'connection/' || c.id,
       jsonb_build_object('connectionId', c.id, 'reason', case when c.published_at is null then 'first' else 'schedule' end)
     from connections c
     where c.update_scheduled_at <= clock_timestamp() and c.status not in (6, 7, 8, 20, 26, 27) and c.entity_id is not null
       and not exists (select 1 from jobs j where j.key = 'connection/' || c.id and j.state in ('ready', 'running'))
     order by c.update_scheduled_at limit $1
     on conflict do nothing`,
    [limit],
  )
  return rowCount ?? 0
}
