import type { Db } from '../db/database.ts'
import { HELD_JOB } from '../operators/suspensions.ts'
import type { ClaimedJob, Job } from './jobs.ts'

/**
 * Locks the jobs of `held` that a worker (`$1`) runs. NOTE each is looked up by its key: one pass over all running jobs,
 * which the planner prefers with fresh statistics, reads an entry for each job that was claimed since the oldest open
 * transaction began.
 */
const FOUND = `found as materialized (
       select held.*, r.place from held cross join lateral (
         select r.ctid as place from jobs r where r.state = 'running' and r.key = held.key and r.id = held.id and r.worker = $1 for update) r)`
/**
 * Whether a row of `found` was changed while its lock was waited for, such as by a heartbeat: its new version is behind the
 * statement's snapshot, so that the statement has not changed it.
 */
const HAS_MISSED = `exists (select from found f where not exists (select from jobs j where j.ctid = f.place)) as "hasMissed"`

/** Runs the statement again as long as it has missed a row. */
async function changeHeld<Row extends object>(db: Db, statement: { name?: string; text: string; values: unknown[] }): Promise<Row | null> {
  for (;;) {
    const { rows } = await db.query<Row & { hasMissed: boolean }>(statement)
    if (!rows[0]?.hasMissed) return rows[0] ?? null
  }
}

/**
 * Extends the leases of this worker's jobs and stores their progress, but not of a suspended instance; returns the ids of those it
 * still owns. Asynchronous commit, since a heartbeat would wait behind all that a large sync writes: after a crash of the
 * database a lease may end as if the last heartbeat had failed.
 */
export async function extendLeases(
  db: Db,
  worker: string,
  jobs: readonly Pick<Job, 'id' | 'key' | 'attempts' | 'furthest'>[],
  leaseMs: number,
): Promise<string[]> {
  const column = <Name extends 'id' | 'key' | 'attempts' | 'furthest'>(name: Name) => jobs.map((job) => job[name])
  const extended = await changeHeld<{ ids: string[] }>(db, {
    text: `with held as (select * from unnest($2::text[], $3::uuid[], $4::int[], $5::int[]) as h (key, id, attempts, furthest)), ${FOUND},
         extended as (
           update jobs j set lease_until = clock_timestamp() + make_interval(secs => $6::float8 / 1000),
             attempts = found.attempts, furthest = found.furthest
           from found where j.ctid = found.place and not ${HELD_JOB} returning j.id)
       select array(select id from extended) as ids, ${HAS_MISSED}, set_config('synchronous_commit', 'off', true)`,
    values: [worker, column('key'), column('id'), column('attempts'), column('furthest'), leaseMs],
  })
  return extended?.ids ?? []
}

/**
 * Deletes finished jobs that this worker still owns. Asynchronous commit: a crash of the database brings back at most
 * those of the last second, and every job may run twice.
 */
export async function completeJobs(db: Db, worker: string, jobs: readonly ClaimedJob[]): Promise<void> {
  await changeHeld(db, {
    name: 'finish-jobs',
    text: `with held as (select * from unnest($2::text[], $3::uuid[]) as h (key, id)), ${FOUND},
         finished as (
           delete from jobs j using found
           where j.ctid = found.place and (select set_config('synchronous_commit', 'off', true)) = 'off')
       select ${HAS_MISSED}`,
    values: [worker, jobs.map(({ key }) => key), jobs.map(({ id }) => id)],
  })
}
