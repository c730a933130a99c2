import { MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { closeRun, findRunningRun } from '../../store/connections/sync-runs.ts'
import { inTransaction } from '../../store/db/database.ts'
import { findWaitingPart, finishPart } from '../../store/records/replays.ts'
import type { SyncDeps } from '../deps.ts'
import { RunOvertaken } from '../runs/run.ts'
import { TooManySetAside } from '../runs/set-aside.ts'
import { ConnectionBusy, replayPart } from './replay-part.ts'

const BUSY_MS = 5_000
const OVERTAKEN_MS = 500

interface Place {
  instanceId: string
  connectionId: string
  /** Which attempt of the job it is, from 1. */
  attempt: number
  isStopping(): boolean
}

/** Works off one request to replay a connection, the oldest; says whether to come again. */
export async function workOnReplay(deps: SyncDeps, place: Place): Promise<Outcome> {
  const part = await findWaitingPart(deps.database, place.instanceId, place.connectionId)
  if (!part) return { done: true }
  try {
    await replayPart(deps, part, place.isStopping)
    return again(0, 'there may be another request')
  } catch (error) {
    if (place.isStopping()) return again(0, 'the worker stopped')
    if (error instanceof ConnectionBusy) return again(BUSY_MS, error.message)
    if (error instanceof RunOvertaken) return again(OVERTAKEN_MS, error.message)
    const isRefused = error instanceof TooManySetAside
    if (!isRefused) deps.log.error({ connectionId: place.connectionId, attempt: place.attempt, err: error }, 'replay failed')
    if (!isRefused && place.attempt < MAX_ATTEMPTS) {
      return { done: false, inMs: retryMs(place.attempt), isFailure: true, reason: 'the replay failed' }
    }
    await giveUp(deps, place, part, isRefused ? error.message : 'the replay failed inside Countinghouse')
    return again(0, 'there may be another request')
  }
}

function again(inMs: number, reason: string): Outcome {
  return { done: false, inMs, isFailure: false, reason }
}

/** Published data stays as it is. */
async function giveUp(deps: SyncDeps, place: Place, part: Parameters<typeof finishPart>[1], message: string): Promise<void> {
  await inTransaction(deps.database, async (db) => {
    const run = await findRunningRun(db, place.instanceId, place.connectionId)
    if (run?.reason === 'replay') await closeRun(db, run, { state: 'failed', errorKind: 'badData', error: message })
    await finishPart(db, part, 'failed', message)
  })
}
