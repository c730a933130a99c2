import type { Db } from '../db/database.ts'

export interface SessionKey {
  instanceId: string
  sessionId: string
}

/** Session that was opened by a sign-in at a provider. */
export interface ProviderSession extends SessionKey {
  issuer: string
  subject: string
  /** The provider's id of its own session. */
  providerSessionId: string | null
  sealedTokens: Uint8Array
  /** When the provider last confirmed its session; null: it cannot be checked. */
  checkedAt: Date | null
}

export interface FoundProviderSession extends ProviderSession {
  userId: string
  retryAt: Date | null
  leasedUntil: Date | null
}

const COLUMNS = `p.instance_id as "instanceId", p.session_id as "sessionId", s.user_id as "userId", p.issuer, p.subject,
  p.provider_session_id as "providerSessionId", p.tokens as "sealedTokens", p.checked_at as "checkedAt", p.retry_at as "retryAt",
  p.leased_until as "leasedUntil"`
const FROM = 'from provider_sessions p join sessions s on s.instance_id = p.instance_id and s.id = p.session_id'

export async function addProviderSession(db: Db, session: ProviderSession): Promise<void> {
  await db.query(
    `insert into provider_sessions (instance_id, session_id, issuer, subject, provider_session_id, tokens, checked_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[session.instanceId, session.sessionId, session.issuer, session.subject],
      ...[session.providerSessionId, session.sealedTokens, session.checkedAt],
    ],
  )
}

/** Null for a session of a password, and for one that has ended. */
export async function findProviderSession(db: Db, { instanceId, sessionId }: SessionKey): Promise<FoundProviderSession | null> {
  const { rows } = await db.query<FoundProviderSession>(
    `select ${COLUMNS} ${FROM} where p.instance_id = $1 and p.session_id = $2 and s.ended_at is null`,
    [instanceId, sessionId],
  )
  return rows[0] ?? null
}

/** The same by the possible hashes of a refresh token of the session. */
export async function findProviderSessionOfToken(db: Db, tokenHashes: readonly Uint8Array[]): Promise<FoundProviderSession | null> {
  const { rows } = await db.query<FoundProviderSession>(
    `select ${COLUMNS} ${FROM} join refresh_tokens r on r.instance_id = p.instance_id and r.session_id = p.session_id
     where r.token_hash = any($1::bytea[]) and s.ended_at is null`,
    [tokenHashes],
  )
  return rows[0] ?? null
}

/**
 * Takes the lease for asking the provider about a session; false while another process holds it, or when there was a
 * check after `checkedAt`.
 */
export async function leaseCheck(
  db: Db,
  { instanceId, sessionId, checkedAt }: SessionKey & Pick<ProviderSession, 'checkedAt'>,
  { at, until }: { at: Date; until: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update provider_sessions set leased_until = $4
     where instance_id = $1 and session_id = $2 and checked_at = $5 and (leased_until is null or leased_until <= $3)`,
    [instanceId, sessionId, at, until, checkedAt],
  )
  return rowCount === 1
}

/** Result of a check: the new tokens, or the time of the next attempt. Ends the lease. */
export async function noteCheck(
  db: Db,
  { instanceId, sessionId }: SessionKey,
  outcome: { checkedAt: Date; sealedTokens: Uint8Array } | { retryAt: Date },
): Promise<void> {
  const found = 'checkedAt' in outcome ? outcome : { checkedAt: null, sealedTokens: null }
  await db.query(
    `update provider_sessions set checked_at = coalesce($3, checked_at), tokens = coalesce($4, tokens), retry_at = $5, leased_until = null
     where instance_id = $1 and session_id = $2`,
    [instanceId, sessionId, found.checkedAt, found.sealedTokens, 'retryAt' in outcome ? outcome.retryAt : null],
  )
}

/** Open sessions of a person, or those that belong to one session of the provider. */
export async function listSessionsOfSubject(
  db: Db,
  instanceId: string,
  issuer: string,
  { subject, providerSessionId }: { subject: string | null; providerSessionId: string | null },
): Promise<(SessionKey & { userId: string })[]> {
  const { rows } = await db.query<SessionKey & { userId: string }>(
    `select p.instance_id as "instanceId", p.session_id as "sessionId", s.user_id as "userId" ${FROM}
     where p.instance_id = $1 and p.issuer = $2 and ($3::text is null or p.subject = $3) and ($4::text is null or p.provider_session_id = $4)
       and s.ended_at is null`,
    [instanceId, issuer, subject, providerSessionId],
  )
  return rows
}

/** Ends the sessions of an instance that no provider vouches for. */
export async function endPasswordSessions(db: Db, instanceId: string, reason: string, at: Date): Promise<number> {
  const { rowCount } = await db.query(
    `update sessions s set ended_at = $3, end_reason = $2 where s.instance_id = $1 and s.ended_at is null
       and not exists (select from provider_sessions p where p.instance_id = s.instance_id and p.session_id = s.id)`,
    [instanceId, reason, at],
  )
  return rowCount ?? 0
}

/** Marks a logout token as used; false when it was used before. */
export async function consumeLogoutToken(db: Db, instanceId: string, tokenHash: Uint8Array, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into logout_tokens (instance_id, token_hash, expires_at) values ($1, $2, $3) on conflict do nothing',
    [instanceId, tokenHash, expiresAt],
  )
  return rowCount === 1
}

/** Cleanup: tokens of ended sessions, and logout tokens that have expired. */
export async function deleteOldProviderSessions(db: Db, at: Date): Promise<void> {
  await db.query(
    `delete from provider_sessions p using sessions s
     where s.instance_id = p.instance_id and s.id = p.session_id and (s.ended_at is not null or s.expires_at < $1)`,
    [at],
  )
  await db.query('delete from logout_tokens where expires_at < $1', [at])
}
