import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import type { Outcome } from '../../jobs/worker.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { shredLeftVersions } from '../../store/connections/credential-versions.ts'
import { lockConnectionsWithCredentials, shredCredentials } from '../../store/connections/credentials.ts'
import { type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import { CLEANING_JOBS, queueEmptying } from '../../store/exports/deliveries.ts'
import { eraseAllExports } from '../../store/exports/exports.ts'
import { listUnreached } from '../../store/exports/unreached.ts'
import { enqueueJob, type Job } from '../../store/jobs/jobs.ts'
import type { KeyRing } from '../../store/keys/key-ring.ts'
import type { SigningKey } from '../../store/keys/keys.ts'
import {
  addDeleted,
  addRevocations,
  addUnrevoked,
  completeErasure,
  findErasure,
  type InstanceErasure,
  insertErasure,
  noteUnreached,
} from '../../store/operators/erasures.ts'
import {
  countJobs,
  deleteInstance,
  deleteInstanceRows,
  deleteJobs,
  deleteRecordsOfConnections,
  type InstanceTable,
  listConnectionIds,
  listInstanceTables,
  type RowKey,
} from '../../store/operators/instance-rows.ts'
import { insertSuspension } from '../../store/operators/suspensions.ts'
import { countObjectsLeft } from '../../store/records/page-objects.ts'
import { eraseRecords } from '../../store/records/records.ts'
import type { Catalogue, Clock, Store, Vault } from '../context/groups.ts'
import { SYSTEM_INSTANCE_ID } from '../context/system-instance.ts'
import { queueRevocations, REVOKE } from '../credentials/revocation.ts'
import { signErasure } from './erasure-receipt.ts'

export const ERASE_INSTANCE = 'eraseInstance'
/** Connections per transaction. */
const CONNECTIONS = 100
/** Rows per transaction. */
const ROWS = 10_000
/** After this time every process knows of the suspension, and every job of the instance has stopped. */
const SETTLE_MS = 30_000
const WAIT_MS = 2_000
/** While more jobs than this are left: each repetition looks at all connections of the instance. */
const MANY_JOBS = 1_000
const LONG_WAIT_MS = 30_000
/** Objects of raw pages are removed this often (`listPeriodicTasks`). */
const OBJECTS_WAIT_MS = 30_000
/** Revocations give up after a day; objects that are left then are stated in the receipt. */
const MAX_WAIT_MS = 25 * 3_600_000

export interface ErasureContext extends Store, Vault, Clock, Catalogue {
  signing: KeyRing<SigningKey>
  /** Default: half a minute. */
  settleMs?: number
}

/**
 * Begins an erasure in the caller's transaction: suspends the instance for good. Null if an erasure has already begun.
 */
export async function requestErasure(db: Db, instance: { id: string; name: string; kind: string }): Promise<{ id: string } | null> {
  const id = randomUUID()
  const { id: instanceId, name, kind } = instance
  if (!(await insertErasure(db, { id, instanceId, name, kind }))) return null
  await insertSuspension(db, instanceId, 'It is being erased')
  await eraseAllExports(db, instanceId)
  await queueEmptying(db, instanceId)
  await enqueueJob(db, {
    instanceId: SYSTEM_INSTANCE_ID,
    kind: ERASE_INSTANCE,
    key: `${ERASE_INSTANCE}/${instanceId}`,
    payload: { erasureId: id },
  })
  return { id }
}

/**
 * Erasure job: revokes every access at its source, waits until this and the deletions at export destinations are done
 * or given up, deletes all rows of the instance in bounded transactions, waits until the objects of its raw pages are
 * removed from the storage or given up, and signs the receipt. Each step can be killed and repeated.
 */
export async function eraseInstance(deps: ErasureContext, job: Job, isStopping: () => boolean): Promise<Outcome> {
  const erasure = await findErasure(deps.database, String(job.payload.erasureId))
  if (!erasure || erasure.completedAt) return { done: true }
  await revokeAll(deps, erasure)
  const elapsedMs = (await databaseTime(deps.database)).getTime() - erasure.requestedAt.getTime()
  const waiting = await countJobs(deps.database, erasure.instanceId, [REVOKE, ...CLEANING_JOBS])
  if (elapsedMs < (deps.settleMs ?? SETTLE_MS) || (waiting > 0 && elapsedMs < MAX_WAIT_MS))
    return again('revocations, or deletions at destinations, are under way', waiting > MANY_JOBS ? LONG_WAIT_MS : WAIT_MS)
  await giveUpRevocations(deps, erasure)
  await inTransaction(deps.database, (db) => noteUnreached(db, erasure.id, () => listUnreached(db, erasure.instanceId)))
  await eraseAllRecords(deps, erasure, isStopping)
  for (const table of await listInstanceTables(deps.database)) {
    // The instance stays suspended until it is gone.
    if (table.name === 'instance_suspensions') continue
    if (!(await eraseRows(deps, erasure, table, isStopping))) return again('the worker stopped')
  }
  if (elapsedMs < MAX_WAIT_MS && (await countObjectsLeft(deps.database, erasure.instanceId)) > 0)
    return again('objects of raw pages are being removed', OBJECTS_WAIT_MS)
  await complete(deps, erasure.id)
  return { done: true }
}

/**
 * The rest was given up or lost its workers; deleted and counted together, so that a repetition counts nothing twice.
 */
async function giveUpRevocations({ database }: ErasureContext, { id, instanceId }: InstanceErasure): Promise<void> {
  await inTransaction(database, async (db) => {
    const left = await deleteJobs(db, instanceId, REVOKE)
    if (left === 0) return
    await addUnrevoked(db, instanceId, left)
    await addDeleted(db, id, 'jobs', left)
  })
}

function again(reason: string, inMs = WAIT_MS): Outcome {
  return { done: false, inMs, isFailure: false, reason }
}

/**
 * Queues the revocation of each connection's credentials and shreds them, so that a repetition continues with the rest.
 */
async function revokeAll(deps: ErasureContext, { id, instanceId }: InstanceErasure): Promise<void> {
  for (let after = FIRST_ID; ; ) {
    // In the scope of the deployment, to which the erasure belongs: shredding and counting are one transaction.
    const last = await inTransaction(deps.database, async (db) => {
      const connections = await lockConnectionsWithCredentials(db, instanceId, after, CONNECTIONS)
      if (connections.length === 0) return null
      const ids = connections.map((connection) => connection.id)
      const unreadable = await queueRevocations(db, deps, instanceId, connections)
      await shredCredentials(db, instanceId, ids)
      await addRevocations(db, id, { queued: ids.length, unreadable })
      return ids.at(-1) ?? null
    })
    if (last === null) break
    after = last
  }
  await shredLeftVersions(deps.database, instanceId)
}

/** Records first, by their own index: scanning the record table for each batch would take quadratic time. */
async function eraseAllRecords(deps: ErasureContext, erasure: InstanceErasure, isStopping: () => boolean): Promise<void> {
  const { id, instanceId } = erasure
  for (let after: string | null = null; ; ) {
    const connectionIds: string[] = await listConnectionIds(deps.database, instanceId, after, CONNECTIONS)
    for (const connectionId of connectionIds) {
      for (let deleted = ROWS; deleted === ROWS && !isStopping(); ) {
        deleted = await inTransaction(deps.database, async (db) => {
          const count = await eraseRecords(db, instanceId, connectionId, ROWS)
          if (count > 0) await addDeleted(db, id, 'record_versions', count)
          return count
        })
      }
    }
    after = connectionIds.at(-1) ?? null
    if (after === null || isStopping()) return
  }
}

/** Deletes and counts all rows of a table in bounded transactions; false if the worker stops first. */
async function eraseRows(
  deps: ErasureContext,
  erasure: InstanceErasure,
  table: InstanceTable,
  isStopping: () => boolean,
): Promise<boolean> {
  let next: RowKey | null = null
  do {
    if (isStopping()) return false
    next = await inTransaction(deps.database, (db) => eraseStep(db, erasure, table, next))
  } while (next)
  return true
}

/** Deletes and counts rows written since the table was emptied. */
async function eraseLast(db: Db, erasure: InstanceErasure, table: InstanceTable): Promise<void> {
  let next: RowKey | null = null
  do next = await eraseStep(db, erasure, table, next)
  while (next)
}

/**
 * Where the next step begins; null when nothing is left. Records that were written after `eraseAllRecords` go with their
 * connections, so that their table is not read whole.
 */
async function eraseStep(db: Db, { id, instanceId }: InstanceErasure, table: InstanceTable, after: RowKey | null): Promise<RowKey | null> {
  if (table.name === 'record_versions') return null
  const limit = table.name === 'connections' ? CONNECTIONS : ROWS
  if (table.name === 'connections') {
    const records = await deleteRecordsOfConnections(db, instanceId, limit, after)
    if (records > 0) await addDeleted(db, id, 'record_versions', records)
  }
  const { deleted, next } = await deleteInstanceRows(db, table, instanceId, limit, after)
  if (deleted > 0) await addDeleted(db, id, table.name, deleted)
  return next
}

/**
 * Deletes the last rows, including any written in the meantime, and the instance itself, and issues the receipt in one
 * transaction.
 */
async function complete(deps: ErasureContext, id: string): Promise<void> {
  await inTransaction(deps.database, async (db) => {
    const erasure = await findErasure(db, id)
    if (!erasure) return
    for (const table of await listInstanceTables(db)) await eraseLast(db, erasure, table)
    await deleteInstance(db, erasure.instanceId)
    const at = deps.now()
    const objectsLeft = await countObjectsLeft(db, erasure.instanceId)
    // With the rows that were counted just now.
    const counted = (await findErasure(db, id)) ?? erasure
    await completeErasure(db, id, await signErasure(deps, { ...counted, objectsLeft }, at), at)
    await recordChange(db, {
      instanceId: null,
      action: 'instance.erased',
      subject: `instance/${erasure.instanceId}`,
      before: { name: erasure.name },
    })
  })
}
