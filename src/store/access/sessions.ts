import type { Db } from '../db/database.ts'
import { endChallengesOfUser } from './two-step.ts'

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

/** Session of a user, as its user sees it. */
export interface Session {
  id: string
  /** Network and class of the program that used it last; null: not known. */
  network: string | null
  agent: string | null
  createdOn: Date
  /** Time of its last login or refresh. */
  lastUsedOn: Date
  expiresOn: Date
}

/**
 * How the user of a session proves its identity again: by a factor stored here, or by a new sign-in at the identity
 * provider.
 */
export type ProofMethod = 'password' | 'provider'

/** How the user of a session proves its identity again, and when it last did; null for a session that has ended. */
export async function findProof(db: Db, instanceId: string, id: string): Promise<{ provenAt: Date; way: ProofMethod } | null> {
  const { rows } = await db.query<{ provenAt: Date; way: ProofMethod }>(
    `select coalesce(s.proven_at, s.created_at) as "provenAt", case when p.session_id is null then 'password' else 'provider' end as way
     from sessions s left join provider_sessions p on p.instance_id = s.instance_id and p.session_id = s.id
     where s.instance_id = $1 and s.id = $2 and s.ended_at is null`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

/** Records a new proof of identity of the user of a session; false when the session has ended. */
export async function noteProof(db: Db, instanceId: string, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query('update sessions set proven_at = $3 where instance_id = $1 and id = $2 and ended_at is null', [
    instanceId,
    id,
    at,
  ])
  return rowCount === 1
}

/** Sessions of a user that have neither ended nor expired, and whose refresh token has not, last used first. */
export async function listSessions(db: Db, instanceId: string, userId: string, at: Date): Promise<Session[]> {
  const { rows } = await db.query<Session>(
    `select s.id, s.network, s.agent, s.created_at as "createdOn", s.last_used_at as "lastUsedOn", s.expires_at as "expiresOn"
     from sessions s
       join refresh_tokens r on r.instance_id = s.instance_id and r.session_id = s.id and r.generation = s.generation
     where s.instance_id = $1 and s.user_id = $2 and s.ended_at is null and s.expires_at > $3 and r.expires_at > $3
     order by s.last_used_at desc, s.id`,
    [instanceId, userId, at],
  )
  return rows
}

/** Ends one session of a user; false when there is none. */
export async function endSessionOfUser(
  db: Db,
  { instanceId, userId, id }: { instanceId: string; userId: string; id: string },
  reason: string,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update sessions set ended_at = $4, end_reason = $5 where instance_id = $1 and user_id = $2 and id = $3 and ended_at is null`,
    [instanceId, userId, id, at, reason],
  )
  return rowCount === 1
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
