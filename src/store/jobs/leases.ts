import type { Db } from '../db/database.ts'
import { announceJobs, DEAD_JOB_COLUMNS, type DeadJobSummary } from './jobs.ts'

/** Owner of jobs whose worker is gone. */
const NO_WORKER = '00000000-0000-0000-0000-000000000000'

/**
 * Expires all leases on jobs, deliveries and credential refreshes at once, so that the first worker takes over the work
 * of a killed process without waiting. Its last heartbeat, which PostgreSQL may still have to execute, extends nothing.
 * Only for a process that knows it is the only one on its database.
 */
export async function endLeases(db: Db): Promise<void> {
  await db.query(`update jobs set worker = $1, lease_until = '-infinity' where state = 'running'`, [NO_WORKER])
  await db.query(`update connections set refresh_lease_until = '-infinity' where refresh_lease_until is not null`)
  await db.query(`update only deliveries set leased_until = '-infinity' where lease is not null`)
}

/**
 * Requeues the jobs of workers whose leases expired; returns their number. If an identical job is queued, it replaces
 * the expired one. A job that lost `maxAttempts` workers is set aside as dead: it may be what kills them.
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
