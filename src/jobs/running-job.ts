import type { Job } from '../store/jobs/jobs.ts'

export interface JobSignal {
  /** True once the worker is stopping or paused, or has lost the job: the handler returns at its next safe point. */
  isStopping(): boolean
  /**
   * Reports how far the job has got, such as the pages of its run, as a number that a resumed attempt goes on from. Farther than
   * any attempt before, and the failures until now no longer count: `attempts` of the job becomes 1.
   */
  advance(position: number): void
}

/** Job that a worker runs. */
export class RunningJob {
  readonly job: Job
  done: Promise<void> = Promise.resolve()
  /** By this process' monotonic clock; after that another worker may have the job. */
  leaseEndsAt: number

  constructor(job: Job, leaseEndsAt: number) {
    this.job = job
    this.leaseEndsAt = leaseEndsAt
  }

  advance(position: number): void {
    if (position <= this.job.furthest) return
    this.job.furthest = position
    this.job.attempts = 1
  }
}
