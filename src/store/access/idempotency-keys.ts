import type { Db } from '../db/database.ts'

/** Retention of an idempotency key. */
const LIFE = `interval '24 hours'`
/**
 * Lease of a request that is being executed; renewed every five seconds. One that has run out belongs to a process that
 * died. NOTE rows of release 1.0.0 have none.
 */
const LEASE = `clock_timestamp() + interval '15 seconds'`
const LEASED_UNTIL = `coalesce(leased_until, created_at + interval '60 seconds')`

/** Right to execute a request: an older attempt stores no answer. */
export interface KeyClaim {
  instanceId: string
  id: string
  attempt: number
}

/** Earlier request that owns the key. */
export interface KeyedRequest {
  id: string
  /** Whether it is the same request: method, address and body. */
  isSame: boolean
  /** Stored response; null while the request is in progress. */
  answer: { status: number; headers: Record<string, string>; sealed: Uint8Array } | null
}

interface KeyRequest {
  instanceId: string
  /** Id of a new row. */
  id: string
  /** Possible hashes, the first of which is stored. */
  keyHashes: readonly Uint8Array[]
  requestHashes: readonly Uint8Array[]
}

/**
 * Claims an idempotency key for the request, also one whose earlier execution failed or was cut off; otherwise gives
 * the request that owns it.
 */
export async function claimKey(db: Db, wanted: KeyRequest): Promise<{ claim: KeyClaim } | { request: KeyedRequest }> {
  const { instanceId, id, keyHashes, requestHashes } = wanted
  await db.query(
    `delete from idempotency_keys where instance_id = $1 and key_hash = any($2::bytea[]) and created_at <= statement_timestamp() - ${LIFE}`,
    [instanceId, keyHashes],
  )
  const claimed = await db.query(
    `insert into idempotency_keys (instance_id, id, key_hash, request_hash, leased_until) select $1, $2, $3, $4, ${LEASE}
     where not exists (select from idempotency_keys where instance_id = $1 and key_hash = any($5::bytea[])) on conflict do nothing`,
    [instanceId, id, keyHashes[0], requestHashes[0], keyHashes],
  )
  if (claimed.rowCount === 1) return { claim: { instanceId, id, attempt: 1 } }
  const request = await findRequest(db, wanted)
  // The key expired between the two statements.
  if (request === null) return await claimKey(db, wanted)
  if (request.answer || !request.isSame || !request.isFree) return { request }
  const { rows } = await db.query<{ attempt: number }>(
    `update idempotency_keys set leased_until = ${LEASE}, attempt = attempt + 1
     where instance_id = $1 and id = $2 and status is null and ${LEASED_UNTIL} <= statement_timestamp() returning attempt`,
    [instanceId, request.id],
  )
  const [taken] = rows
  return taken ? { claim: { instanceId, id: request.id, ...taken } } : { request }
}

async function findRequest(
  db: Db,
  { instanceId, keyHashes, requestHashes }: KeyRequest,
): Promise<(KeyedRequest & { isFree: boolean }) | null> {
  const { rows } = await db.query<{
    id: string
    isSame: boolean
    isFree: boolean
    status: number | null
    headers: Record<string, string>
    sealed: Uint8Array
  }>(
    `select id, request_hash = any($3::bytea[]) as "isSame", ${LEASED_UNTIL} <= statement_timestamp() as "isFree", status, headers, sealed
     from idempotency_keys where instance_id = $1 and key_hash = any($2::bytea[])`,
    [instanceId, keyHashes, requestHashes],
  )
  const [row] = rows
  if (!row) return null
  const { status, headers, sealed, ...rest } = row
  return { ...rest, answer: status === null ? null : { status, headers, sealed } }
}

const OWN_ATTEMPT = 'instance_id = $1 and id = $2 and attempt = $3 and status is null'

/** Prolongs the lease of a request that is still being executed. */
export async function renewKey(db: Db, { instanceId, id, attempt }: KeyClaim): Promise<void> {
  await db.query(`update idempotency_keys set leased_until = ${LEASE} where ${OWN_ATTEMPT}`, [instanceId, id, attempt])
}

/** Lets the next request with the key and the same content execute it again, under the same id. */
export async function releaseKey(db: Db, { instanceId, id, attempt }: KeyClaim): Promise<void> {
  await db.query(`update idempotency_keys set leased_until = clock_timestamp() where ${OWN_ATTEMPT}`, [instanceId, id, attempt])
}

export async function saveAnswer(
  db: Db,
  { instanceId, id, attempt }: KeyClaim,
  answer: { status: number; headers: Record<string, string>; sealed: Uint8Array },
): Promise<void> {
  await db.query(`update idempotency_keys set status = $4, headers = $5, sealed = $6 where ${OWN_ATTEMPT}`, [
    instanceId,
    id,
    attempt,
    answer.status,
    JSON.stringify(answer.headers),
    answer.sealed,
  ])
}

export async function deleteOldKeys(db: Db): Promise<void> {
  await db.query(`delete from idempotency_keys where created_at <= statement_timestamp() - ${LIFE}`)
}
