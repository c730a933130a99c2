import type { Db } from '../db/database.ts'
import { enqueueJob } from '../jobs/jobs.ts'

/** Key of an export. */
interface ExportKey {
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

function queueDelivery(db: Db, { instanceId, id }: ExportKey): Promise<void> {
  return enqueueJob(db, { instanceId, kind: DELIVER_JOB, key: `${DELIVER_JOB}/${id}`, payload: { exportId: id } })
}

/** Begins a delivery and queues it. One to the same destination that is not finished goes on; any other begins anew. */
export async function beginDelivery(db: Db, key: ExportKey, destinationId: string, objectKey: string): Promise<void> {
  await db.query(
    `insert into export_deliveries as d (instance_id, export_id, destination_id, object_key) values ($1, $2, $3, $4)
     on conflict (instance_id, export_id) do update set state = 'waiting', error = null, destination_id = excluded.destination_id,
       object_key = excluded.object_key,
       upload_id = case when d.destination_id = excluded.destination_id and d.state in ('waiting', 'failed') then d.upload_id end,
       etags = case when d.destination_id = excluded.destination_id and d.state in ('waiting', 'failed') then d.etags else '{}' end`,
    [key.instanceId, key.id, destinationId, objectKey],
  )
  await queueDelivery(db, key)
}

export async function findDelivery(db: Db, { instanceId, id }: ExportKey): Promise<Delivery | null> {
  const { rows } = await db.query<Delivery>(`select ${COLUMNS} from export_deliveries where instance_id = $1 and export_id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Notes an upload and its parts; `uploadId` null begins anew. */
export async function writeUpload(
  db: Db,
  { instanceId, id }: ExportKey,
  { uploadId, etags }: Pick<Delivery, 'uploadId' | 'etags'>,
): Promise<void> {
  await db.query('update export_deliveries set upload_id = $3, etags = $4 where instance_id = $1 and export_id = $2', [
    instanceId,
    id,
    uploadId,
    etags,
  ])
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
    'select export_id as id from export_deliveries where instance_id = $1 and export_id = any($2)',
    [instanceId, exportIds],
  )
  for (const { id } of rows) await queueDelivery(db, { instanceId, id })
}
