import type { Db } from '../db/database.ts'
import { endChallengesOfUser } from './two-step.ts'
import type { Role } from './users.ts'

/** Login session: the family of refresh tokens issued for one login. */
export interface NewSession {
  instanceId: string
  id: string
  userId: string
  tokenHash: Uint8Array
  /** Where it was opened from; null for a command. */
  origin: SessionOrigin | null
  at: Date
  /** Absolute end of the session, however often it is refreshed. */
  expiresAt: Date
  /** Expiry of the first refresh token. */
  tokenExpiresAt: Date
}

/** Network and class of the program that a session is used from. */
export interface SessionOrigin {
  network: string
  agent: string
}

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

export async function createSession(db: Db, session: NewSession): Promise<void> {
  await db.query(
    `with session as (
       insert into sessions (instance_id, id, user_id, created_at, last_used_at, proven_at, expires_at, network, agent)
       values ($1, $2, $3, $4, $4, $4, $5, $8, $9)
       returning instance_id, id
     )
     insert into refresh_tokens (instance_id, token_hash, session_id, generation, expires_at)
     select instance_id, $6, id, 0, $7 from session`,
    [
      session.instanceId,
      session.id,
      session.userId,
      session.at,
      session.expiresAt,
      session.tokenHash,
      session.tokenExpiresAt,
      session.origin?.network,
      session.origin?.agent,
    ],
  )
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

/** Ends one session: its refresh tokens immediately, its access tokens within seconds. */
export async function endSession(db: Db, instanceId: string, id: string, reason: string, at: Date): Promise<void> {
  await db.query('update sessions set ended_at = $3, end_reason = $4 where instance_id = $1 and id = $2 and ended_at is null', [
    instanceId,
    id,
    at,
    reason,
  ])
}

/** Ends all sessions of a user except `exceptId`, if given, and the logins that wait for a code. */
export async function endSessionsOfUser(
  db: Db,
  instanceId: string,
  userId: string,
  reason: string,
  at: Date,
  exceptId: string | null = null,
): Promise<number> {
  await endChallengesOfUser(db, instanceId, userId, at)
  const { rowCount } = await db.query(
    `update sessions set ended_at = $3, end_reason = $4
     where instance_id = $1 and user_id = $2 and ended_at is null and ($5::uuid is null or id <> $5)`,
    [instanceId, userId, at, reason, exceptId],
  )
  return rowCount ?? 0
}

/** Changes that invalidate sessions. */
interface EndedSessions {
  sessionIds: string[]
  /** Ids of all suspended instances, each time. */
  suspendedInstanceIds: string[]
  /** Requests per minute of instances with their own limit. */
  requestQuotas: Record<string, number>
  snapshot: string
}

/**
 * Sessions ended since the snapshot `since` (null: all that are remembered), suspended instances, and the snapshot for the next call. A
 * session may be returned more than once; none is ever left out.
 */
export async function listEndedSessions(db: Db, since: string | null): Promise<EndedSessions> {
  const { rows } = await db.query<EndedSessions>({
    name: 'ended-sessions',
    text: `select pg_snapshot_xmin(pg_current_snapshot())::text as snapshot,
      array(select session_id::text from ended_sessions where $1::xid8 is null or ended_xid >= $1::xid8) as "sessionIds",
      array(select instance_id::text from instance_suspensions) as "suspendedInstanceIds",
      coalesce((select jsonb_object_agg(instance_id, bound) from instance_quotas where name = 'requestsPerMinute'), '{}') as "requestQuotas"`,
    values: [since],
  })
  const [row] = rows
  if (!row) throw new Error('a select without from returned no row')
  return row
}

/** Cleanup: drops expired sessions, and ended sessions once no access token of theirs can still be valid (48 h). */
export async function deleteOldSessions(db: Db, at: Date): Promise<void> {
  await db.query("delete from sessions where expires_at < $1::timestamptz - interval '1 day'", [at])
  await db.query("delete from ended_sessions where ended_at < statement_timestamp() - interval '48 hours'")
}
