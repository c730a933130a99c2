import { randomUUID } from 'node:crypto'
import type { Database } from '../store/database.ts'
import { buryJob, claimJobs, extendLeases, finishJobs, freeExpired, type Job, returnJob } from '../store/jobs.ts'
import { startWakeup, type Wakeup } from './wakeup.ts'

/** What a handler says of its job: finished, or to be run again. A thrown error counts as a failed attempt. */
export type Outcome =
  | { done: true }
  /** Again after `inMs`; `isFailure` counts towards the last attempt. */
  | { done: false; inMs: number; isFailure: boolean; reason: string }

export type Handler = (job: Job, signal: JobSignal) => Promise<Outcome>

interface JobSignal {
  /** True once the worker is asked to stop or has lost the job: the handler ends at its next safe place. */
  isStopping(): boolean
}

export interface WorkerOptions {
  database: Database
  handlers: Readonly<Record<string, Handler>>
  /** Jobs that run at the same time in this process. */
  concurrency: number
  onError(error: unknown, job: Job | null): void
}

export interface Worker {
  /** Claims nothing more and waits for running jobs, 20 s at most; what is not finished by then is given back. */
  stop(): Promise<void>
}

const LEASE_MS = 60_000
const HEARTBEAT_MS = 15_000
const POLL_MS = 1_000
const STOP_MS = 20_000
/** After this many failed attempts a job is set aside for a human. */
export const MAX_ATTEMPTS = 8

/** Runs jobs until stopped: a notification wakes it, a poll each second is the truth, a heartbeat keeps its leases. */
export function startWorker(options: WorkerOptions): Worker {
  const { database, handlers, concurrency, onError } = options
  const id = randomUUID()
  const kinds = Object.keys(handlers)
  const running = new Map<string, { job: Job; done: Promise<void>; lost: boolean }>()
  let isStopping = false
  let claiming: Promise<void> = Promise.resolve()

  const claim = async (): Promise<void> => {
    while (!isStopping && running.size < concurrency) {
      const jobs = await claimOrNone(database, id, kinds, concurrency - running.size)
      if (jobs.length === 0) return
      for (const job of jobs) {
        const entry = { job, lost: false, done: Promise.resolve() }
        running.set(job.id, entry)
        entry.done = work(job, { isStopping: () => isStopping || entry.lost }).finally(() => {
          running.delete(job.id)
          wake()
        })
      }
    }
  }

  const work = async (job: Job, signal: JobSignal): Promise<void> => {
    try {
      const handler = handlers[job.kind]
      if (!handler) throw new Error(`no handler for ${job.kind}`)
      await settle(job, await handler(job, signal))
    } catch (error) {
      onError(error, job)
      await settle(job, { done: false, inMs: backoffMs(job.attempts), isFailure: true, reason: String(error).slice(0, 500) }).catch(
        (failure: unknown) => onError(failure, job),
      )
    }
  }

  const settle = async (job: Job, outcome: Outcome): Promise<void> => {
    if (outcome.done) await finishJobs(database, id, [job.id])
    else if (outcome.isFailure && job.attempts >= MAX_ATTEMPTS) await buryJob(database, id, job.id, outcome.reason)
    else await returnJob(database, id, job.id, outcome.inMs, outcome.isFailure ? job.attempts : job.attempts - 1, outcome.reason)
  }

  const beat = async (): Promise<void> => {
    await freeExpired(database)
    const ids = [...running.keys()]
    if (ids.length === 0) return
    const kept = new Set(await extendLeases(database, id, ids, LEASE_MS))
    for (const [jobId, entry] of running) if (ids.includes(jobId) && !kept.has(jobId)) entry.lost = true
  }

  const wake = (): void => {
    claiming = claiming.then(claim).catch((error: unknown) => onError(error, null))
  }
  const wakeup: Wakeup = startWakeup(database, 'jobs', POLL_MS, wake, (error) => onError(error, null))
  const heartbeat = setInterval(() => void beat().catch((error: unknown) => onError(error, null)), HEARTBEAT_MS)
  heartbeat.unref()

  return {
    stop: async () => {
      isStopping = true
      clearInterval(heartbeat)
      await wakeup.stop()
      await claiming
      const finished = Promise.allSettled([...running.values()].map((entry) => entry.done))
      const timer = new AbortController()
      await Promise.race([finished, delayed(STOP_MS, timer.signal)])
      timer.abort()
      for (const { job } of [...running.values()]) await returnJob(database, id, job.id, 0, job.attempts - 1, 'the worker stopped')
    },
  }
}

/** Doubles from 2 s to 15 min, with full jitter. */
export function backoffMs(attempt: number, random = Math.random()): number {
  return Math.ceil(random * Math.min(15 * 60_000, 2_000 * 2 ** attempt)) + 500
}

/** Two workers that reach for one key meet at a unique index; the second finds nothing this time. */
async function claimOrNone(database: Database, worker: string, kinds: string[], limit: number): Promise<Job[]> {
  try {
    return await claimJobs(database, worker, kinds, limit, LEASE_MS)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '23505') return []
    throw error
  }
}

function delayed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
