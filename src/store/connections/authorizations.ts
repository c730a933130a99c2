import type { Db } from '../db/database.ts'

/** Pending authorization: an owner who is at the source. `state` and cookie are stored hashed, the memo sealed. */
export interface Authorization {
  instanceId: string
  id: string
  linkId: string
  connectionId: string
  memo: Uint8Array | null
  /** The instance's own keys that were used; null for the deployment's keys. */
  sourceKeysId: string | null
}

const COLUMNS = `instance_id as "instanceId", id, link_id as "linkId", connection_id as "connectionId", memo,
  source_keys_id as "sourceKeysId"`

export async function createAuthorization(
  db: Db,
  authorization: Authorization & { stateHash: Uint8Array; memoMatch: Uint8Array | null; lifeMinutes: number },
): Promise<void> {
  await db.query(
    `insert into authorizations (instance_id, id, link_id, connection_id, state_hash, memo, memo_match, expires_at, source_keys_id)
     values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(mins => $8), $9)
     on conflict (state_hash) do nothing`,
    [
      authorization.instanceId,
      authorization.id,
      authorization.linkId,
      authorization.connectionId,
      authorization.stateHash,
      authorization.memo,
      authorization.memoMatch,
      authorization.lifeMinutes,
      authorization.sourceKeysId,
    ],
  )
}

/** Authorization that is being completed; `isGranted`: the memo already contains the grant. */
export type Claimed = Authorization & { isGranted: boolean }

/**
 * Consumes the authorization: only the caller that gets the row may complete it. Rows claimed by a job are not
 * returned, and of those for which it has the grant only those that it has released.
 */
export async function consumeAuthorization(db: Db, stateHashes: readonly Uint8Array[]): Promise<(Claimed & { expired: boolean }) | null> {
  const { rows } = await db.query<Claimed & { expired: boolean }>(
    `delete from authorizations where state_hash = any($1::bytea[])
       and (claimed_until is null or (not is_granted and claimed_until <= statement_timestamp()))
     returning ${COLUMNS}, is_granted as "isGranted", expires_at <= statement_timestamp() as expired`,
    [stateHashes],
  )
  return rows[0] ?? null
}

/** The pending authorization; null when gone or expired. */
export async function findAuthorization(db: Db, stateHashes: readonly Uint8Array[]): Promise<Authorization | null> {
  const { rows } = await db.query<Authorization>(
    `select ${COLUMNS} from authorizations where state_hash = any($1::bytea[]) and expires_at > statement_timestamp()`,
    [stateHashes],
  )
  return rows[0] ?? null
}

/**
 * Extends a pending authorization: a webhook of the source confirmed that the owner finished, so that it must outlive
 * an outage of the source. Matched by the possible hashes of a value the webhook repeats; returns the one that is
 * stored, null for none.
 */
export async function prolongAuthorization(db: Db, memoMatches: readonly Uint8Array[], hours: number): Promise<Uint8Array | null> {
  const { rows } = await db.query<{ memoMatch: Uint8Array }>(
    `update authorizations set expires_at = greatest(expires_at, clock_timestamp() + make_interval(hours => $2))
     where memo_match = any($1::bytea[]) and expires_at > statement_timestamp() returning memo_match as "memoMatch"`,
    [memoMatches, hours],
  )
  return rows[0]?.memoMatch ?? null
}

/**
 * Claims the authorization for a job, locking the browser out for `seconds`; null when the browser was first or nothing
 * is pending. The one job of a value may re-claim what it had claimed before it was killed.
 */
export async function claimAuthorization(db: Db, memoMatch: Uint8Array, seconds: number): Promise<Claimed | null> {
  const { rows } = await db.query<Claimed>(
    `update authorizations set claimed_until = clock_timestamp() + make_interval(secs => $2)
     where memo_match = $1 and expires_at > statement_timestamp() returning ${COLUMNS}, is_granted as "isGranted"`,
    [memoMatch, seconds],
  )
  return rows[0] ?? null
}

/** Replaces the memo with the grant of the source. */
export async function saveGranted(db: Db, { instanceId, id }: Authorization, memo: Uint8Array): Promise<void> {
  await db.query('update authorizations set memo = $3, is_granted = true where instance_id = $1 and id = $2', [instanceId, id, memo])
}

/** Releases the claim, so that the browser may complete the authorization. */
export async function releaseAuthorization(db: Db, { instanceId, id }: Authorization): Promise<void> {
  await db.query('update authorizations set claimed_until = null where instance_id = $1 and id = $2', [instanceId, id])
}

export async function removeAuthorization(db: Db, { instanceId, id }: Authorization): Promise<void> {
  await db.query('delete from authorizations where instance_id = $1 and id = $2', [instanceId, id])
}

/** Deletes expired authorizations; returns their connections. */
export async function expireAuthorizations(db: Db): Promise<Pick<Authorization, 'instanceId' | 'connectionId' | 'linkId'>[]> {
  const { rows } = await db.query<Pick<Authorization, 'instanceId' | 'connectionId' | 'linkId'>>(
    `delete from authorizations where expires_at <= statement_timestamp()
     returning instance_id as "instanceId", connection_id as "connectionId", link_id as "linkId"`,
  )
  return rows
}

/**
 * Abandoned connections: the owner agreed, is not at the source, and has no usable link left. Longest waiting first.
 */
export async function listAbandoned(db: Db, limit: number): Promise<Pick<Authorization, 'instanceId' | 'connectionId'>[]> {
  const { rows } = await db.query<Pick<Authorization, 'instanceId' | 'connectionId'>>(
    `select c.instance_id as "instanceId", c.id as "connectionId" from connections c
     where c.status = 6 and c.entity_id is null
       and not exists (select from authorizations a where a.instance_id = c.instance_id and a.connection_id = c.id)
       and not exists (select from links l where l.instance_id = c.instance_id and l.company_id = c.company_id and l.service_id = c.service_id
         and l.completed_at is null and l.revoked_at is null and l.expires_at > statement_timestamp())
     order by c.created_at limit $1`,
    [limit],
  )
  return rows
}

export async function hasAuthorization(db: Db, instanceId: string, connectionId: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from authorizations where instance_id = $1 and connection_id = $2 limit 1', [
    instanceId,
    connectionId,
  ])
  return rows.length > 0
}

/** Deletes the pending authorizations of an ended connection. */
export async function abandonAuthorizations(db: Db, instanceId: string, connectionId: string): Promise<void> {
  await db.query('delete from authorizations where instance_id = $1 and connection_id = $2', [instanceId, connectionId])
}
