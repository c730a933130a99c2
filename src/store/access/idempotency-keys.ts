import type { Db } from '../db/database.ts'

/** Retention of an idempotency key. */
const LIFE = `interval '24 hours'`

/** Request that was made with an idempotency key. */
export interface KeyedRequest {
  id: string
  requestHash: Uint8Array
  /** Stored response; null while the request is in progress, or when its response was never stored. */
  answer: { status: number; headers: Record<string, string>; sealed: Uint8Array } | null
  /** Seconds since the request arrived. */
  age: number
}

/**
 * Claims an idempotency key by its possible hashes, of which the first is stored: null when the caller now owns it,
 * otherwise the request that owns it.
 */
export async function claimKey(
  db: Db,
  claim: { instanceId: string; id: string; keyHashes: readonly Uint8Array[]; requestHash: Uint8Array },
): Promise<KeyedRequest | null> {
  const { instanceId, id, keyHashes, requestHash } = claim
  await db.query(
    `delete from idempotency_keys where instance_id = $1 and key_hash = any($2::bytea[]) and created_at <= statement_timestamp() - ${LIFE}`,
    [instanceId, keyHashes],
  )
  const claimed = await db.query(
    `insert into idempotency_keys (instance_id, id, key_hash, request_hash) select $1, $2, $3, $4
     where not exists (select from idempotency_keys where instance_id = $1 and key_hash = any($5::bytea[])) on conflict do nothing`,
    [instanceId, id, keyHashes[0], requestHash, keyHashes],
  )
  if (claimed.rowCount === 1) return null
  const { rows } = await db.query<{
    id: string
    requestHash: Uint8Array
    status: number | null
    headers: Record<string, string>
    sealed: Uint8Array
    age: number
  }>(
    `select id, request_hash as "requestHash", status, headers, sealed, extract(epoch from statement_timestamp() - created_at)::float8 as age
     from idempotency_keys where instance_id = $1 and key_hash = any($2::bytea[])`,
    [instanceId, keyHashes],
  )
  const [row] = rows
  // The key expired between the two statements.
  if (!row) return await claimKey(db, claim)
  const { status, headers, sealed, ...rest } = row
  return { ...rest, answer: status === null ? null : { status, headers, sealed } }
}

export async function saveAnswer(
  db: Db,
  instanceId: string,
  id: string,
  answer: { status: number; headers: Record<string, string>; sealed: Uint8Array },
): Promise<void> {
  await db.query('update idempotency_keys set status = $3, headers = $4, sealed = $5 where instance_id = $1 and id = $2', [
    instanceId,
    id,
    answer.status,
    JSON.stringify(answer.headers),
    answer.sealed,
  ])
}

export async function deleteOldKeys(db: Db): Promise<void> {
  await db.query(`delete from idempotency_keys where created_at <= statement_timestamp() - ${LIFE}`)
}
