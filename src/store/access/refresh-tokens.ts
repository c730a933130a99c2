import type { Db } from '../db/database.ts'
import type { SessionOrigin } from './sessions.ts'
import type { Role } from './users.ts'

/** Presented refresh token with its session and user; the session is locked. */
export interface PresentedToken {
  tokenHash: Uint8Array
  instanceId: string
  sessionId: string
  userId: string
  userName: string
  role: Role
  isUserEnabled: boolean
  /** Generation of the token and current generation of its session. */
  generation: number
  currentGeneration: number
  usedAt: Date | null
  tokenExpiresAt: Date
  sessionExpiresAt: Date
  sessionEndedAt: Date | null
  /** Whether it was opened by a sign-in at an identity provider, and when that provider last confirmed it; null: it cannot be checked. */
  isOfProvider: boolean
  checkedAt: Date | null
  /** Whether the instance does not allow passwords. */
  isProviderRequired: boolean
  /** When the user last proved who it is. */
  provenAt: Date
}

/** Whether there is a refresh token with one of these hashes. */
export async function isStoredToken(db: Db, tokenHashes: readonly Uint8Array[]): Promise<boolean> {
  const { rows } = await db.query('select from refresh_tokens where token_hash = any($1::bytea[])', [tokenHashes])
  return rows.length > 0
}

/**
 * Finds a refresh token by its possible hashes and locks its session until the transaction ends, so that refreshes of one family are
 * serialized.
 */
export async function lockPresentedToken(db: Db, tokenHashes: readonly Uint8Array[]): Promise<PresentedToken | null> {
  const locked = await db.query(
    `select 1 from sessions s join refresh_tokens r on r.instance_id = s.instance_id and r.session_id = s.id
     where r.token_hash = any($1::bytea[]) for update of s`,
    [tokenHashes],
  )
  if (locked.rows.length === 0) return null
  const { rows } = await db.query<PresentedToken>(
    `select s.instance_id as "instanceId", s.id as "sessionId", u.id as "userId", u.name as "userName", u.role,
       u.disabled_at is null as "isUserEnabled", r.token_hash as "tokenHash", r.generation, s.generation as "currentGeneration", r.used_at as "usedAt",
       r.expires_at as "tokenExpiresAt", s.expires_at as "sessionExpiresAt", s.ended_at as "sessionEndedAt",
       p.session_id is not null as "isOfProvider", p.checked_at as "checkedAt", coalesce(i.is_required, false) as "isProviderRequired",
       coalesce(s.proven_at, s.created_at) as "provenAt"
     from refresh_tokens r
       join sessions s on s.instance_id = r.instance_id and s.id = r.session_id
       join users u on u.instance_id = s.instance_id and u.id = s.user_id
       left join provider_sessions p on p.instance_id = s.instance_id and p.session_id = s.id
       left join identity_providers i on i.instance_id = s.instance_id
     where r.token_hash = any($1::bytea[])`,
    [tokenHashes],
  )
  return rows[0] ?? null
}

/** Refresh token rotation: marks the presented token as used and stores its successor as the newest of the session. */
export async function rotateToken(
  db: Db,
  presented: PresentedToken,
  successor: { tokenHash: Uint8Array; origin: SessionOrigin; at: Date; expiresAt: Date },
): Promise<void> {
  await db.query('update refresh_tokens set used_at = $2 where token_hash = $1', [presented.tokenHash, successor.at])
  await db.query(
    'update sessions set generation = generation + 1, last_used_at = $3, network = $4, agent = $5 where instance_id = $1 and id = $2',
    [presented.instanceId, presented.sessionId, successor.at, successor.origin.network, successor.origin.agent],
  )
  await db.query(`insert into refresh_tokens (instance_id, token_hash, session_id, generation, expires_at) values ($1, $2, $3, $4, $5)`, [
    presented.instanceId,
    successor.tokenHash,
    presented.sessionId,
    presented.currentGeneration + 1,
    successor.expiresAt,
  ])
}
