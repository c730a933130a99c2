import type { Db } from '../db/database.ts'

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
export type ProofWay = 'password' | 'provider'

/** How the user of a session proves its identity again, and when it last did; null for a session that has ended. */
export async function findProof(db: Db, instanceId: string, id: string): Promise<{ provenAt: Date; way: ProofWay } | null> {
  const { rows } = await db.query<{ provenAt: Date; way: ProofWay }>(
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
