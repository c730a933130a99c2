import { randomUUID } from 'node:crypto'
import { type Handler, type JobWorker, startWorker, type WorkerOptions } from '../../src/jobs/worker.ts'
import type { Database, Db } from '../../src/store/db/database.ts'
import { type Claim, claimJobs, type Job, type Lane } from '../../src/store/jobs/jobs.ts'

/** Adds many due jobs to one lane, each with a different key. */
export async function fillLane(
  database: Database,
  lane: { instanceId: string; provider?: string; kind?: string },
  count: number,
): Promise<void> {
  await database.query(
    `insert into jobs (instance_id, kind, key, provider, run_at)
     select $1, $2, 'key/' || gen_random_uuid(), $3, clock_timestamp() - interval '1 minute' + n * interval '1 microsecond'
     from generate_series(1, $4::int) n`,
    [lane.instanceId, lane.kind ?? 'work', lane.provider ?? '', count],
  )
}

export async function claim(database: Db, limit: number, override: Partial<Claim> = {}): Promise<(Job & Lane)[]> {
  return await claimJobs(database, {
    worker: randomUUID(),
    kinds: ['work'],
    limit,
    leaseMs: 60_000,
    after: null,
    cap: 1_000_000,
    ...override,
  })
}

/** Starts a test's own worker, without delay between polls. */
export function workOn(database: Database, handlers: Record<string, Handler>, options: Partial<WorkerOptions> = {}): JobWorker {
  return startWorker({ database, handlers, concurrency: 8, onError: () => undefined, ...options })
}
