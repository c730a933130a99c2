import type { JobSignal } from '../../jobs/running-job.ts'
import { MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { findConnection } from '../../store/connections/connections.ts'
import { closeRun, lockRunningRun } from '../../store/connections/sync-runs.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import type { Job } from '../../store/jobs/jobs.ts'
import { findWaitingPart, finishPart, type ReplayPart } from '../../store/records/replays.ts'
import { RunOvertaken } from '../runs/run.ts'
import { TooManySetAside } from '../runs/set-aside.ts'
import type { ReplayContext } from './context.ts'
import { ConnectionBusy, replayPart } from './replay-part.ts'

const BUSY_MS = 5_000
const OVERTAKEN_MS = 500

type ReplayJob = Pick<Job, 'instanceId' | 'payload' | 'attempts'>

/** Replay job: processes the oldest request for a connection; the outcome says whether to continue. */
export async function handleReplayJob(deps: ReplayContext, job: ReplayJob, signal: JobSignal): Promise<Outcome> {
  const connectionId = String(job.payload.connectionId)
  const part = await findWaitingPart(deps.database, job.instanceId, connectionId)
  if (!part) return { done: true }
  try {
    await replayPart(deps, part, signal)
    return retryLater(0, 'there may be another request')
  } catch (error) {
    if (signal.isStopping()) return retryLater(0, 'the worker stopped')
    if (error instanceof ConnectionBusy) return retryLater(BUSY_MS, error.message)
    if (error instanceof RunOvertaken) return retryLater(OVERTAKEN_MS, error.message)
    const isRefused = error instanceof TooManySetAside
    if (!isRefused) deps.log.error({ connectionId, attempt: job.attempts, err: error }, 'replay failed')
    if (!isRefused && job.attempts < MAX_ATTEMPTS) {
      return { done: false, inMs: retryMs(job.attempts), isFailure: true, reason: 'the replay failed' }
    }
    await failReplay(deps.database, part, isRefused ? error.message : 'the replay failed inside Countinghouse')
    return retryLater(0, 'there may be another request')
  }
}

function retryLater(inMs: number, reason: string): Outcome {
  return { done: false, inMs, isFailure: false, reason }
}

/** Published data stays unchanged. */
async function failReplay(database: Database, part: ReplayPart, message: string): Promise<void> {
  await inTransaction(database, async (db) => {
    const connection = await findConnection(db, part.instanceId, part.connectionId)
    const run = connection && (await lockRunningRun(db, connection))
    if (run?.reason === 'replay') await closeRun(db, run, { state: 'failed', errorKind: 'badData', error: message })
    await finishPart(db, part, 'failed', message)
  })
}
