import type { Egress } from '../../egress/egress.ts'
import { backoffMs, MAX_ATTEMPTS, type Outcome, retryMs } from '../../jobs/worker.ts'
import { type Delivery, findDelivery, writeDeliveryState, writeUpload } from '../../store/exports/deliveries.ts'
import { type Destination, type DestinationKey, findDestination } from '../../store/exports/destinations.ts'
import { type Export, findExport } from '../../store/exports/exports.ts'
import type { Job } from '../../store/jobs/jobs.ts'
import { type SealContext, SealError } from '../../store/keys/sealing.ts'
import type { CrashPoints, Store, Vault } from '../context/groups.ts'
import { readExportFile } from './export-file.ts'
import { openObject, StorageRefused, type StoredObject, VersionKept } from './s3-storage.ts'

/** S3 takes parts of 5 MiB and more, 10,000 at most. */
const PART_BYTES = 16 * 1024 * 1024
/** Of an upload, which somebody waits for; a deletion gets all attempts of a job, over nearly two hours. */
const ATTEMPTS = 5
/** Until the file is looked for again. */
const WAIT_MS = 5_000

export interface DeliveryContext extends Store, Vault, CrashPoints {
  egress: Egress
  /** Default 16 MiB. */
  partBytes?: number
}

export function destinationContext({ instanceId, id }: DestinationKey): SealContext {
  return { instanceId, table: 'export_destinations', rowId: id, column: 'secret' }
}

/**
 * Delivery job: uploads the file in parts, and goes on after the last part that the storage has; for an export whose
 * data was erased it deletes the object instead.
 */
export async function deliverExport(deps: DeliveryContext, job: Job, isStopping: () => boolean): Promise<Outcome> {
  const key = { instanceId: job.instanceId, id: String(job.payload.exportId) }
  const [made, delivery] = [await findExport(deps.database, key), await findDelivery(deps.database, key)]
  if (!made || !delivery) return { done: true }
  const destination = await findDestination(deps.database, { instanceId: key.instanceId, id: delivery.destinationId })
  if (!destination) return { done: true }
  if (made.endedAt === null) return { done: false, inMs: WAIT_MS, isFailure: false, reason: 'the file is being written' }
  const isErasure = made.state === 'erased'
  try {
    const object = openAt(deps, destination, delivery.objectKey)
    if (isErasure) {
      if (delivery.uploadId !== null && delivery.state !== 'delivered') await object.abort(delivery.uploadId)
      await object.remove()
      await writeDeliveryState(deps.database, key, 'erased', null)
    } else if (made.state === 'failed') {
      await writeDeliveryState(deps.database, key, 'failed', 'The export has failed.')
    } else if (delivery.state !== 'delivered') {
      if (!(await upload(deps, made, delivery, object, isStopping)))
        return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
    }
    return { done: true }
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    const wait = isErasure ? retryMs : backoffMs
    if (error.code === 'NoSuchUpload') await writeUpload(deps.database, key, { uploadId: null, etags: [] })
    const isLast = job.attempts >= (isErasure ? MAX_ATTEMPTS : ATTEMPTS) || error instanceof VersionKept
    await writeDeliveryState(deps.database, key, isLast ? (isErasure ? 'unreached' : 'failed') : delivery.state, error.message)
    return isLast ? { done: true } : { done: false, inMs: wait(job.attempts), isFailure: true, reason: error.message }
  }
}

/** Job that aborts an upload whose delivery is gone; after its attempts the parts stay. */
export async function abortUpload(deps: DeliveryContext, { instanceId, payload, attempts }: Job): Promise<Outcome> {
  const destination = await findDestination(deps.database, { instanceId, id: String(payload.destinationId) })
  if (!destination) return { done: true }
  try {
    await openAt(deps, destination, String(payload.objectKey)).abort(String(payload.uploadId))
    return { done: true }
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error
    return { done: false, inMs: retryMs(attempts), isFailure: true, reason: error.message }
  }
}

/** Throws `StorageRefused`. */
function openAt(deps: DeliveryContext, destination: Destination, objectKey: string): StoredObject {
  const secret = openSecret(deps, destination)
  deps.hide(secret)
  return openObject(deps.egress, destination, secret, objectKey)
}

function openSecret({ sealer }: DeliveryContext, destination: Destination): string {
  try {
    return Buffer.from(sealer.open(destinationContext(destination), destination.secret)).toString()
  } catch (error) {
    throw error instanceof SealError ? new StorageRefused('The key of the destination cannot be opened.', 0, '') : error
  }
}

/** False when it was stopped before the end. Of a delivery that is gone meanwhile nothing is left behind. */
async function upload(
  deps: DeliveryContext,
  made: Export,
  { uploadId, etags }: Delivery,
  object: StoredObject,
  isStopping: () => boolean,
): Promise<boolean> {
  const size = deps.partBytes ?? PART_BYTES
  if (made.bytes <= size) {
    await object.put(await readPart(deps, made, 0, made.bytes))
  } else {
    const sent = [...etags]
    const id = uploadId ?? (await object.begin())
    if (uploadId === null && !(await writeUpload(deps.database, made, { uploadId: id, etags: sent }))) return await drop(object, id)
    for (let start = sent.length * size; start < made.bytes; start += size) {
      if (isStopping()) return false
      const part = await readPart(deps, made, start, Math.min(made.bytes, start + size))
      sent.push(await object.putPart(id, sent.length + 1, part))
      if (!(await writeUpload(deps.database, made, { uploadId: id, etags: sent }))) return await drop(object, id)
      await deps.crashPoint?.('after-export-part')
    }
    await object.finish(id, sent)
  }
  await writeDeliveryState(deps.database, made, 'delivered', null)
  return true
}

async function drop(object: StoredObject, uploadId: string): Promise<true> {
  await object.abort(uploadId)
  return true
}

async function readPart(deps: DeliveryContext, made: Export, start: number, end: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of readExportFile(deps, made, start, end)) pieces.push(piece)
  return Buffer.concat(pieces)
}
