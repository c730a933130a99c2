import type { Job } from '../store/jobs/jobs.ts'

export interface JobSignal {
  /** True once the worker is stopping or paused, or has lost the job: the handler returns at its next safe point. */
  isStopping(): boolean
  /**
   * Reports progress, such as the pages of a run, as a number from which a resumed attempt continues. Progress beyond
   * all earlier attempts resets their failures: `attempts` of the job becomes 1.
   */
  advance(position: number): void
}

/** Job that a worker runs. */
export class RunningJob {
  readonly job: Job
  done: Promise<void> = Promise.resolve()
  /** By this process' monotonic clock; afterwards another worker may take the job. */
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
