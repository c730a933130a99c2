import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { scrub } from '../model/scrub.ts'
import type { Database } from '../store/db/database.ts'
import { extendLeases } from '../store/jobs/held-jobs.ts'
import {
  type Claim,
  claimJobs,
  type DeadJobSummary,
  emptyClaimMemory,
  type Job,
  type Lane,
  markJobDead,
  requeueJob,
} from '../store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../store/jobs/leases.ts'
import { removeWorker } from '../store/jobs/workers.ts'
import type { Activity } from './activity.ts'
import { type CompletionBatcher, createCompletionBatcher } from './completion-batcher.ts'
import { inJobSpan } from './job-span.ts'
import { nextLaneCursor } from './round-robin.ts'
import { type JobSignal, RunningJob } from './running-job.ts'
import { startWakeup, type Wakeup } from './wakeup.ts'
import { WorkerPresence } from './worker-presence.ts'

/** Outcome of a handler: finished, or to be run again. A thrown error counts as a failed attempt. */
export type Outcome =
  | { done: true }
  /** Again after `inMs`; `isFailure` counts as a failed attempt. */
  | { done: false; inMs: number; isFailure: boolean; reason: string }

export type Handler = (job: Job, signal: JobSignal) => Promise<Outcome>

export interface WorkerOptions {
  database: Database
  handlers: Readonly<Record<string, Handler>>
  /** Slots: jobs that run concurrently in this process. */
  concurrency: number
  onError(error: unknown, job: Job | null): void
  /** While true nothing is claimed and running handlers return at their next safe point. */
  isPaused?(): boolean
  /** Called for each job set aside as dead. */
  onDeadJob?(job: DeadJobSummary): void
  /** Activity monitor, which learns of claimed jobs. */
  activity?: Activity
  /** Default: the product's own. */
  pace?: Partial<Pace>
}

interface Pace {
  leaseMs: number
  heartbeatMs: number
  pollMs: number
  /** How long a stop waits for running jobs. */
  stopMs: number
}

/** A stop leaves five of its twenty seconds for the rest of the process. */
const PACE: Pace = { leaseMs: 60_000, heartbeatMs: 15_000, pollMs: 1_000, stopMs: 15_000 }
/** Larger claims are not faster. */
const CLAIM_LIMIT = 200
/** Fairness: one instance, and one provider, gets at most this share of all slots. */
const MAX_SHARE = 0.75
/** Failed attempts after which a job is set aside as dead. */
export const MAX_ATTEMPTS = 8

/** Starts a worker, which claims jobs at once. */
export function startWorker(options: WorkerOptions): JobWorker {
  const worker = new JobWorker(options)
  worker.start()
  return worker
}

/**
 * Job worker. NOTIFY is a hint, correctness comes from polling, each second or less often at rest; a heartbeat, silent
 * at rest, extends its leases.
 */
export class JobWorker {
  readonly #options: WorkerOptions
  readonly #pace: Pace
  readonly #id = randomUUID()
  readonly #claimer: Pick<Claim, 'worker' | 'kinds' | 'memory'>
  readonly #completions: CompletionBatcher
  readonly #running = new Map<string, RunningJob>()
  readonly #presence: WorkerPresence = new WorkerPresence(this.#id)
  #wakeup: Wakeup | null = null
  #heartbeatTimer: NodeJS.Timeout | undefined
  #isStopping = false
  /** There may be jobs that no claim has seen yet. */
  #isWanted = false
  #claiming: Promise<void> | null = null
  #sendingHeartbeat: Promise<void> | null = null
  /** Slots of all workers together, from the last heartbeat. */
  #slots: number
  /** Round-robin cursor of the claims. */
  #after: Lane | null = null

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#pace = { ...PACE, ...options.pace }
    this.#claimer = { worker: this.#id, kinds: Object.keys(options.handlers), memory: emptyClaimMemory() }
    this.#completions = createCompletionBatcher(options.database, this.#id)
    this.#slots = options.concurrency
  }

  start(): void {
    this.#beat()
    this.#heartbeatTimer = setInterval(() => this.#beat(), this.#pace.heartbeatMs)
    this.#wakeup = startWakeup(
      this.#options.database,
      { channel: 'jobs', pollMs: this.#pace.pollMs, activity: this.#options.activity, session: this.#presence },
      () => this.#wake(),
      (error) => this.#options.onError(error, null),
    )
  }

  /** Graceful stop: claims nothing more and waits up to 15 s for running jobs; unfinished jobs are requeued. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#wakeup?.stop()
    await this.#claiming
    const finished = Promise.allSettled([...this.#running.values()].map((entry) => entry.done))
    const timer = new AbortController()
    // Leases are still extended during this wait.
    await Promise.race([finished, wait(this.#pace.stopMs, undefined, { signal: timer.signal })])
    timer.abort()
    clearInterval(this.#heartbeatTimer)
    await this.#sendingHeartbeat
    for (const { job } of [...this.#running.values()]) await this.#giveBack(job)
    await removeWorker(this.#options.database, this.#id)
  }

  /** Whether nothing may begin: the worker stops, or the deployment is paused. */
  #isIdle(): boolean {
    return this.#isStopping || (this.#options.isPaused?.() ?? false)
  }

  #wake(): void {
    this.#isWanted = true
    if (this.#claiming || this.#isIdle()) return
    this.#claiming = this.#claim()
      .catch((error: unknown) => this.#options.onError(error, null))
      .finally(() => {
        this.#claiming = null
        if (this.#isWanted && this.#running.size < this.#options.concurrency) this.#wake()
      })
  }

  async #claim(): Promise<void> {
    const { database, concurrency } = this.#options
    const { leaseMs } = this.#pace
    while (!this.#isIdle() && this.#running.size < concurrency) {
      this.#isWanted = false
      const leaseEndsAt = performance.now() + leaseMs
      const limit = Math.min(CLAIM_LIMIT, concurrency - this.#running.size)
      const cap = Math.max(1, Math.floor(MAX_SHARE * this.#slots))
      const jobs = await claimJobs(database, { ...this.#claimer, limit, leaseMs, after: this.#after, cap })
      this.#after = nextLaneCursor(jobs, this.#after)
      if (jobs.length > 0) this.#options.activity?.sawWork()
      // Jobs of a claim that was in flight at the stop are requeued unrun.
      for (const job of jobs) {
        if (this.#isIdle()) await this.#giveBack(job)
        else this.#run(job, leaseEndsAt)
      }
      if (jobs.length === 0 && !this.#isWanted) return
    }
  }

  #run(job: Job, leaseEndsAt: number): void {
    const entry = new RunningJob(job, leaseEndsAt)
    this.#running.set(job.id, entry)
    const signal: JobSignal = {
      isStopping: () => this.#isIdle() || performance.now() > entry.leaseEndsAt,
      advance: (position) => entry.advance(position),
    }
    entry.done = this.#work(job, signal).finally(() => {
      this.#running.delete(job.id)
      this.#wake()
    })
  }

  async #work(job: Job, signal: JobSignal): Promise<void> {
    const { handlers, onError } = this.#options
    try {
      const handler = handlers[job.kind]
      if (!handler) throw new Error(`no handler for ${job.kind}`)
      await this.#settle(job, await inJobSpan(job, () => handler(job, signal)))
    } catch (error) {
      onError(error, job)
      const reason = scrub(String(error)).slice(0, 500)
      await this.#settle(job, { done: false, inMs: retryMs(job.attempts), isFailure: true, reason }).catch((failure: unknown) =>
        onError(failure, job),
      )
    }
  }

  async #settle(job: Job, outcome: Outcome): Promise<void> {
    if (outcome.done) return await this.#completions.complete(job)
    const { database } = this.#options
    if (outcome.isFailure && job.attempts >= MAX_ATTEMPTS) {
      const died = await markJobDead(database, this.#id, job, outcome.reason)
      if (died) this.#options.onDeadJob?.(died)
    } else {
      const attempts = outcome.isFailure ? job.attempts : job.attempts - 1
      await requeueJob(database, this.#id, job, { ...outcome, attempts })
    }
  }

  #giveBack(job: Job): Promise<void> {
    return requeueJob(this.#options.database, this.#id, job, { inMs: 0, attempts: job.attempts - 1, reason: 'the worker stopped' })
  }

  #beat(): void {
    this.#sendingHeartbeat ??= this.#sendHeartbeat()
      .catch((error: unknown) => this.#options.onError(error, null))
      .finally(() => {
        this.#sendingHeartbeat = null
      })
  }

  async #sendHeartbeat(): Promise<void> {
    const { database, concurrency, activity } = this.#options
    this.#slots = await this.#presence.report(database, concurrency, activity?.isResting() ?? false)
    const { died } = await requeueExpiredJobs(database, MAX_ATTEMPTS)
    for (const job of died) this.#options.onDeadJob?.(job)
    const claimed = [...this.#running.values()].map(({ job }) => job)
    if (claimed.length === 0) return
    const leaseEndsAt = performance.now() + this.#pace.leaseMs
    const stillClaimed = new Set(await extendLeases(database, this.#id, claimed, this.#pace.leaseMs))
    for (const job of claimed) {
      const entry = this.#running.get(job.id)
      if (entry) entry.leaseEndsAt = stillClaimed.has(job.id) ? leaseEndsAt : Number.NEGATIVE_INFINITY
    }
  }
}

/** An outage may last seconds or an hour: the first three attempts follow quickly, the others over nearly two hours. */
const QUICK_ATTEMPTS = 3
const LATER_WAITS_MS = [5, 15, 30, 60].map((minutes) => minutes * 60_000)

/** Delay after failed attempt number `attempt` (from 1), with a jitter of a fifth. */
export function retryMs(attempt: number, random = Math.random()): number {
  const laterMs = LATER_WAITS_MS[Math.min(attempt - 1 - QUICK_ATTEMPTS, LATER_WAITS_MS.length - 1)]
  return laterMs === undefined ? backoffMs(attempt, random) : Math.ceil(laterMs * (0.8 + 0.4 * random))
}

/** Exponential backoff from 2 s to 15 min, with full jitter. */
export function backoffMs(attempt: number, random = Math.random()): number {
  return Math.ceil(random * Math.min(15 * 60_000, 2_000 * 2 ** attempt)) + 500
}
