import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Json } from '../../model/values/json.ts'
import { currentTraceParent } from '../../tracing/spans.ts'
import type { Db } from '../db/database.ts'

export interface NewJob {
  instanceId: string
  kind: string
  /** At most one job per key runs at a time; at most one per kind and key is queued. */
  key: string
  /** Key of the connector whose source is called; absent for internal work. */
  provider?: string
  payload: { [name: string]: Json }
  /** Delay from now; default 0. */
  delayMs?: number
}

export interface Job {
  id: string
  instanceId: string
  kind: string
  key: string
  payload: { [name: string]: Json }
  /** Raised by every claim; lowered again by outcomes that are not failures, and set to 1 by progress. */
  attempts: number
  /** Progress of its attempts; 0 where the handler reports none. */
  furthest: number
  traceParent?: string | null
}

/**
 * Enqueues a job in the caller's transaction; one that is already queued is brought forward and gets the new payload
 * merged over its own.
 */
export async function enqueueJob(db: Db, job: NewJob): Promise<void> {
  await db.query(
    `insert into jobs as j (instance_id, kind, key, provider, payload, run_at, trace_parent)
     values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6::float8 / 1000), $7)
     on conflict (kind, key) where state = 'ready' do update set run_at = least(j.run_at, excluded.run_at),
       payload = j.payload || excluded.payload, trace_parent = coalesce(excluded.trace_parent, j.trace_parent)`,
    [job.instanceId, job.kind, job.key, job.provider ?? '', JSON.stringify(job.payload), job.delayMs ?? 0, currentTraceParent()],
  )
  await announceJobs(db)
}

/** Enqueues jobs without delay in the caller's transaction, of whose keys none is queued. */
export async function enqueueNewJobs(db: Db, jobs: readonly Omit<NewJob, 'delayMs'>[]): Promise<void> {
  if (jobs.length === 0) return
  await db.query(
    `insert into jobs (instance_id, kind, key, provider, payload, trace_parent)
     select instance_id, kind, key, provider, payload::jsonb, $6 from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
       as j (instance_id, kind, key, provider, payload)`,
    [
      jobs.map(({ instanceId }) => instanceId),
      jobs.map(({ kind }) => kind),
      jobs.map(({ key }) => key),
      jobs.map(({ provider }) => provider ?? ''),
      jobs.map(({ payload }) => JSON.stringify(payload)),
      currentTraceParent(),
    ],
  )
  await announceJobs(db)
}

/** Resets the attempts of a queued job; false when none is queued, or it has not failed yet. */
export async function resetAttempts(db: Db, kind: string, key: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update jobs set attempts = 0, furthest = 0 where kind = $1 and key = $2 and state = 'ready' and attempts > 0`,
    [kind, key],
  )
  return rowCount === 1
}

/** Whether a job of the kind and key is queued or running. */
export async function isQueued(db: Db, kind: string, key: string): Promise<boolean> {
  const { rows } = await db.query<{ isQueued: boolean }>(
    `select exists (select from jobs where kind = $1 and key = $2 and state = 'ready')
       or exists (select from jobs where kind = $1 and key = $2 and state = 'running') as "isQueued"`,
    [kind, key],
  )
  return rows[0]?.isQueued ?? false
}

/** Queues a job unless one of its kind and key is queued or running; a queued one keeps its time. */
export async function ensureJob(db: Db, job: Omit<NewJob, 'delayMs'>): Promise<void> {
  const { rowCount } = await db.query(
    `insert into jobs (instance_id, kind, key, provider, payload, trace_parent)
     select $1, $2, $3, $4, $5, $6
     where not exists (select 1 from jobs where kind = $2 and key = $3 and state = 'ready')
       and not exists (select 1 from jobs where kind = $2 and key = $3 and state = 'running')
     on conflict do nothing`,
    [job.instanceId, job.kind, job.key, job.provider ?? '', JSON.stringify(job.payload), currentTraceParent()],
  )
  if (rowCount) await announceJobs(db)
}

/** Whether a job of this kind and key is running or due; one scheduled for later does not count. */
export async function isDueOrRunning(db: Db, kind: string, key: string): Promise<boolean> {
  const { rows } = await db.query<{ isDue: boolean }>(
    `select exists (select from jobs where kind = $1 and key = $2 and state = 'ready' and run_at <= statement_timestamp())
         or exists (select from jobs where kind = $1 and key = $2 and state = 'running') as "isDue"`,
    [kind, key],
  )
  return rows[0]?.isDue ?? false
}

/** Wakes the workers when the transaction commits: a hint only, correctness comes from polling. */
export async function announceJobs(db: Db): Promise<void> {
  await db.query(`select pg_notify('jobs', '')`)
}

/** Lane: the queued jobs of one instance at one provider. */
export interface Lane {
  instanceId: string
  provider: string
}

export interface Claim {
  worker: string
  kinds: readonly string[]
  limit: number
  leaseMs: number
  /** Lane cursor: round-robin continues behind this lane; null: from the first. */
  after: Lane | null
  /** Maximum number of running jobs per instance, and per provider, in all processes together. */
  cap: number
  /** Kept by a worker between its claims; without it a claim looks at all index entries of the queue. */
  memory?: ClaimMemory
}

/** Memory of the last claim, as `claim_due_jobs` returns and takes it. */
export interface ClaimMemory {
  known: Json
}

/** Memory of a worker that has not claimed anything yet. */
export function emptyClaimMemory(): ClaimMemory {
  return { known: {} }
}

/**
 * Claims due jobs with distinct keys, none of them running: round-robin over the lanes, within the cap of each instance
 * and provider.
 */
export async function claimJobs(db: Db, claim: Claim): Promise<(Job & Lane)[]> {
  // Sorts before every lane.
  const after = claim.after ?? { instanceId: FIRST_ID, provider: '' }
  const { memory } = claim
  const { rows } = await db.query<Job & Lane & { known: Json }>({
    name: 'claim-due-jobs',
    text: `select id, instance_id as "instanceId", kind, key, provider, payload, attempts, furthest, trace_parent as "traceParent", now_known as known
           from claim_due_jobs($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      ...[claim.worker, claim.kinds, claim.limit, claim.leaseMs, after.instanceId, after.provider, claim.cap],
      memory ? JSON.stringify(memory.known) : null,
    ],
  })
  const last = memory ? rows.pop() : undefined
  if (memory && last) memory.known = last.known
  return rows.map(({ known: _, ...job }) => job)
}

/** Job claimed by a worker; looked up by its key, since only one job per key runs at a time. */
export type ClaimedJob = Pick<Job, 'id' | 'key'>

/** Summary of a dead job. */
export type DeadJobSummary = Pick<Job, 'id' | 'instanceId' | 'kind' | 'attempts'>

export const DEAD_JOB_COLUMNS = `id, instance_id as "instanceId", kind, attempts`

interface Requeue {
  inMs: number
  /** Attempts so far; the next claim adds one. */
  attempts: number
  reason: string
}

/** Requeues a job for later, with its progress. If an identical job is queued, this one is dropped. */
export async function requeueJob(
  db: Db,
  worker: string,
  { id, key, furthest }: Pick<Job, 'id' | 'key' | 'furthest'>,
  { inMs, attempts, reason }: Requeue,
): Promise<void> {
  await db.query(
    `with duplicate as (delete from jobs j where state = 'running' and key = $6 and id = $2 and worker = $1 and exists (
         select 1 from jobs w where w.kind = j.kind and w.key = j.key and w.state = 'ready') returning id)
     update jobs set state = 'ready', worker = null, lease_until = null, attempts = $4, error = $5, furthest = $7,
       run_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
     where state = 'running' and key = $6 and id = $2 and worker = $1 and not exists (select 1 from duplicate)`,
    [worker, id, inMs, attempts, reason, key, furthest],
  )
}

/** Sets a job aside as dead after its last attempt; null when the worker no longer owned it. */
export async function markJobDead(db: Db, worker: string, { id, key }: ClaimedJob, error: string): Promise<DeadJobSummary | null> {
  const { rows } = await db.query<DeadJobSummary>(
    `update jobs set state = 'dead', died_at = clock_timestamp(), worker = null, lease_until = null, error = $3
     where state = 'running' and key = $4 and id = $2 and worker = $1 returning ${DEAD_JOB_COLUMNS}`,
    [worker, id, error, key],
  )
  return rows[0] ?? null
}

/** Deletes a running job in the caller's transaction; false when another run of it has done so. */
export async function deleteRunningJob(db: Db, { id, key }: ClaimedJob): Promise<boolean> {
  const { rowCount } = await db.query(`delete from jobs where state = 'running' and key = $1 and id = $2`, [key, id])
  return rowCount === 1
}
