import type { JobSignal } from '../../jobs/running-job.ts'
import { backoffMs, MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { StorageRefused, VersionKept } from '../../object-storage/s3-object.ts'
import { inTransaction } from '../../store/db/database.ts'
import {
  beginUpload,
  type Delivery,
  type DeliveryKey,
  findDelivery,
  queueAbort,
  queueErasures,
  queueRemoval,
  writeDeliveryState,
  writeUpload,
} from '../../store/exports/deliveries.ts'
import { type Destination, findDestination } from '../../store/exports/destinations.ts'
import { type Export, findExport } from '../../store/exports/exports.ts'
import type { Job } from '../../store/jobs/jobs.ts'
import type { CrashPoints } from '../context/groups.ts'
import { readExportFile } from './export-file.ts'
import { type DestinationContext, openObject } from './open-object.ts'
import { type DeliveredObject, NO_SUCH_UPLOAD } from './stored-object.ts'

/** S3 accepts parts of at least 5 MiB, and at most 10,000. */
const PART_BYTES = 16 * 1024 * 1024
/** Attempts of an upload, which a person waits for; a deletion gets all attempts of a job, over nearly two hours. */
const ATTEMPTS = 5
/** Wait before the next check for the file. */
const WAIT_MS = 5_000

export interface DeliveryContext extends DestinationContext, CrashPoints {
  /** Default 16 MiB. */
  partBytes?: number
}

/** Delivery job: uploads the file in parts, and resumes after the last part that the storage has. */
export async function deliverExport(deps: DeliveryContext, job: Job, signal: JobSignal): Promise<Outcome> {
  const { database } = deps
  const at = toDeliveryKey(job)
  const [made, delivery] = [await findExport(database, at), await findDelivery(database, at)]
  const destination = await findDestination(database, { instanceId: at.instanceId, id: at.destinationId })
  if (!made || !destination || delivery?.destinationId !== at.destinationId) return { done: true }
  if (made.endedAt === null) return { done: false, inMs: WAIT_MS, isFailure: false, reason: 'the file is being written' }
  if (made.state !== 'completed') return await endWithout(deps, made, at)
  if (delivery.state !== 'waiting' && delivery.state !== 'failed') return { done: true }
  try {
    const isEnded = await withObject(deps, destination, delivery.objectKey, async (object) => {
      return !(await beginUpload(database, at)) || (await upload(deps, made, delivery, object, signal))
    })
    if (isEnded) return { done: true }
    return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    if (error.code === NO_SUCH_UPLOAD) await writeUpload(database, at, { uploadId: null, etags: [] })
    const isLast = job.attempts >= ATTEMPTS
    // First upload without any accepted part: nothing can exist at the destination.
    const presence = delivery.presence === 'none' && error.isCertain ? 'none' : null
    await writeDeliveryState(database, at, { state: isLast ? 'failed' : 'waiting', error: error.message, presence })
    return isLast ? { done: true } : { done: false, inMs: backoffMs(job.attempts), isFailure: true, reason: error.message }
  }
}

function toDeliveryKey({ instanceId, payload }: Job): DeliveryKey {
  return { instanceId, id: String(payload.exportId), destinationId: String(payload.destinationId) }
}

/**
 * Export without a file. If its data was erased while a delivery was being requested, the destination is erased too.
 */
async function endWithout({ database }: DeliveryContext, { state }: Export, at: DeliveryKey): Promise<Outcome> {
  const delivery = await findDelivery(database, at)
  if (state === 'failed') await writeDeliveryState(database, at, { state: 'failed', error: 'The export has failed.' })
  else if (delivery?.state === 'waiting' || delivery?.state === 'failed')
    await inTransaction(database, (db) => queueErasures(db, at.instanceId, [at.id]))
  return { done: true }
}

/** Erasure job: deletes the object of an export whose data was erased, and the parts of its upload. */
export async function eraseDelivered(deps: DeliveryContext, job: Job): Promise<Outcome> {
  const { database } = deps
  const at = toDeliveryKey(job)
  const [made, delivery] = [await findExport(database, at), await findDelivery(database, at)]
  const destination = await findDestination(database, { instanceId: at.instanceId, id: at.destinationId })
  if (made?.state !== 'erased' || !destination || delivery?.destinationId !== at.destinationId) return { done: true }
  const unfinished = delivery.state === 'delivered' ? null : delivery.uploadId
  try {
    if (unfinished !== null || delivery.presence !== 'none') {
      await withObject(deps, destination, delivery.objectKey, async (object) => {
        if (unfinished !== null) await object.abort(unfinished)
        if (delivery.presence !== 'none') await object.remove()
      })
    }
    await writeDeliveryState(database, at, { state: 'erased' })
    return { done: true }
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    const isLast = job.attempts >= MAX_ATTEMPTS || error instanceof VersionKept
    await writeDeliveryState(database, at, { state: isLast ? 'unreached' : delivery.state, error: error.message })
    return isLast ? { done: true } : { done: false, inMs: retryMs(job.attempts), isFailure: true, reason: error.message }
  }
}

/** Job that aborts the upload of a deleted delivery; if all attempts fail, the parts stay. */
export async function abortUpload(deps: DeliveryContext, job: Job): Promise<Outcome> {
  return await cleanUp(deps, job, (object) => object.abort(String(job.payload.uploadId)))
}

/**
 * Job that deletes the object of a deleted delivery; if all attempts fail, the object stays. An object that is being
 * delivered there again stays too.
 */
export async function removeDelivered(deps: DeliveryContext, job: Job): Promise<Outcome> {
  const at = toDeliveryKey(job)
  const delivery = await findDelivery(deps.database, at)
  if (delivery?.destinationId === at.destinationId && delivery.state !== 'erased' && delivery.state !== 'unreached') return { done: true }
  return await cleanUp(deps, job, (object) => object.remove())
}

async function cleanUp(
  deps: DeliveryContext,
  { instanceId, payload, attempts }: Job,
  act: (object: DeliveredObject) => Promise<void>,
): Promise<Outcome> {
  const destination = await findDestination(deps.database, { instanceId, id: String(payload.destinationId) })
  if (!destination) return { done: true }
  try {
    await withObject(deps, destination, String(payload.objectKey), act)
    return { done: true }
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    if (error instanceof VersionKept) return { done: true }
    return { done: false, inMs: retryMs(attempts), isFailure: true, reason: error.message }
  }
}

/** Opens the object while `act` runs. Throws `StorageRefused`. */
async function withObject<T>(
  deps: DeliveryContext,
  destination: Destination,
  objectKey: string,
  act: (object: DeliveredObject) => Promise<T>,
): Promise<T> {
  const object = openObject(deps, destination, objectKey)
  try {
    return await act(object)
  } finally {
    object.close()
  }
}

/** False when stopped before the end. Leaves nothing behind if the delivery was deleted meanwhile. */
async function upload(
  deps: DeliveryContext,
  made: Export,
  { destinationId, objectKey, uploadId, etags, presence }: Delivery,
  object: DeliveredObject,
  signal: JobSignal,
): Promise<boolean> {
  const { database, partBytes: size = PART_BYTES } = deps
  const at = { instanceId: made.instanceId, id: made.id, destinationId }
  if (made.bytes <= size) {
    await object.put(await readPart(deps, made, 0, made.bytes))
  } else {
    const sent = [...etags]
    const id = uploadId ?? (await object.begin())
    const isKept = async () => {
      if (await writeUpload(database, at, { uploadId: id, etags: sent })) return true
      await queueAbort(database, at, { objectKey, uploadId: id })
      return false
    }
    if (uploadId === null && !(await isKept())) return true
    for (let start = sent.length * size; start < made.bytes; start += size) {
      if (signal.isStopping()) return false
      const part = await readPart(deps, made, start, Math.min(made.bytes, start + size))
      sent.push(await object.putPart(id, { number: sent.length + 1, start }, part))
      if (!(await isKept())) return true
      signal.advance(sent.length)
      await deps.crashPoint?.('after-export-part')
    }
    await object.finish(id, sent, made.bytes)
  }
  if (await writeDeliveryState(database, at, { state: 'delivered', presence: 'there' })) return true
  // An object that was delivered stays with the customer if only the export is deleted.
  if (presence !== 'there' || (await findDelivery(database, made)) !== null) await queueRemoval(database, at, objectKey)
  return true
}

async function readPart(deps: DeliveryContext, made: Export, start: number, end: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of readExportFile({ database: deps.database, sealer: deps.sealer }, made, start, end)) pieces.push(piece)
  return Buffer.concat(pieces)
}
