import { SourceError } from '../../connectors/contract/contract.ts'
import { SourcePaused } from '../../connectors/contract/gate.ts'
import type { Outcome } from '../../jobs/worker.ts'
import { backoffMs, MAX_ATTEMPTS, retryMs } from '../../jobs/worker.ts'
import type { IssuedAs } from '../../model/events.ts'
import { isLegalMove, Status, type StatusCode, statusName } from '../../model/statuses.ts'
import { type FaultCode, type ToldFault, tellFault } from '../../model/texts/told.ts'
import { writeFault, writeTrouble } from '../../store/connections/connection-faults.ts'
import { type Connection, findConnection, lockConnection, scheduleUpdate } from '../../store/connections/connections.ts'
import { abandonRuns, closeRun, findRunningRun, type RunReason } from '../../store/connections/sync-runs.ts'
import { type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import { issuedAs, raiseEvent } from '../connection/events.ts'
import { moveStatus } from '../connection/status.ts'
import { alarmWaitMs, raiseClientAlarm } from '../credentials/credentials-alarm.ts'
import type { SyncDeps } from '../deps.ts'
import { findService } from '../sources/catalogue.ts'
import { sourceOf } from '../sources/source-keys.ts'
import { GoneAtSource } from './fetch-page.ts'
import { RunOvertaken, tellEnd } from './run.ts'
import { nextRefreshHours } from './schedule.ts'
import { TooManySetAside } from './set-aside.ts'

/** From this attempt on a run begins anew when the place where it stands is gone at the source, such as an account that was closed meanwhile. */
const ANEW_WHEN_GONE = 2
/** The same for answers that cannot be read: perhaps it is the remembered place that the source does not understand any more. */
const ANEW_WHEN_BAD = 4

interface Place {
  instanceId: string
  connectionId: string
  /** Which attempt of the job failed, from 1. */
  attempt: number
  /** Why it was to be read; by the schedule when left out. */
  reason?: RunReason
}

/** Decides by the error's kind alone what happens after a failed pass. Published data stays whatever it is. */
export async function afterFailure(deps: SyncDeps, place: Place, error: unknown): Promise<Outcome> {
  if (error instanceof RunOvertaken) return { done: true }
  if (error instanceof TooManySetAside)
    return await giveUp(deps, place, Status.StructuringError, 'badData', tellFault('tooManySetAside', error.message))
  if (!(error instanceof SourceError)) {
    // Our own fault: tried again like an outage, and reported with its cause.
    deps.log.error({ connectionId: place.connectionId, attempt: place.attempt, err: error }, 'sync failed')
    const told = tellFault('internal', 'the sync failed inside Countinghouse')
    if (place.attempt >= MAX_ATTEMPTS) return await giveUp(deps, place, Status.StructuringError, 'internal', told)
    return await again(deps, place, told, retryMs(place.attempt))
  }
  deps.log.warn({ connectionId: place.connectionId, kind: error.kind, attempt: place.attempt }, error.message)
  if (error.isClientRefused) return await waitForOperator(deps, place, error)
  const told = faultOf(error)
  switch (error.kind) {
    case 'reconnect':
      return await giveUp(deps, place, Status.Deauthorized, error.kind, told)
    case 'rateLimited':
      return await again(deps, place, told, Math.max(1_000, error.retryAfterMs ?? backoffMs(place.attempt)), false)
    case 'unavailable':
    case 'badData':
      if (place.attempt >= MAX_ATTEMPTS) return await giveUp(deps, place, Status.LoadingError, error.kind, told)
      if (isPlaceInDoubt(error, place.attempt)) await beginAnew(deps, place)
      return await again(deps, place, told, retryMs(place.attempt))
  }
}

/** Whether asking for the same place once more would hardly give another answer. */
function isPlaceInDoubt(error: SourceError, attempt: number): boolean {
  if (error instanceof GoneAtSource) return attempt >= ANEW_WHEN_GONE
  return error.kind === 'badData' && attempt >= ANEW_WHEN_BAD
}

/** The next attempt asks for the lists from their beginning. */
async function beginAnew(deps: SyncDeps, place: Place): Promise<void> {
  await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, place.instanceId, place.connectionId)
    if (connection) await abandonRuns(db, place.instanceId, place.connectionId)
  })
}

/** No connection is broken by the operator's keys: its job waits. */
async function waitForOperator(deps: SyncDeps, place: Place, error: SourceError): Promise<Outcome> {
  const connection = await findConnection(deps.database, place.instanceId, place.connectionId)
  const source = connection && deps.sources.get(connection.connectorKey)
  if (source) await raiseClientAlarm(deps, await sourceOf(deps, source, connection), error)
  return await again(deps, place, tellFault('keysRefused', error.message), alarmWaitMs(error), false)
}

/** The connection says what it waits for, so that nobody has to guess why it is late. */
async function again(deps: SyncDeps, place: Place, told: ToldFault, inMs: number, isFailure = true): Promise<Outcome> {
  await writeTrouble(deps.database, place.instanceId, place.connectionId, told, inMs)
  return { done: false, inMs, isFailure, reason: told.text }
}

const CODES: Record<SourceError['kind'], FaultCode> = {
  reconnect: 'accessWithdrawn',
  rateLimited: 'sourceLimited',
  unavailable: 'sourceUnavailable',
  badData: 'badData',
}

/** A failure at the source as it is told of a connection. */
export function faultOf(error: SourceError): ToldFault {
  if (error.isClientRefused) return tellFault('keysRefused', error.message)
  if (error instanceof SourcePaused && error.isDown) return tellFault('sourceUnavailable', error.message)
  return tellFault(error.reason ?? CODES[error.kind], error.message)
}

/** Ends the run, sets the fault status, tells subscribers, and leaves the next try to the schedule (or to the owner). */
async function giveUp(deps: SyncDeps, place: Place, status: StatusCode, kind: string, told: ToldFault): Promise<Outcome> {
  const ended = await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, place.instanceId, place.connectionId)
    if (!connection || !isLegalMove(connection.status, status)) return null
    const run = await findRunningRun(db, place.instanceId, place.connectionId)
    if (run) await closeRun(db, run, { state: 'failed', errorKind: kind, error: told.text })
    await moveStatus(db, connection, status, told)
    await writeFault(db, connection.instanceId, connection.id, told)
    await scheduleUpdate(db, connection.instanceId, connection.id, nextRefreshHours(connection, await databaseTime(db)))
    await raiseError(deps, db, connection, run?.id ?? `${status}/${connection.credentialsGeneration}`, {
      fault: told.code,
      issuedAs: issuedAs(run?.reason ?? place.reason ?? 'schedule'),
    })
    await deps.crashPoint?.('before-failure-commit')
    return run && { run, category: connection.category }
  })
  if (ended) tellEnd(deps, ended.category, ended.run, 'failed')
  return { done: true }
}

async function raiseError(
  deps: SyncDeps,
  db: Db,
  connection: Connection,
  cause: string,
  why: { fault: FaultCode; issuedAs: IssuedAs },
): Promise<void> {
  const service = await findService(deps, db, connection.instanceId, connection.serviceId)
  const state = { code: connection.status, message: statusName(connection.status) }
  await raiseEvent(db, 'Error', connection, service?.name ?? '', cause, { ...state, ...why })
}
