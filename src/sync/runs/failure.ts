import { SourceError } from '../../connectors/contract/contract.ts'
import { SourcePaused } from '../../connectors/contract/rate-limiter.ts'
import { backoffMs, MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { isLegalTransition, Status, type StatusCode } from '../../model/statuses.ts'
import { type FaultCode, type FaultMessage, faultMessage } from '../../model/texts/status-messages.ts'
import { writeFault, writeTrouble } from '../../store/connections/connection-faults.ts'
import { findConnection, lockConnection } from '../../store/connections/connections.ts'
import { abandonRuns, closeRun, lockRunningRun, type RunReason } from '../../store/connections/sync-runs.ts'
import { type Database, type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import { scheduleUpdate } from '../../store/schedules/refresh-schedules.ts'
import { issuedAs, raiseFault } from '../connection/events.ts'
import { moveStatus } from '../connection/status.ts'
import type { Catalogue, CrashPoints, Logging, Publishing, Store, Vault } from '../context/groups.ts'
import { alarmWaitMs, raiseClientAlarm } from '../credentials/credentials-alarm.ts'
import { sourceOfConnection } from '../sources/source-keys.ts'
import type { FailureContext } from './context.ts'
import { GoneAtSource } from './fetch-page.ts'
import { RunOvertaken, reportRunEnd } from './run.ts'
import { nextRefresh } from './schedule.ts'
import { TooManySetAside } from './set-aside.ts'

/**
 * Attempt from which a run starts over when the source answers 404 or 410 for its cursor, such as an account closed
 * since.
 */
const RESTART_WHEN_GONE = 2
/** The same for unreadable answers: perhaps the source no longer understands the cursor. */
const RESTART_WHEN_BAD = 4

interface FailedAttempt {
  instanceId: string
  connectionId: string
  /** Attempt of the job that failed, from 1. */
  attempt: number
  /** Reason of the run; default: the schedule. */
  reason?: RunReason
}

/** Error handling of a failed run, decided by the error's kind alone. Published data stays unchanged. */
export async function afterFailure(deps: FailureContext, failed: FailedAttempt, error: unknown): Promise<Outcome> {
  if (error instanceof RunOvertaken) return { done: true }
  if (error instanceof TooManySetAside)
    return await failRun(deps, failed, Status.StructuringError, 'badData', faultMessage('tooManySetAside', error.message))
  if (!(error instanceof SourceError)) {
    // Our own fault: retried like an outage, and logged with its cause.
    deps.log.error({ connectionId: failed.connectionId, attempt: failed.attempt, err: error }, 'sync failed')
    const fault = faultMessage('internal', 'the sync failed inside Countinghouse')
    if (failed.attempt >= MAX_ATTEMPTS) return await failRun(deps, failed, Status.StructuringError, 'internal', fault)
    return await retryLater(deps.database, failed, fault, retryMs(failed.attempt))
  }
  deps.log.warn({ connectionId: failed.connectionId, kind: error.kind, attempt: failed.attempt }, error.message)
  if (error.isClientRefused) return await waitForOperator(deps, failed, error)
  const fault = faultOf(error)
  switch (error.kind) {
    case 'reconnect':
      return await failRun(deps, failed, Status.Deauthorized, error.kind, fault)
    case 'rateLimited':
      return await retryLater(deps.database, failed, fault, Math.max(1_000, error.retryAfterMs ?? backoffMs(failed.attempt)), false)
    case 'unavailable':
    case 'badData':
      if (failed.attempt >= MAX_ATTEMPTS) return await failRun(deps, failed, Status.LoadingError, error.kind, fault)
      if (isCursorInDoubt(error, failed.attempt)) await restartRun(deps.database, failed)
      return await retryLater(deps.database, failed, fault, retryMs(failed.attempt))
  }
}

/** Whether repeating the request with the same cursor is unlikely to help. */
function isCursorInDoubt(error: SourceError, attempt: number): boolean {
  if (error instanceof GoneAtSource) return attempt >= RESTART_WHEN_GONE
  return error.kind === 'badData' && attempt >= RESTART_WHEN_BAD
}

/** The next attempt reads the lists from their beginning. */
async function restartRun(database: Database, failed: FailedAttempt): Promise<void> {
  await inTransaction(database, async (db) => {
    const connection = await lockConnection(db, failed.instanceId, failed.connectionId)
    if (connection) await abandonRuns(db, connection)
  })
}

/** The operator's keys break no connection: the job waits. */
async function waitForOperator(deps: Store & Vault & Catalogue & Logging, failed: FailedAttempt, error: SourceError): Promise<Outcome> {
  const connection = await findConnection(deps.database, failed.instanceId, failed.connectionId)
  const source = connection && deps.sources.get(connection.connectorKey)
  if (source) await raiseClientAlarm(deps, await sourceOfConnection(deps, source, connection), error)
  return await retryLater(deps.database, failed, faultMessage('keysRefused', error.message), alarmWaitMs(error), false)
}

/** Records on the connection what it waits for and until when. */
async function retryLater(db: Db, failed: FailedAttempt, fault: FaultMessage, inMs: number, isFailure = true): Promise<Outcome> {
  await writeTrouble(db, failed.instanceId, failed.connectionId, fault, inMs)
  return { done: false, inMs, isFailure, reason: fault.text }
}

const CODES: Record<SourceError['kind'], FaultCode> = {
  reconnect: 'accessWithdrawn',
  rateLimited: 'sourceLimited',
  unavailable: 'sourceUnavailable',
  badData: 'badData',
}

/** Status message for an error of the source. */
export function faultOf(error: SourceError): FaultMessage {
  if (error.isClientRefused) return faultMessage('keysRefused', error.message)
  if (error instanceof SourcePaused && error.isDown) return faultMessage('sourceUnavailable', error.message)
  return faultMessage(error.reason ?? CODES[error.kind], error.message)
}

/**
 * Ends the run, sets the fault status, raises the event, and leaves the next attempt to the schedule (or the owner).
 */
async function failRun(
  deps: Store & Catalogue & Publishing & CrashPoints,
  failed: FailedAttempt,
  status: StatusCode,
  kind: string,
  fault: FaultMessage,
): Promise<Outcome> {
  const ended = await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, failed.instanceId, failed.connectionId)
    if (!connection || !isLegalTransition(connection.status, status)) return null
    const run = await lockRunningRun(db, connection)
    if (run) await closeRun(db, run, { state: 'failed', errorKind: kind, error: fault.text })
    await moveStatus(db, connection, status, fault)
    await writeFault(db, connection.instanceId, connection.id, fault)
    await scheduleUpdate(db, connection, nextRefresh(connection, await databaseTime(db)))
    await raiseFault(db, deps.sources, connection, run?.id ?? `${status}/${connection.credentialsGeneration}`, {
      status,
      fault: fault.code,
      issuedAs: issuedAs((run?.reason === 'reconnect' ? failed.reason : run?.reason) ?? failed.reason ?? 'schedule'),
    })
    await deps.crashPoint?.('before-failure-commit')
    return run && { run, category: connection.category }
  })
  if (ended) reportRunEnd(deps, ended.category, ended.run, 'failed')
  return { done: true }
}
