import type { Db } from '../db/database.ts'

/** Password reset: the right of a user to set a new password. */
export interface PasswordReset {
  instanceId: string
  userId: string
}

export async function createPasswordReset(
  db: Db,
  tokenHash: Uint8Array,
  { instanceId, userId }: PasswordReset,
  lifeHours: number,
): Promise<void> {
  await db.query(
    `insert into password_resets (token_hash, instance_id, user_id, expires_at)
     values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4::float8 * 3600))`,
    [tokenHash, instanceId, userId, lifeHours],
  )
}

/** Null when the token is unknown, used or expired, or its user is disabled. */
export async function findPasswordReset(db: Db, tokenHashes: readonly Uint8Array[]): Promise<PasswordReset | null> {
  const { rows } = await db.query<PasswordReset>(
    `select r.instance_id as "instanceId", r.user_id as "userId" from password_resets r
       join users u on u.instance_id = r.instance_id and u.id = r.user_id and u.disabled_at is null
     where r.token_hash = any($1::bytea[]) and r.used_at is null and r.expires_at > statement_timestamp()`,
    [tokenHashes],
  )
  return rows[0] ?? null
}

/** Marks a reset as used, with all other resets of its user; false when a concurrent request was first. */
export async function consumePasswordReset(db: Db, tokenHashes: readonly Uint8Array[], user: PasswordReset): Promise<boolean> {
  const { rowCount } = await db.query(
    `update password_resets set used_at = clock_timestamp()
     where token_hash = any($1::bytea[]) and used_at is null and expires_at > statement_timestamp()`,
    [tokenHashes],
  )
  if (rowCount !== 1) return false
  await cancelPasswordResets(db, user)
  return true
}

/** Invalidates all password reset links of the user. */
export async function cancelPasswordResets(db: Db, { instanceId, userId }: PasswordReset): Promise<void> {
  await db.query('update password_resets set used_at = clock_timestamp() where instance_id = $1 and user_id = $2 and used_at is null', [
    instanceId,
    userId,
  ])
}

export async function deleteOldPasswordResets(db: Db): Promise<void> {
  await db.query(`delete from password_resets where expires_at < statement_timestamp() - interval '1 day'`)
}
