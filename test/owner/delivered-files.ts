import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/store/db/database.ts'

/** A file of a company's records at one service, delivered to a bucket, whose deletion is in this state; returns its id. */
export async function deliverFile(
  db: Db,
  of: { instanceId: string; companyId: string; serviceId: string },
  { name, state, error = null }: { name: string; state: string; error?: string | null },
): Promise<string> {
  const [destinationId, exportId] = [randomUUID(), randomUUID()]
  await db.query(
    `insert into export_destinations (instance_id, id, kind, name, endpoint, region, bucket, prefix, access_key_id, secret)
     values ($1, $2, 's3', $3, 'https://s3.example', 'r', 'b', '', 'AK', '')`,
    [of.instanceId, destinationId, name],
  )
  await db.query(
    `insert into exports (instance_id, id, category, entity, format, state, requested_by) values ($1, $2, 'Banking', 'Accounts', 'csv', 'erased', 'x')`,
    [of.instanceId, exportId],
  )
  await db.query(
    `insert into export_parts (instance_id, export_id, part, company_id, service_id, published_at, records) values ($1, $2, 0, $3, $4, now(), 1)`,
    [of.instanceId, exportId, of.companyId, of.serviceId],
  )
  await db.query(
    `insert into export_deliveries (instance_id, export_id, destination_id, object_key, presence, state, error) values ($1, $2, $3, 'k', 'there', $4, $5)`,
    [of.instanceId, exportId, destinationId, state, error],
  )
  return exportId
}

/** Queues the job that deletes a delivered file. */
export async function queueDeletion(db: Db, exportId: string): Promise<void> {
  await db.query(
    `insert into jobs (instance_id, kind, key, payload) select instance_id, 'eraseDelivered', 'delivery/' || export_id || '/' || destination_id,
       jsonb_build_object('exportId', export_id, 'destinationId', destination_id) from export_deliveries where export_id = $1`,
    [exportId],
  )
}
