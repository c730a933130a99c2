import { randomUUID } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { enqueueJob, resetAttempts } from '../jobs/jobs.ts'

/** Key of an export. */
export interface ExportKey {
  instanceId: string
  id: string
}

/** `erased`: the object was deleted with its data; `unreached`: the storage did not let us delete it. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'erased', 'unreached'] as const

/** Delivery of a file to a destination. */
export interface Delivery {
  exportId: string
  destinationId: string
  objectKey: string
  state: (typeof DELIVERY_STATES)[number]
  uploadId: string | null
  /** Of the parts that the storage has, in their order. */
  etags: string[]
  error: string | null
}

const COLUMNS = `export_id as "exportId", destination_id as "destinationId", object_key as "objectKey", state, upload_id as "uploadId", etags, error`

export const DELIVER_JOB = 'deliverExport'

/** Job that aborts an upload whose delivery is gone. */
export const ABORT_JOB = 'abortUpload'

function deliveryKey(id: string): string {
  return `${DELIVER_JOB}/${id}`
}

function queueDelivery(db: Db, { instanceId, id }: ExportKey): Promise<void> {
  return enqueueJob(db, { instanceId, kind: DELIVER_JOB, key: deliveryKey(id), payload: { exportId: id } })
}

/** SQL: the object of an erased export `e` is still to be deleted. Exports and destinations stay until it is. */
export const IS_BEING_ERASED = `e.state = 'erased' and (exists (select from jobs j where j.kind = '${DELIVER_JOB}' and j.key = '${DELIVER_JOB}/' || e.id and j.state = 'ready')
  or exists (select from jobs j where j.key = '${DELIVER_JOB}/' || e.id and j.state = 'running'))`

/**
 * Begins a delivery and queues it. One to the same destination that is not finished goes on; any other begins anew.
 * False when the file is delivered to another destination, or has been: its object would no longer be known.
 */
export async function beginDelivery(db: Db, key: ExportKey, destinationId: string, objectKey: string): Promise<boolean> {
  // In the order of those who delete them, before the delivery.
  await db.query('select from exports where instance_id = $1 and id = $2 for key share', [key.instanceId, key.id])
  await db.query('select from export_destinations where instance_id = $1 and id = $2 for key share', [key.instanceId, destinationId])
  await queueAborts(db, key, destinationId)
  const { rowCount } = await db.query(
    `insert into export_deliveries as d (instance_id, export_id, destination_id, object_key) values ($1, $2, $3, $4)
     on conflict (instance_id, export_id) do update set state = 'waiting', error = null, destination_id = excluded.destination_id,
       object_key = excluded.object_key,
       upload_id = case when d.destination_id = excluded.destination_id and d.state in ('waiting', 'failed') then d.upload_id end,
       etags = case when d.destination_id = excluded.destination_id and d.state in ('waiting', 'failed') then d.etags else '{}' end
     where d.destination_id = excluded.destination_id or d.state = 'failed'`,
    [key.instanceId, key.id, destinationId, objectKey],
  )
  if (rowCount !== 1) return false
  await queueDelivery(db, key)
  return true
}

/**
 * Queues the end of an unfinished upload whose delivery is about to go: parts that are left are paid for and hold data.
 * Of one that begins anew at `next` only where it failed elsewhere.
 */
export async function queueAborts(db: Db, { instanceId, id }: ExportKey, next: string | null = null): Promise<void> {
  const { rows } = await db.query<{ uploadId: string; destinationId: string; objectKey: string }>(
    `select upload_id as "uploadId", destination_id as "destinationId", object_key as "objectKey" from export_deliveries
     where instance_id = $1 and export_id = $2 and upload_id is not null
       and (state = 'failed' and destination_id is distinct from $3::uuid or state = 'waiting' and $3::uuid is null) for update`,
    [instanceId, id, next],
  )
  for (const upload of rows) {
    await enqueueJob(db, { instanceId, kind: ABORT_JOB, key: `${ABORT_JOB}/${randomUUID()}`, payload: { ...upload } })
  }
}

export async function findDelivery(db: Db, { instanceId, id }: ExportKey): Promise<Delivery | null> {
  const { rows } = await db.query<Delivery>(`select ${COLUMNS} from export_deliveries where instance_id = $1 and export_id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Notes an upload and its parts; `uploadId` null begins anew. False when the delivery is gone. */
export async function writeUpload(
  db: Db,
  { instanceId, id }: ExportKey,
  { uploadId, etags }: Pick<Delivery, 'uploadId' | 'etags'>,
): Promise<boolean> {
  const { rowCount } = await db.query('update export_deliveries set upload_id = $3, etags = $4 where instance_id = $1 and export_id = $2', [
    instanceId,
    id,
    uploadId,
    etags,
  ])
  return rowCount === 1
}

export async function writeDeliveryState(
  db: Db,
  { instanceId, id }: ExportKey,
  state: Delivery['state'],
  error: string | null,
): Promise<void> {
  await db.query('update export_deliveries set state = $3, error = $4 where instance_id = $1 and export_id = $2', [
    instanceId,
    id,
    state,
    error,
  ])
}

/** Queues the deletion of objects whose data was erased, in the caller's transaction. */
export async function queueErasures(db: Db, instanceId: string, exportIds: readonly string[]): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'select export_id as id from export_deliveries where instance_id = $1 and export_id = any($2) order by export_id for update',
    [instanceId, exportIds],
  )
  for (const { id } of rows) {
    await queueDelivery(db, { instanceId, id })
    // Those of an upload that failed are not those of the deletion.
    await resetAttempts(db, DELIVER_JOB, deliveryKey(id))
  }
}
