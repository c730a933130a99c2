import { randomUUID } from 'node:crypto'
import { type JobSignal, RunningJob } from '../../../src/jobs/running-job.ts'
import type { Handler, Outcome } from '../../../src/jobs/worker.ts'
import { mailHandlers } from '../../../src/mail/jobs.ts'
import type { Db } from '../../../src/store/db/database.ts'
import type { Job } from '../../../src/store/jobs/jobs.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'
import { ERASE_INSTANCE } from '../../../src/sync/instances/erase.ts'
import { syncHandlers } from '../../../src/sync/jobs.ts'

type MailDeps = Parameters<typeof mailHandlers>[0]

/** What a worker that is not stopping hands to the handler of a job. */
export function signalOf(job: Job): JobSignal {
  const running = new RunningJob(job, Number.POSITIVE_INFINITY)
  return { isStopping: () => false, advance: (position) => running.advance(position) }
}

/** Runs a handler once, in a worker that is not stopping. */
export async function runJob(
  handler: Handler,
  given: Pick<Job, 'instanceId' | 'kind' | 'key' | 'payload'> & Partial<Job>,
): Promise<Outcome> {
  const job = { id: randomUUID(), attempts: 1, furthest: 0, ...given }
  return await handler(job, signalOf(job))
}

/** Runs one sync of a connection, now. */
export async function runSyncJob(
  deps: SyncDeps,
  { instanceId, connectionId }: { instanceId: string; connectionId: string },
  { reason = 'schedule', isAwaited = false, attempt = 1 } = {},
): Promise<Outcome> {
  const payload = { connectionId, reason, isAwaited }
  const key = `connection/${connectionId}`
  return await runJob(syncHandlers(deps).sync, { instanceId, kind: 'sync', key, payload, attempts: attempt })
}

/** Job of an erasure, as the worker claims it. */
export function erasureJob(erasureId: string): Job {
  return { id: randomUUID(), instanceId: randomUUID(), kind: ERASE_INSTANCE, key: '', payload: { erasureId }, attempts: 1, furthest: 0 }
}

/** Removes the queued jobs of one kind and returns them, oldest first. */
export async function takeJobs(db: Db, kind: string): Promise<Job[]> {
  const { rows } = await db.query<Job>(
    `with taken as (delete from jobs where kind = $1 and state = 'ready' returning *)
     select id, instance_id as "instanceId", kind, key, payload, attempts + 1 as attempts, furthest from taken order by created_at`,
    [kind],
  )
  return rows
}

/** Sends one queued mail, now. */
export async function sendMail(
  deps: Omit<MailDeps, 'log'>,
  { instanceId, mailId }: { instanceId: string; mailId: string },
): Promise<Outcome> {
  const { mail } = mailHandlers({ log: { warn: () => undefined }, ...deps })
  return await runJob(mail, { instanceId, kind: 'mail', key: `mail/${mailId}`, payload: { mailId } })
}

/** Sends every queued mail. */
export async function sendMails(deps: Omit<MailDeps, 'log'>): Promise<void> {
  for (const { instanceId, payload } of await takeJobs(deps.database, 'mail')) {
    await sendMail(deps, { instanceId, mailId: String(payload.mailId) })
  }
}
