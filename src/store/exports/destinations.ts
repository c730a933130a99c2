import type { Db } from '../db/database.ts'
import { CLEANING_JOBS, DELIVER_JOB } from './deliveries.ts'

export interface DestinationKey {
  instanceId: string
  id: string
}

/** Bucket of an object storage that speaks S3. */
export interface Destination extends DestinationKey {
  name: string
  /** Origin of the storage; the bucket is the first part of the path. */
  endpoint: string
  region: string
  bucket: string
  /** Before the names of objects; empty, or with a slash at its end. */
  prefix: string
  accessKeyId: string
  secret: Uint8Array
  createdAt: Date
}

const COLUMNS = `instance_id as "instanceId", id, name, endpoint, region, bucket, prefix, access_key_id as "accessKeyId", secret, created_at as "createdAt"`

/** False when the instance has `most` of them. */
export async function insertDestination(db: Db, destination: Omit<Destination, 'createdAt'>, most: number): Promise<boolean> {
  const { instanceId, id, name, endpoint, region, bucket, prefix, accessKeyId, secret } = destination
  const { rowCount } = await db.query(
    `insert into export_destinations (instance_id, id, name, endpoint, region, bucket, prefix, access_key_id, secret)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9 where (select count(*) from export_destinations where instance_id = $1) < $10`,
    [instanceId, id, name, endpoint, region, bucket, prefix, accessKeyId, secret, most],
  )
  return rowCount === 1
}

export async function findDestination(db: Db, { instanceId, id }: DestinationKey): Promise<Destination | null> {
  const { rows } = await db.query<Destination>(`select ${COLUMNS} from export_destinations where instance_id = $1 and id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Oldest first. */
export async function listDestinations(db: Db, instanceId: string): Promise<Destination[]> {
  const { rows } = await db.query<Destination>(
    `select ${COLUMNS} from export_destinations where instance_id = $1 order by created_at, id`,
    [instanceId],
  )
  return rows
}

/**
 * Deletes a destination with the deliveries to it, in the caller's transaction. Refused (`busy`) while a file
 * is uploaded there, or something is to be deleted: objects, or parts of an upload. Nothing else has its key.
 */
export async function deleteDestination(db: Db, { instanceId, id }: DestinationKey): Promise<'deleted' | 'unknown' | 'busy'> {
  const values = [instanceId, id]
  // A statement of its own: after the locks nothing is queued that the next one does not see.
  await db.query('select from export_destinations where instance_id = $1 and id = $2 for update', values)
  await db.query('select from export_deliveries where instance_id = $1 and destination_id = $2 order by export_id for update', values)
  const { rows } = await db.query<{ isBusy: boolean }>(
    `select exists (select from export_deliveries where instance_id = $1 and destination_id = $2 and state in ('waiting', 'failed')
         and (upload_id is not null or presence = 'unknown'))
       or exists (select from jobs where instance_id = $1 and payload->>'destinationId' = $2::text
         and (state = 'running' and kind = $3 or state in ('ready', 'running') and kind = any ($4))) as "isBusy"`,
    [...values, DELIVER_JOB, CLEANING_JOBS],
  )
  if (rows[0]?.isBusy) return 'busy'
  const { rowCount } = await db.query('delete from export_destinations where instance_id = $1 and id = $2', values)
  return rowCount === 1 ? 'deleted' : 'unknown'
}
