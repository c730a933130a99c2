import { randomUUID } from 'node:crypto'
import { scrub } from '../model/scrub.ts'
import type { Database } from '../store/db/database.ts'
import {
  claimJobs,
  type DeadJobSummary,
  extendLeases,
  type Job,
  type Lane,
  markJobDead,
  requeueExpiredJobs,
  requeueJob,
} from '../store/jobs/jobs.ts'
import { removeWorker, reportWorker } from '../store/jobs/workers.ts'
import { createCompletionBatcher } from './completion-batcher.ts'
import { nextLaneCursor } from './round-robin.ts'
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
  /** Told of each job that was set aside for a human. */
  onDeadJob?(job: DeadJobSummary): void
  /** The product's own when left out. */
  pace?: Partial<Pace>
}

interface Pace {
  leaseMs: number
  heartbeatMs: number
  pollMs: number
  /** How long a stop waits for what is running. */
  stopMs: number
}

export interface Worker {
  /** Claims nothing more and waits for running jobs, 15 s at most; what is not finished by then is given back. */
  stop(): Promise<void>
}

/** A stop leaves five of its twenty seconds for the rest of the process. */
const PACE: Pace = { leaseMs: 60_000, heartbeatMs: 15_000, pollMs: 1_000, stopMs: 15_000 }
/** More in one claim makes nothing faster. */
const CLAIM_LIMIT = 200
/** Of all slots there are, one instance and one provider hold no more than this: there is always room for another. */
const MAX_SHARE = 0.75
/** After this many failed attempts a job is set aside for a human. */
export const MAX_ATTEMPTS = 8

interface Running {
  job: Job
  done: Promise<void>
  /** By this process' own steady clock; past it another worker may have the job. */
  leaseEndsAt: number
}

/** Runs jobs until stopped: a notification wakes it, a poll each second is the truth, a heartbeat keeps its leases. */
export function startWorker(options: WorkerOptions): Worker {
  const { database, handlers, concurrency, onError } = options
  const pace = { ...PACE, ...options.pace }
  const id = randomUUID()
  const kinds = Object.keys(handlers)
  const running = new Map<string, Running>()
  const completions = createCompletionBatcher(database, id)
  let isStopping = false
  let isWanted = false
  let claiming: Promise<void> | null = null
  let sendingHeartbeat: Promise<void> | null = null
  let slots = concurrency
  let after: Lane | null = null

  const claim = async (): Promise<void> => {
    while (!isStopping && running.size < concurrency) {
      isWanted = false
      const leaseEndsAt = performance.now() + pace.leaseMs
      const limit = Math.min(CLAIM_LIMIT, concurrency - running.size)
      const cap = Math.max(1, Math.floor(MAX_SHARE * slots))
      const jobs = await claimJobs(database, { worker: id, kinds, limit, leaseMs: pace.leaseMs, after, cap })
      after = nextLaneCursor(jobs, after)
      // What a claim brings that was under way at the stop goes back unseen.
      for (const job of jobs) {
        if (isStopping) await giveBack(job)
        else run(job, leaseEndsAt)
      }
      if (jobs.length === 0 && !isWanted) return
    }
  }

  const run = (job: Job, leaseEndsAt: number): void => {
    const entry: Running = { job, leaseEndsAt, done: Promise.resolve() }
    running.set(job.id, entry)
    entry.done = work(job, { isStopping: () => isStopping || performance.now() > entry.leaseEndsAt }).finally(() => {
      running.delete(job.id)
      wake()
    })
  }

  const work = async (job: Job, signal: JobSignal): Promise<void> => {
    try {
      const handler = handlers[job.kind]
      if (!handler) throw new Error(`no handler for ${job.kind}`)
      await settle(job, await handler(job, signal))
    } catch (error) {
      onError(error, job)
      const reason = scrub(String(error)).slice(0, 500)
      await settle(job, { done: false, inMs: retryMs(job.attempts), isFailure: true, reason }).catch((failure: unknown) =>
        onError(failure, job),
      )
    }
  }

  const giveBack = (job: Job): Promise<void> => requeueJob(database, id, job, 0, job.attempts - 1, 'the worker stopped')

  const settle = async (job: Job, outcome: Outcome): Promise<void> => {
    if (outcome.done) return await completions.complete(job)
    if (outcome.isFailure && job.attempts >= MAX_ATTEMPTS) {
      const died = await markJobDead(database, id, job, outcome.reason)
      if (died) options.onDeadJob?.(died)
    } else {
      await requeueJob(database, id, job, outcome.inMs, outcome.isFailure ? job.attempts : job.attempts - 1, outcome.reason)
    }
  }

  const sendHeartbeat = async (): Promise<void> => {
    slots = await reportWorker(database, id, concurrency)
    const { died } = await requeueExpiredJobs(database, MAX_ATTEMPTS)
    for (const job of died) options.onDeadJob?.(job)
    const claimed = [...running.values()].map(({ job }) => job)
    if (claimed.length === 0) return
    const leaseEndsAt = performance.now() + pace.leaseMs
    const stillClaimed = new Set(await extendLeases(database, id, claimed, pace.leaseMs))
    for (const job of claimed) {
      const entry = running.get(job.id)
      if (entry) entry.leaseEndsAt = stillClaimed.has(job.id) ? leaseEndsAt : Number.NEGATIVE_INFINITY
    }
  }

  const startHeartbeat = (): void => {
    sendingHeartbeat ??= sendHeartbeat()
      .catch((error: unknown) => onError(error, null))
      .finally(() => {
        sendingHeartbeat = null
      })
  }

  const wake = (): void => {
    isWanted = true
    if (claiming || isStopping) return
    claiming = claim()
      .catch((error: unknown) => onError(error, null))
      .finally(() => {
        claiming = null
        if (isWanted && running.size < concurrency) wake()
      })
  }

  startHeartbeat()
  const heartbeat = setInterval(startHeartbeat, pace.heartbeatMs)
  const wakeup: Wakeup = startWakeup(database, 'jobs', pace.pollMs, wake, (error) => onError(error, null))

  return {
    stop: async () => {
      isStopping = true
      await wakeup.stop()
      await claiming
      const finished = Promise.allSettled([...running.values()].map((entry) => entry.done))
      const timer = new AbortController()
      // Leases go on being prolonged meanwhile.
      await Promise.race([finished, delayed(pace.stopMs, timer.signal)])
      timer.abort()
      clearInterval(heartbeat)
      await sendingHeartbeat
      for (const { job } of [...running.values()]) await giveBack(job)
      await removeWorker(database, id)
    },
  }
}

/** A blip is over in seconds, maintenance in an hour: the first three attempts follow quickly, those after them over nearly two hours. */
const QUICK_ATTEMPTS = 3
const LATER_WAITS_MS = [5, 15, 30, 60].map((minutes) => minutes * 60_000)

/** How long to wait after a failed attempt (from 1), give or take a fifth. */
export function retryMs(attempt: number, random = Math.random()): number {
  const laterMs = LATER_WAITS_MS[Math.min(attempt - 1 - QUICK_ATTEMPTS, LATER_WAITS_MS.length - 1)]
  return laterMs === undefined ? backoffMs(attempt, random) : Math.ceil(laterMs * (0.8 + 0.4 * random))
}

/** Doubles from 2 s to 15 min, with full jitter. */
export function backoffMs(attempt: number, random = Math.random()): number {
  return Math.ceil(random * Math.min(15 * 60_000, 2_000 * 2 ** attempt)) + 500
}

function delayed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
