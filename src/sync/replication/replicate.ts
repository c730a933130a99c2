import { randomUUID } from 'node:crypto'
import { openPostgres, PostgresRefused } from '../../egress/postgres.ts'
import { MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { LostPosition, readChanges } from '../../store/changes/read-changes.ts'
import {
  claimDueReplications,
  deleteReplication,
  findReplication,
  type Given,
  hasDueReplications,
  type Replication,
  rewindReplication,
  writeCurrent,
  writeFailure,
  writeNext,
} from '../../store/changes/replications.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { EMPTY_REPLICA_JOB } from '../../store/exports/deliveries.ts'
import { type DestinationKey, type DestinationOf, findDestination } from '../../store/exports/destinations.ts'
import { ensureJob, type Job } from '../../store/jobs/jobs.ts'
import type { CrashPoints, Logging, Store, Vault } from '../context/groups.ts'
import { openDestinationSecret } from '../exports/open-object.ts'
import { toBatch } from './batch.ts'
import { emptyTarget, markCurrent, prepareTarget, type Target, TargetMoved, type TargetState, writeStep } from './target.ts'

export const REPLICATE_JOB = 'replicate'
/** Interval between two reads of the feed. */
const EVERY_MS = 60_000
const LONGEST_WAIT_MS = 3_600_000
/** Records per transaction in the target. */
const BATCH_RECORDS = 5_000
const DUE = 500
const EVERYTHING = { companyId: null, entity: null }

export interface ReplicationContext extends Store, Vault, Logging, CrashPoints {
  /** Whether databases may be on loopback and private addresses. */
  allowPrivate: boolean
  /** Default 5,000. */
  batchRecords?: number
}

/** Queues every due replication; safe in any process at any time. */
export async function queueDueReplications(database: Database): Promise<void> {
  if (!(await hasDueReplications(database))) return
  await inTransaction(database, async (db) => {
    for (const { instanceId, id } of await claimDueReplications(db, EVERY_MS, DUE))
      await ensureJob(db, { instanceId, kind: REPLICATE_JOB, key: `${REPLICATE_JOB}/${id}`, payload: { destinationId: id } })
  })
}

/**
 * Replication job: brings the target up to date, resuming after the last transaction committed there, whichever process
 * was killed. A failure is shown at the destination and retried as long as the destination exists.
 */
export async function replicate(deps: ReplicationContext, job: Job, isStopping: () => boolean): Promise<Outcome> {
  const key = { instanceId: job.instanceId, id: String(job.payload.destinationId) }
  const destination = await findDestination(deps.database, key)
  const replication = await findReplication(deps.database, key)
  if (destination?.kind !== 'postgres' || !replication) return { done: true }
  try {
    return await withTarget(deps, destination, async (open) => {
      if (await bringUpToDate(deps, open, replication, isStopping)) return { done: true }
      return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped, or the replication begins again' }
    })
  } catch (error) {
    if (!(error instanceof PostgresRefused)) throw error
    deps.log.warn({ destinationId: key.id, reason: error.message }, 'replication interrupted')
    await writeFailure(
      deps.database,
      replication,
      error.message,
      Math.min(LONGEST_WAIT_MS, EVERY_MS * 2 ** Math.min(replication.failures, 6)),
    )
    return { done: true }
  }
}

interface OpenTarget {
  db: Awaited<ReturnType<typeof openPostgres>>
  target: Target
}

async function withTarget<T>(
  deps: ReplicationContext,
  destination: DestinationOf<'postgres'>,
  work: (open: OpenTarget) => Promise<T>,
): Promise<T> {
  const password = openDestinationSecret(deps, destination, (message) => new PostgresRefused(message))
  deps.hide(password)
  const db = await openPostgres(destination, password, deps.allowPrivate)
  try {
    return await work({ db, target: { destinationId: destination.id, schema: destination.schema } })
  } finally {
    await db.close()
  }
}

/** False if it was stopped, or restarts with the next run. */
async function bringUpToDate(
  deps: ReplicationContext,
  { db, target }: OpenTarget,
  replication: Replication,
  isStopping: () => boolean,
): Promise<boolean> {
  const { database, batchRecords = BATCH_RECORDS } = deps
  const { instanceId, pass } = replication
  const state = await prepareTarget(db, target)
  let given = findGiven(replication, state)
  if (given === null) return await beginAgain(deps, replication)
  for (;;) {
    if (isStopping()) return false
    const page = await readChanges(database, instanceId, given.position, EVERYTHING, batchRecords).catch((error: unknown) => {
      if (error instanceof LostPosition) return null
      throw error
    })
    if (page === null) return await beginAgain(deps, replication)
    const isSweep = (given.position?.isStarting ?? true) && !page.next.isStarting
    const isNothing = page.items.length === 0 && !isSweep && !page.hasMore && given.token !== null
    if (!isNothing) {
      const next: Given = { token: randomUUID(), position: page.next }
      if (!(await writeNext(database, replication, given, next))) return false
      await deps.crashPoint?.('before-replicated-commit')
      const step = { batch: toBatch(page.items), pass, before: state.token, token: next.token ?? '', isSweep, isCurrent: !page.hasMore }
      try {
        await writeStep(db, target, step)
      } catch (error) {
        if (error instanceof TargetMoved) return false
        throw error
      }
      await deps.crashPoint?.('after-replicated-commit')
      state.token = next.token
      given = next
    }
    if (page.hasMore) continue
    if (isNothing) await markCurrent(db, target)
    await writeCurrent(database, replication, given)
    return true
  }
}

/**
 * Position of the feed that the target's token stands for; null if the token is unknown, as after a restore of the
 * target's backup.
 */
function findGiven({ token, position, nextToken, nextPosition }: Replication, state: TargetState): Given | null {
  if (state.token !== null && state.token === nextToken) return { token: nextToken, position: nextPosition }
  if (state.token !== null && state.token === token) return { token, position }
  // New or rewound: continues from here whatever the target contains. From a later position only if the target contains
  // everything before it.
  if (token === null && (position === null || state.token !== null)) return { token: null, position }
  return null
}

async function beginAgain({ database, log }: ReplicationContext, replication: Replication): Promise<false> {
  const { instanceId, destinationId } = replication
  log.info({ destinationId }, 'replication begins again')
  await rewindReplication(database, { instanceId, id: destinationId }, null)
  return false
}

/** Job of an erased instance: deletes all replicated rows, and the replication; if all attempts fail, both stay. */
export async function emptyReplica(deps: ReplicationContext, job: Job): Promise<Outcome> {
  const key: DestinationKey = { instanceId: job.instanceId, id: String(job.payload.destinationId) }
  const destination = await findDestination(deps.database, key)
  if (destination?.kind !== 'postgres') return { done: true }
  try {
    await withTarget(deps, destination, ({ db, target }) => emptyTarget(db, target))
    await deleteReplication(deps.database, key)
    return { done: true }
  } catch (error) {
    if (!(error instanceof PostgresRefused)) throw error
    const isLast = job.attempts >= MAX_ATTEMPTS
    deps.log.warn(
      { kind: EMPTY_REPLICA_JOB, destinationId: key.id, reason: error.message, isLast },
      'rows at a destination were not deleted',
    )
    const replication = await findReplication(deps.database, key)
    if (replication) await writeFailure(deps.database, replication, error.message, LONGEST_WAIT_MS)
    return isLast ? { done: true } : { done: false, inMs: retryMs(job.attempts), isFailure: true, reason: error.message }
  }
}
