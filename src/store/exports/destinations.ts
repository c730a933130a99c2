import type { Db } from '../db/database.ts'
import { CLEANING_JOBS, DELIVER_JOB } from './deliveries.ts'

export interface DestinationKey {
  instanceId: string
  id: string
}

/** Bucket of an S3-compatible object storage. */
export interface S3Target {
  kind: 's3'
  /** Origin of the storage; the bucket is the first path segment. */
  endpoint: string
  region: string
  bucket: string
  /** Prefix of object names; empty, or with a trailing slash. */
  prefix: string
  accessKeyId: string
}

/** Folder on an SFTP server. */
export interface SftpTarget {
  kind: 'sftp'
  host: string
  port: number
  user: string
  /** Fingerprint, `SHA256:…`. */
  hostKey: string
  /** Absolute, without a trailing slash. */
  path: string
  authentication: 'password' | 'key'
}

/** PostgreSQL schema into which the change feed is replicated. */
export interface PostgresTarget {
  kind: 'postgres'
  host: string
  port: number
  database: string
  user: string
  schema: string
  tls: 'verify' | 'off'
  /** In PEM; null: public authorities. */
  certificateAuthority: string | null
}

interface DestinationHead extends DestinationKey {
  name: string
  /** Sealed with `destinationContext`. */
  secret: Uint8Array
  createdAt: Date
}

export type DestinationTarget = S3Target | SftpTarget | PostgresTarget
export type Destination = DestinationHead & DestinationTarget
/** Destination of a kind. */
export type DestinationOf<Kind extends DestinationTarget['kind']> = DestinationHead & Extract<DestinationTarget, { kind: Kind }>

/** Seal context of the secret of a destination. */
export function destinationContext({ instanceId, id }: DestinationKey) {
  return { instanceId, table: 'export_destinations', rowId: id, column: 'secret' }
}

const COLUMNS = `instance_id as "instanceId", id, name, kind, endpoint, region, bucket, prefix, access_key_id as "accessKeyId", settings, secret, created_at as "createdAt"`

type Row = DestinationHead &
  Omit<S3Target, 'kind'> &
  ({ kind: 's3' } | { kind: 'sftp'; settings: SftpTarget } | { kind: 'postgres'; settings: PostgresTarget })

function toDestination(row: Row): Destination {
  const { instanceId, id, name, secret, createdAt } = row
  const head = { instanceId, id, name, secret, createdAt }
  if (row.kind !== 's3') return { ...head, ...row.settings }
  const { kind, endpoint, region, bucket, prefix, accessKeyId } = row
  return { ...head, kind, endpoint, region, bucket, prefix, accessKeyId }
}

/** False if the instance already has `most` destinations. */
export async function insertDestination(
  db: Db,
  { instanceId, id, name, secret }: Omit<DestinationHead, 'createdAt'>,
  target: DestinationTarget,
  most: number,
): Promise<boolean> {
  const bucket = target.kind === 's3' ? target : { endpoint: '', region: '', bucket: '', prefix: '', accessKeyId: '' }
  const { rowCount } = await db.query(
    `insert into export_destinations (instance_id, id, name, kind, endpoint, region, bucket, prefix, access_key_id, settings, secret)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 where (select count(*) from export_destinations where instance_id = $1) < $12`,
    [
      ...[instanceId, id, name, target.kind, bucket.endpoint, bucket.region, bucket.bucket, bucket.prefix, bucket.accessKeyId],
      ...[JSON.stringify(target.kind === 's3' ? {} : target), secret, most],
    ],
  )
  return rowCount === 1
}

export async function findDestination(db: Db, { instanceId, id }: DestinationKey): Promise<Destination | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from export_destinations where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ? toDestination(rows[0]) : null
}

/** Oldest first. */
export async function listDestinations(db: Db, instanceId: string): Promise<Destination[]> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from export_destinations where instance_id = $1 order by created_at, id`, [
    instanceId,
  ])
  return rows.map(toDestination)
}

/**
 * Deletes a destination with its deliveries, in the caller's transaction. Refused (`busy`) while a file is being
 * uploaded there or a deletion there is pending (objects, or parts of an upload), because only this destination has the
 * keys for it.
 */
export async function deleteDestination(db: Db, { instanceId, id }: DestinationKey): Promise<'deleted' | 'unknown' | 'busy'> {
  const values = [instanceId, id]
  // Separate statement: after the locks, nothing can be queued that it does not see.
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
