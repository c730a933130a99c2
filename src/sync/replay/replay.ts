import { MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { closeRun, lockRunningRun } from '../../store/connections/sync-runs.ts'
import type { Database } from '../../store/db/database.ts'
import { inTransaction } from '../../store/db/database.ts'
import { findWaitingPart, finishPart } from '../../store/records/replays.ts'
import { RunOvertaken } from '../runs/run.ts'
import { TooManySetAside } from '../runs/set-aside.ts'
import type { ReplayContext } from './context.ts'
import { ConnectionBusy, replayPart } from './replay-part.ts'

const BUSY_MS = 5_000
const OVERTAKEN_MS = 500

interface ReplayJob {
  instanceId: string
  connectionId: string
  /** Attempt of the job, from 1. */
  attempt: number
  isStopping(): boolean
}

/** Replay job: processes the oldest request for a connection; the outcome says whether to continue. */
export async function handleReplayJob(deps: ReplayContext, job: ReplayJob): Promise<Outcome> {
  const part = await findWaitingPart(deps.database, job.instanceId, job.connectionId)
  if (!part) return { done: true }
  try {
    await replayPart(deps, part, job.isStopping)
    return retryLater(0, 'there may be another request')
  } catch (error) {
    if (job.isStopping()) return retryLater(0, 'the worker stopped')
    if (error instanceof ConnectionBusy) return retryLater(BUSY_MS, error.message)
    if (error instanceof RunOvertaken) return retryLater(OVERTAKEN_MS, error.message)
    const isRefused = error instanceof TooManySetAside
    if (!isRefused) deps.log.error({ connectionId: job.connectionId, attempt: job.attempt, err: error }, 'replay failed')
    if (!isRefused && job.attempt < MAX_ATTEMPTS) {
      return { done: false, inMs: retryMs(job.attempt), isFailure: true, reason: 'the replay failed' }
    }
    await failReplay(deps.database, job, part, isRefused ? error.message : 'the replay failed inside Countinghouse')
    return retryLater(0, 'there may be another request')
  }
}

function retryLater(inMs: number, reason: string): Outcome {
  return { done: false, inMs, isFailure: false, reason }
}

/** Published data stays unchanged. */
async function failReplay(database: Database, job: ReplayJob, part: Parameters<typeof finishPart>[1], message: string): Promise<void> {
  await inTransaction(database, async (db) => {
    const run = await lockRunningRun(db, job.instanceId, job.connectionId)
    if (run?.reason === 'replay') await closeRun(db, run, { state: 'failed', errorKind: 'badData', error: message })
    await finishPart(db, part, 'failed', message)
  })
}
