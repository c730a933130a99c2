import type { Db } from '../db/database.ts'
import type { CredentialsGenerationKey, FreshCredentials } from './credentials.ts'

export interface CredentialVersion extends FreshCredentials {
  id: string
  /** Generation that the refresh started from. */
  baseGeneration: number
}

/** Credentials in use, as far as they decide between versions. */
export interface CredentialsInUse {
  generation: number
  issuedAt: Date | null
  /** Generation of the owner's latest authorization. */
  grantedGeneration: number
}

/** Stores refreshed credentials of the generation `key`; idempotent. False when the connection has ended. */
export async function saveVersion(db: Db, key: CredentialsGenerationKey, id: string, fresh: FreshCredentials): Promise<boolean> {
  const { rowCount } = await db.query(
    `with active as (select 1 from connections where instance_id = $1 and id = $2 and status <> 26),
       kept as (insert into credential_versions (instance_id, connection_id, id, base_generation, issued_at, expires_at, refresh_at, sealed)
         select $1, $2, $3, $4, $5, $6, $7, $8 from active on conflict do nothing)
     select 1 from active`,
    [key.instanceId, key.connectionId, id, key.generation, fresh.issuedAt, fresh.expiresAt, fresh.refreshAt, fresh.sealed],
  )
  return rowCount === 1
}

/** Newest first, by the clock of the source. */
export async function listVersions(db: Db, instanceId: string, connectionId: string): Promise<CredentialVersion[]> {
  const { rows } = await db.query<CredentialVersion>(
    `select id, base_generation as "baseGeneration", issued_at as "issuedAt", expires_at as "expiresAt", refresh_at as "refreshAt", sealed
     from credential_versions where instance_id = $1 and connection_id = $2 order by issued_at desc, stored_at desc`,
    [instanceId, connectionId],
  )
  return rows
}

/** Those of the connections that have stored versions. */
export async function listConnectionsWithVersions(db: Db, instanceId: string, connectionIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select distinct connection_id as id from credential_versions where instance_id = $1 and connection_id = any($2)',
    [instanceId, connectionIds],
  )
  return rows.map(({ id }) => id)
}

/** Shreds the versions of an instance whose connections are gone: stored while they were deleted. */
export async function shredLeftVersions(db: Db, instanceId: string): Promise<void> {
  await db.query(
    `delete from credential_versions v where instance_id = $1
     and not exists (select from connections c where c.instance_id = $1 and c.id = v.connection_id)`,
    [instanceId],
  )
}

/** Shreds versions up to `upTo`; all when null. */
export async function shredVersions(db: Db, instanceId: string, connectionId: string, upTo: Date | null): Promise<void> {
  await db.query(
    'delete from credential_versions where instance_id = $1 and connection_id = $2 and ($3::timestamptz is null or issued_at <= $3)',
    [instanceId, connectionId, upTo],
  )
}

/** Locks the credentials until the transaction ends; null when the connection has ended or is gone. */
export async function lockCredentialsInUse(db: Db, instanceId: string, connectionId: string): Promise<CredentialsInUse | null> {
  const { rows } = await db.query<CredentialsInUse>(
    `select credentials_generation as generation, credentials_issued_at as "issuedAt", granted_generation as "grantedGeneration"
     from connections where instance_id = $1 and id = $2 and status <> 26 for update`,
    [instanceId, connectionId],
  )
  return rows[0] ?? null
}

/**
 * Connections with unused versions older than any refresh takes: the process that stored them died before it put them
 * into use.
 */
export async function listLeftVersions(db: Db, limit: number): Promise<{ instanceId: string; connectionId: string }[]> {
  const { rows } = await db.query<{ instanceId: string; connectionId: string }>(
    `select distinct instance_id as "instanceId", connection_id as "connectionId" from credential_versions
     where stored_at < statement_timestamp() - interval '1 minute' limit $1`,
    [limit],
  )
  return rows
}
