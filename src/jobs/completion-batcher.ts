import type { Database } from '../store/db/database.ts'
import { type ClaimedJob, completeJobs } from '../store/jobs/jobs.ts'

export interface CompletionBatcher {
  /** Resolves when the job is out of the queue. */
  complete(job: ClaimedJob): Promise<void>
}

/** Removes finished jobs together: what finishes while one statement is under way goes into the next. */
export function createCompletionBatcher(database: Database, worker: string): CompletionBatcher {
  let waiting: { job: ClaimedJob; resolve(): void; reject(error: unknown): void }[] = []
  let isBusy = false

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await completeJobs(
          database,
          worker,
          batch.map(({ job }) => job),
        )
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isBusy = false
  }

  return {
    complete: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject })
        if (isBusy) return
        isBusy = true
        // Everything else that finishes in this turn of the loop comes along.
        setImmediate(() => void flush())
      }),
  }
}
