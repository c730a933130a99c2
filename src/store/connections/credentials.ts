import type { Db } from '../db/database.ts'
import { CONNECTION_COLUMNS, type Connection } from './connections.ts'

/** Sealed secrets of a connection with the generation that orders them. */
export interface SealedCredentials {
  sealed: Uint8Array
  generation: number
  /** Earliest time of a refresh. */
  refreshAt: Date | null
  /** Backoff after a failed refresh: milliseconds until the next is allowed; 0 when it is. */
  refreshInMs: number
  /** Consecutive failed refreshes. */
  refreshFailures: number
}

/** Credentials as received from the source, sealed for their row. */
export interface FreshCredentials {
  sealed: Uint8Array
  /** By the source's clock. */
  issuedAt: Date
  expiresAt: Date | null
  refreshAt: Date | null
}

/** Key of one credentials generation of one connection. */
export interface CredentialsGenerationKey {
  instanceId: string
  connectionId: string
  generation: number
}

export async function findCredentials(db: Db, instanceId: string, connectionId: string): Promise<SealedCredentials | null> {
  const { rows } = await db.query<Omit<SealedCredentials, 'sealed'> & { sealed: Uint8Array | null }>(
    `select credentials as sealed, credentials_generation as generation, credentials_refresh_at as "refreshAt",
       refresh_failures as "refreshFailures",
       greatest(0, coalesce(ceil(extract(epoch from refresh_not_before - clock_timestamp()) * 1000), 0))::float8 as "refreshInMs"
     from connections where instance_id = $1 and id = $2`,
    [instanceId, connectionId],
  )
  const row = rows[0]
  return row?.sealed ? { ...row, sealed: row.sealed } : null
}

/**
 * Locks connections of an instance that have credentials or stored versions until the transaction ends: the first ones
 * whose id comes after `after`, in this order.
 */
export async function lockConnectionsWithCredentials(db: Db, instanceId: string, after: string, limit: number): Promise<Connection[]> {
  const { rows } = await db.query<Connection>(
    `select ${CONNECTION_COLUMNS} from connections c where instance_id = $1 and id > $2 and (credentials is not null
       or exists (select from credential_versions v where v.instance_id = $1 and v.connection_id = c.id)) order by id limit $3 for update of c`,
    [instanceId, after, limit],
  )
  return rows
}

/** Credentials in use of several connections of an instance; connections without any are left out. */
export async function listCredentials(
  db: Db,
  instanceId: string,
  connectionIds: readonly string[],
): Promise<(Pick<SealedCredentials, 'sealed' | 'generation'> & { connectionId: string })[]> {
  const { rows } = await db.query<{ connectionId: string; sealed: Uint8Array; generation: number }>(
    `select id as "connectionId", credentials as sealed, credentials_generation as generation
     from connections where instance_id = $1 and id = any($2) and credentials is not null`,
    [instanceId, connectionIds],
  )
  return rows
}

/**
 * Puts the next generation into use and ends the refresh. With `owner` null the caller holds the lock of the
 * connection's row; an owner that lost the lease, or whose generation is not current, changes nothing. Returns false
 * then, and when the connection has ended.
 */
export async function writeRefreshed(
  db: Db,
  key: CredentialsGenerationKey,
  owner: string | null,
  fresh: FreshCredentials,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update connections set credentials = $5, credentials_issued_at = $6, credentials_expires_at = $7, credentials_refresh_at = $8,
       credentials_generation = credentials_generation + 1, refresh_owner = null, refresh_lease_until = null, refresh_started_at = null,
       refresh_failures = 0, refresh_not_before = null
     where instance_id = $1 and id = $2 and credentials_generation = $3 and status <> 26 and ($4::uuid is null or refresh_owner = $4)`,
    [key.instanceId, key.connectionId, key.generation, owner, fresh.sealed, fresh.issuedAt, fresh.expiresAt, fresh.refreshAt],
  )
  return rowCount === 1
}

/** Shreds all credentials of connections, including stored versions. */
export async function shredCredentials(db: Db, instanceId: string, connectionIds: readonly string[]): Promise<void> {
  await db.query(
    `update connections set credentials = null, credentials_issued_at = null, credentials_expires_at = null, credentials_refresh_at = null,
       credentials_generation = credentials_generation + 1, refresh_owner = null, refresh_lease_until = null, refresh_started_at = null,
       refresh_not_before = null, reference = null where instance_id = $1 and id = any($2)`,
    [instanceId, connectionIds],
  )
  await db.query('delete from credential_versions where instance_id = $1 and connection_id = any($2)', [instanceId, connectionIds])
}

export interface IdleCredentials {
  instanceId: string
  connectionId: string
  connectorKey: string
}

/**
 * Active connections whose credentials have not been renewed for the given number of days, by connector; longest ago
 * first. For a source that is not enabled, only those made with own keys of their instance.
 */
export async function listIdleCredentials(
  db: Db,
  idle: readonly { connectorKey: string; days: number; isEnabled: boolean }[],
  limit: number,
): Promise<IdleCredentials[]> {
  const { rows } = await db.query<IdleCredentials>(
    // NOTE under row-level security no index condition may compute from other rows, so the instants are computed first.
    `with idle as materialized (
       select connector_key, is_enabled, statement_timestamp() - make_interval(secs => days * 86400) as before
       from unnest($1::text[], $2::float8[], $4::boolean[]) as of (connector_key, days, is_enabled))
     select c.instance_id as "instanceId", c.id as "connectionId", c.connector_key as "connectorKey"
     from idle cross join lateral (
       select o.instance_id, o.id, o.connector_key, o.credentials_issued_at from connections o
       where o.connector_key = idle.connector_key and (idle.is_enabled or o.source_keys_id is not null)
         and o.credentials is not null and o.status not in (6, 7, 8, 20, 26) and o.resume_status is distinct from 8
         and o.credentials_issued_at < idle.before
       order by o.credentials_issued_at limit $3) c`,
    [idle.map(({ connectorKey }) => connectorKey), idle.map(({ days }) => days), limit, idle.map(({ isEnabled }) => isEnabled)],
  )
  return rows
}
