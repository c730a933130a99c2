import type { Database } from '../store/db/database.ts'
import { completeJobs } from '../store/jobs/held-jobs.ts'
import type { ClaimedJob } from '../store/jobs/jobs.ts'

export interface CompletionBatcher {
  /** Resolves when the job has left the queue. */
  complete(job: ClaimedJob): Promise<void>
}

/** Completion batcher: deletes finished jobs together; jobs that finish during one statement go into the next. */
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
        // Batches everything else that finishes in this turn of the event loop.
        setImmediate(() => void flush())
      }),
  }
}
