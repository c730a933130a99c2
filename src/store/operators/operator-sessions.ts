import type { Db } from '../db/database.ts'
import { HAS_SECOND_FACTOR } from './operators.ts'

/** Session of an operator, with what it may do. */
export interface OperatorSession {
  id: string
  operatorId: string
  operatorName: string
  email: string
  /** `open`: the second factor was proven; `second`: it is missing; `setup`: the operator has none yet. */
  step: 'setup' | 'second' | 'open'
  expiresAt: Date
  lastUsedAt: Date
  /** When the operator last proved who it is; null before the session is open. */
  provenAt: Date | null
}

export interface NewOperatorSession {
  id: string
  operatorId: string
  /** Hash of the password that was verified. */
  passwordHash: string
  tokenHash: Uint8Array
  at: Date
  expiresAt: Date
}

/** False when the operator is gone, or has another password than the one that was verified. */
export async function createOperatorSession(db: Db, session: NewOperatorSession): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into operator_sessions (id, operator_id, token_hash, created_at, last_used_at, expires_at)
     select $1, o.id, $3, $4, $4, $5 from operators o where o.id = $2 and o.password_hash = $6 for share`,
    [session.id, session.operatorId, session.tokenHash, session.at, session.expiresAt, session.passwordHash],
  )
  return rowCount === 1
}

export async function findOperatorSession(db: Db, tokenHashes: readonly Uint8Array[]): Promise<OperatorSession | null> {
  const { rows } = await db.query<OperatorSession>(
    `select s.id, s.operator_id as "operatorId", o.name as "operatorName", o.email, s.expires_at as "expiresAt", s.last_used_at as "lastUsedAt",
       coalesce(s.proven_at, s.opened_at) as "provenAt",
       case when s.opened_at is not null then 'open' when ${HAS_SECOND_FACTOR} then 'second' else 'setup' end as step
     from operator_sessions s join operators o on o.instance_id = s.instance_id and o.id = s.operator_id
     where s.token_hash = any($1::bytea[])`,
    [tokenHashes],
  )
  return rows[0] ?? null
}

/** Records that the operator of a session has proved again who it is; false for a session that has ended. */
export async function noteOperatorProof(db: Db, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query('update operator_sessions set proven_at = $2 where id = $1', [id, at])
  return rowCount === 1
}

export async function touchOperatorSession(db: Db, id: string, at: Date): Promise<void> {
  await db.query('update operator_sessions set last_used_at = $2 where id = $1', [id, at])
}

/** Counts a code that is tried, before it is checked; returns the number of tries of the session. */
export async function countOperatorTry(db: Db, id: string): Promise<number> {
  const { rows } = await db.query<{ tries: number }>('update operator_sessions set tries = tries + 1 where id = $1 returning tries', [id])
  return rows[0]?.tries ?? Number.POSITIVE_INFINITY
}

/** Opens a session under a new token; false when it is open or gone. */
export async function openOperatorSession(
  db: Db,
  id: string,
  { tokenHash, at, expiresAt }: { tokenHash: Uint8Array; at: Date; expiresAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update operator_sessions set token_hash = $2, opened_at = $3, last_used_at = $3, expires_at = $4 where id = $1 and opened_at is null',
    [id, tokenHash, at, expiresAt],
  )
  return rowCount === 1
}

export async function endOperatorSession(db: Db, id: string): Promise<void> {
  await db.query('delete from operator_sessions where id = $1', [id])
}

/** Ends the sessions of an operator, but for `exceptId`. */
export async function endSessionsOfOperator(db: Db, operatorId: string, exceptId: string | null = null): Promise<void> {
  await db.query('delete from operator_sessions where operator_id = $1 and ($2::uuid is null or id <> $2)', [operatorId, exceptId])
}

/** Cleanup: deletes expired sessions. */
export async function deleteOldOperatorSessions(db: Db, at: Date): Promise<void> {
  await db.query('delete from operator_sessions where expires_at < $1', [at])
  await db.query('delete from operator_links where expires_at < $1', [at])
}
