import type { Db } from '../db/database.ts'
import { countRows } from '../db/lists/count-rows.ts'

/** Destination at which something of an erased instance may be left. */
export interface UnreachedDestination {
  name: string
  kind: 's3' | 'sftp' | 'postgres'
  /** Address, without user and secret. */
  place: string
  /** Upper bound of the number of files, or of parts of them. */
  files: number
  /** Rows of a replicated database. */
  rows: boolean
  /** Reason of the last failure, in our own words; null before the first attempt. */
  reason: string | null
}

/** Erasure of an instance, under way or completed. */
export interface InstanceErasure {
  id: string
  instanceId: string
  name: string
  kind: string
  requestedAt: Date
  revocations: number
  unrevoked: number
  /** Rows by table. */
  deleted: Record<string, number>
  /** Destinations of exports at which something may be left; null until that is known. */
  unreached: UnreachedDestination[] | null
  completedAt: Date | null
  /** Null until it is completed. */
  receipt: string | null
}

const COLUMNS = `id, erased_id as "instanceId", name, kind, requested_at as "requestedAt", revocations, unrevoked, deleted, unreached,
  completed_at as "completedAt", receipt`

export type NewErasure = Pick<InstanceErasure, 'id' | 'instanceId' | 'name' | 'kind'>

/**
 * False when the instance is already being erased. Waiting revocations are counted, and locked until the transaction
 * ends, so that one that fails in the meantime finds the erasure.
 */
export async function insertErasure(db: Db, { id, instanceId, name, kind }: NewErasure): Promise<boolean> {
  const { rowCount } = await db.query(
    `with waiting as (select from jobs where instance_id = $2 and kind = 'revoke' for update)
     insert into instance_erasures (id, erased_id, name, kind, requested_at, revocations)
     values ($1, $2, $3, $4, clock_timestamp(), (select count(*) from waiting)) on conflict (erased_id) do nothing`,
    [id, instanceId, name, kind],
  )
  return rowCount === 1
}

export async function findErasure(db: Db, id: string): Promise<InstanceErasure | null> {
  const { rows } = await db.query<InstanceErasure>(`select ${COLUMNS} from instance_erasures where id = $1`, [id])
  return rows[0] ?? null
}

/** Newest first. */
export async function listErasures(db: Db, limit: number, offset: number): Promise<{ erasures: InstanceErasure[]; total: number }> {
  const { rows } = await db.query<InstanceErasure>(
    `select ${COLUMNS} from instance_erasures order by requested_at desc, id limit $1 offset $2`,
    [limit, offset],
  )
  return { erasures: rows, total: await countRows(db, 'from instance_erasures', []) }
}

export async function isBeingErased(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await db.query('select from instance_erasures where erased_id = $1', [instanceId])
  return rows.length > 0
}

/** Counts connections whose access is revoked, and those of them whose credentials cannot be read. */
export async function addRevocations(db: Db, id: string, { queued, unreadable }: { queued: number; unreadable: number }): Promise<void> {
  await db.query('update instance_erasures set revocations = revocations + $2, unrevoked = unrevoked + $3 where id = $1', [
    id,
    queued,
    unreadable,
  ])
}

/** Counts deleted rows, in the transaction that deletes them. */
export async function addDeleted(db: Db, id: string, table: string, count: number): Promise<void> {
  await db.query(
    `update instance_erasures set deleted = deleted || jsonb_build_object($2::text, coalesce((deleted ->> $2::text)::bigint, 0) + $3::bigint)
     where id = $1`,
    [id, table, count],
  )
}

/**
 * Counts sources at which revocation failed, if the instance is being erased. Outside the scope of the instance: the
 * row belongs to the deployment.
 */
export async function addUnrevoked(db: Db, instanceId: string, count: number): Promise<void> {
  await db.query('update instance_erasures set unrevoked = unrevoked + $2 where erased_id = $1 and completed_at is null', [
    instanceId,
    count,
  ])
}

/** Notes once, before the first row is deleted, which destinations of exports could not be reached. */
export async function noteUnreached(db: Db, id: string, list: () => Promise<UnreachedDestination[]>): Promise<void> {
  const { rowCount } = await db.query('select from instance_erasures where id = $1 and unreached is null for update', [id])
  if (rowCount === 1) await db.query('update instance_erasures set unreached = $2 where id = $1', [id, JSON.stringify(await list())])
}

export async function completeErasure(db: Db, id: string, receipt: string, at: Date): Promise<void> {
  await db.query('update instance_erasures set completed_at = $3, receipt = $2 where id = $1 and completed_at is null', [id, receipt, at])
}
