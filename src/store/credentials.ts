import type { Db } from './database.ts'

/** The sealed secrets of a connection with the generation that orders them. */
export interface SealedCredentials {
  sealed: Uint8Array
  generation: number
  expiresAt: Date | null
}

export async function findCredentials(db: Db, instanceId: string, connectionId: string): Promise<SealedCredentials | null> {
  const { rows } = await db.query<{ sealed: Uint8Array | null; generation: number; expiresAt: Date | null }>(
    `select credentials as sealed, credentials_generation as generation, credentials_expires_at as "expiresAt"
     from connections where instance_id = $1 and id = $2`,
    [instanceId, connectionId],
  )
  const row = rows[0]
  return row?.sealed ? { sealed: row.sealed, generation: row.generation, expiresAt: row.expiresAt } : null
}

/** Takes the right to refresh generation `generation` for 60 s of database time; false when another holds it or it is gone. */
export async function claimRefresh(db: Db, instanceId: string, connectionId: string, generation: number, owner: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update connections set refresh_owner = $4, refresh_lease_until = clock_timestamp() + interval '60 seconds'
     where instance_id = $1 and id = $2 and credentials_generation = $3 and status <> 26
       and (refresh_lease_until is null or refresh_lease_until < clock_timestamp())`,
    [instanceId, connectionId, generation, owner],
  )
  return rowCount === 1
}

export async function releaseRefresh(db: Db, instanceId: string, connectionId: string, owner: string): Promise<void> {
  await db.query(
    'update connections set refresh_owner = null, refresh_lease_until = null where instance_id = $1 and id = $2 and refresh_owner = $3',
    [instanceId, connectionId, owner],
  )
}

/**
 * Stores a fresh set as the next generation. A fresh set is never thrown away: a holder whose lease ran out still stores it as long as
 * nobody has stored a newer generation. False when somebody has, or the connection has ended.
 */
export async function writeRefreshed(
  db: Db,
  instanceId: string,
  connectionId: string,
  generation: number,
  fresh: { sealed: Uint8Array; expiresAt: Date | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update connections set credentials = $4, credentials_expires_at = $5, credentials_generation = credentials_generation + 1,
       refresh_owner = null, refresh_lease_until = null
     where instance_id = $1 and id = $2 and credentials_generation = $3 and status <> 26`,
    [instanceId, connectionId, generation, fresh.sealed, fresh.expiresAt],
  )
  return rowCount === 1
}

export async function shredCredentials(db: Db, instanceId: string, connectionId: string): Promise<void> {
  await db.query(
    `update connections set credentials = null, credentials_expires_at = null, credentials_generation = credentials_generation + 1,
       refresh_owner = null, refresh_lease_until = null, reference = null where instance_id = $1 and id = $2`,
    [instanceId, connectionId],
  )
}
