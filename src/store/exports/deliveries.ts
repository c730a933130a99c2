import { randomUUID } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { enqueueJob } from '../jobs/jobs.ts'

/** Key of an export. */
export interface ExportKey {
  instanceId: string
  id: string
}

/** Key of an export's object at a destination; jobs with one key do not run at the same time. */
export interface DeliveryKey extends ExportKey {
  destinationId: string
}

/**
 * `erased`: deleted with its data, nothing is left at the destination; `unreached`: the storage did not permit the
 * deletion.
 */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'erased', 'unreached'] as const

/** Delivery of a file to a destination. */
export interface Delivery {
  exportId: string
  destinationId: string
  objectKey: string
  state: (typeof DELIVERY_STATES)[number]
  uploadId: string | null
  /** Parts that the storage has, in order. */
  etags: string[]
  /** Whether the object is at the destination: `unknown` from the beginning of an upload until one succeeds. */
  presence: 'none' | 'unknown' | 'there'
  error: string | null
}

const COLUMNS = `export_id as "exportId", destination_id as "destinationId", object_key as "objectKey", state, upload_id as "uploadId", etags, presence, error`

export const DELIVER_JOB = 'deliverExport'

/** Job that deletes the object of an export whose data was erased. */
export const ERASE_DELIVERED_JOB = 'eraseDelivered'

/** Job that deletes an object whose delivery is gone. */
export const REMOVE_JOB = 'removeDelivered'

/** Job that aborts an upload whose delivery is gone. */
export const ABORT_JOB = 'abortUpload'

/** Job of an erased instance that deletes the rows in a destination's database. */
export const EMPTY_REPLICA_JOB = 'emptyReplica'

/** Jobs that delete something at a destination. */
export const CLEANING_JOBS = [ERASE_DELIVERED_JOB, REMOVE_JOB, ABORT_JOB, EMPTY_REPLICA_JOB]

const KEY_PREFIX = 'delivery/'

function jobKey(id: string, destinationId: string): string {
  return `${KEY_PREFIX}${id}/${destinationId}`
}

async function queue(db: Db, kind: string, { instanceId, id, destinationId }: DeliveryKey, objectKey?: string): Promise<void> {
  const payload = { exportId: id, destinationId, ...(objectKey === undefined ? {} : { objectKey }) }
  await enqueueJob(db, { instanceId, kind, key: jobKey(id, destinationId), payload })
}

/** SQL: the object of an erased export `e` still has to be deleted. Exports and destinations stay until it is. */
export const IS_BEING_ERASED = `e.state = 'erased' and exists (select from export_deliveries x where x.instance_id = e.instance_id and x.export_id = e.id
  and (exists (select from jobs j where j.kind = '${ERASE_DELIVERED_JOB}' and j.key = '${KEY_PREFIX}' || x.export_id || '/' || x.destination_id and j.state = 'ready')
    or exists (select from jobs j where j.key = '${KEY_PREFIX}' || x.export_id || '/' || x.destination_id and j.state = 'running')))`

/**
 * Begins a delivery and queues it. An unfinished one to the same destination continues; any other starts again. False
 * if the file is being or has been delivered to another destination, unless that failed: then what it left there is
 * deleted.
 */
export async function beginDelivery(db: Db, key: ExportKey, destinationId: string, objectKey: string): Promise<boolean> {
  // Locks in the same order as deletions, before the delivery.
  await db.query('select from exports where instance_id = $1 and id = $2 for key share', [key.instanceId, key.id])
  await db.query('select from export_destinations where instance_id = $1 and id = $2 for key share', [key.instanceId, destinationId])
  await queueRemains(db, key, destinationId)
  const { rowCount } = await db.query(
    `insert into export_deliveries as d (instance_id, export_id, destination_id, object_key, presence) values ($1, $2, $3, $4, 'none')
     on conflict (instance_id, export_id) do update set state = 'waiting', error = null, destination_id = excluded.destination_id,
       object_key = excluded.object_key,
       upload_id = case when d.destination_id = excluded.destination_id and d.state in ('waiting', 'failed') then d.upload_id end,
       etags = case when d.destination_id = excluded.destination_id and d.state in ('waiting', 'failed') then d.etags else '{}' end,
       -- An earlier delivery to this destination may have left an object that is still to be deleted.
       presence = case when d.destination_id = excluded.destination_id then d.presence
         when exists (select from jobs where instance_id = $1 and kind = $5 and key = $6) then 'unknown' else 'none' end
     where d.destination_id = excluded.destination_id or d.state = 'failed'`,
    [key.instanceId, key.id, destinationId, objectKey, REMOVE_JOB, jobKey(key.id, destinationId)],
  )
  if (rowCount !== 1) return false
  await queue(db, DELIVER_JOB, { ...key, destinationId })
  return true
}

/**
 * Queues the cleanup for a delivery that is about to be deleted: the parts of its upload, which cost money and contain
 * data, and an object whose presence is unknown. `next`: destination of the following delivery, after a failure
 * elsewhere.
 */
export async function queueRemains(db: Db, key: ExportKey, next: string | null = null): Promise<void> {
  const { rows } = await db.query<Delivery>(
    `select ${COLUMNS} from export_deliveries where instance_id = $1 and export_id = $2
       and (state = 'failed' and destination_id is distinct from $3::uuid or state = 'waiting' and $3::uuid is null) for update`,
    [key.instanceId, key.id, next],
  )
  for (const { destinationId, objectKey, uploadId, presence } of rows) {
    const at = { ...key, destinationId }
    if (uploadId !== null) await queueAbort(db, at, { objectKey, uploadId })
    // An object that was delivered, and is not being delivered again, stays with the customer.
    if (presence === 'unknown' || (presence === 'there' && next !== null)) await queueRemoval(db, at, objectKey)
  }
}

export async function queueAbort(
  db: Db,
  { instanceId, destinationId }: DeliveryKey,
  upload: { objectKey: string; uploadId: string },
): Promise<void> {
  await enqueueJob(db, { instanceId, kind: ABORT_JOB, key: `${ABORT_JOB}/${randomUUID()}`, payload: { destinationId, ...upload } })
}

export async function queueRemoval(db: Db, at: DeliveryKey, objectKey: string): Promise<void> {
  await queue(db, REMOVE_JOB, at, objectKey)
}

export async function findDelivery(db: Db, { instanceId, id }: ExportKey): Promise<Delivery | null> {
  const { rows } = await db.query<Delivery>(`select ${COLUMNS} from export_deliveries where instance_id = $1 and export_id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Records that an upload begins, before the first request; false if the delivery was deleted or has ended. */
export async function beginUpload(db: Db, { instanceId, id, destinationId }: DeliveryKey): Promise<boolean> {
  const { rowCount } = await db.query(
    `update export_deliveries set state = 'waiting', presence = case presence when 'there' then 'there' else 'unknown' end
     where instance_id = $1 and export_id = $2 and destination_id = $3 and state in ('waiting', 'failed')`,
    [instanceId, id, destinationId],
  )
  return rowCount === 1
}

/** Records an upload and its parts; `uploadId` null starts again. False if the delivery was deleted. */
export async function writeUpload(
  db: Db,
  { instanceId, id, destinationId }: DeliveryKey,
  { uploadId, etags }: Pick<Delivery, 'uploadId' | 'etags'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update export_deliveries set upload_id = $4, etags = $5 where instance_id = $1 and export_id = $2 and destination_id = $3',
    [instanceId, id, destinationId, uploadId, etags],
  )
  return rowCount === 1
}

/**
 * Records the result of a delivery or a deletion; `presence` is unchanged if omitted. False if the delivery was deleted
 * or has ended otherwise: a worker that lost its job does not overwrite the result of its successor.
 */
export async function writeDeliveryState(
  db: Db,
  { instanceId, id, destinationId }: DeliveryKey,
  { state, error = null, presence = null }: Pick<Delivery, 'state'> & { error?: string | null; presence?: Delivery['presence'] | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update export_deliveries set state = $4, error = $5, presence = coalesce($6, presence)
     where instance_id = $1 and export_id = $2 and destination_id = $3
       and (state in ('waiting', 'failed') or state = $4 or $4 in ('erased', 'unreached'))`,
    [instanceId, id, destinationId, state, error, presence],
  )
  return rowCount === 1
}

/** Queues the deletion of objects whose data was erased, in the caller's transaction. */
export async function queueErasures(db: Db, instanceId: string, exportIds: readonly string[]): Promise<void> {
  const { rows } = await db.query<{ id: string; destinationId: string }>(
    `select export_id as id, destination_id as "destinationId" from export_deliveries
     where instance_id = $1 and export_id = any($2) order by export_id for update`,
    [instanceId, exportIds],
  )
  for (const { id, destinationId } of rows) await queue(db, ERASE_DELIVERED_JOB, { instanceId, id, destinationId })
}

/**
 * Queues the deletion of all rows in destination databases of an instance that is being erased, in the caller's
 * transaction.
 */
export async function queueEmptying(db: Db, instanceId: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(`select id from export_destinations where instance_id = $1 and kind = 'postgres'`, [
    instanceId,
  ])
  for (const { id } of rows)
    await enqueueJob(db, { instanceId, kind: EMPTY_REPLICA_JOB, key: `${EMPTY_REPLICA_JOB}/${id}`, payload: { destinationId: id } })
}
