import type { Db } from '../db/database.ts'
import { deletePasskeys } from './passkeys.ts'

/** Second factor (TOTP) of a user: sealed secret, active once confirmed. */
export interface TwoStep {
  sealedSecret: Uint8Array
  startedAt: Date
  /** Null until the app has given its first code. */
  confirmedAt: Date | null
}

/**
 * Whether a row belongs to a working authenticator app. NOTE release 1.0.0 has no passkeys and asks every user with
 * `confirmed_at` for a code: rows of accounts with passkeys only have it too, with `lacks_app`.
 */
export const HAS_APP = '(t.confirmed_at is not null and not t.lacks_app)'

export interface Challenge {
  userId: string
  /** Attempts made, including this one. */
  tries: number
  expiresAt: Date
  completedAt: Date | null
}

export async function findTwoStep(db: Db, instanceId: string, userId: string): Promise<TwoStep | null> {
  const { rows } = await db.query<TwoStep>(
    `select secret as "sealedSecret", started_at as "startedAt", case when ${HAS_APP} then confirmed_at end as "confirmedAt"
     from two_steps t where instance_id = $1 and user_id = $2`,
    [instanceId, userId],
  )
  return rows[0] ?? null
}

/** Stores an unconfirmed secret, replacing an earlier unconfirmed one; false when a confirmed one exists. */
export async function startTwoStep(db: Db, instanceId: string, userId: string, sealedSecret: Uint8Array, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into two_steps as t (instance_id, user_id, secret, started_at) values ($1, $2, $3, $4)
     on conflict (instance_id, user_id) do update set secret = excluded.secret, started_at = excluded.started_at
     where not ${HAS_APP}`,
    [instanceId, userId, sealedSecret, at],
  )
  return rowCount === 1
}

/** Activates the secret that was started at `startedAt`; false when it was replaced or is already active. */
export async function confirmTwoStep(db: Db, instanceId: string, userId: string, startedAt: Date, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update two_steps t set confirmed_at = $4, lacks_app = false
     where instance_id = $1 and user_id = $2 and date_trunc('milliseconds', started_at) = $3 and not ${HAS_APP}`,
    [instanceId, userId, startedAt, at],
  )
  return rowCount === 1
}

/**
 * Consumes a code by its time step; false when this or a later step was used before. Of concurrent attempts, one
 * succeeds.
 */
export async function consumeCounter(db: Db, instanceId: string, userId: string, counter: number): Promise<boolean> {
  const { rowCount } = await db.query(
    'update two_steps set last_counter = $3 where instance_id = $1 and user_id = $2 and last_counter < $3',
    [instanceId, userId, counter],
  )
  return rowCount === 1
}

/**
 * Creates the row for the recovery codes of a user without an authenticator app, with a secret that nobody knows. Keeps
 * an app, and the secret of one that is being set up.
 */
export async function holdRecoveryCodes(db: Db, instanceId: string, userId: string, sealedSecret: Uint8Array, at: Date): Promise<void> {
  await db.query(
    `insert into two_steps as t (instance_id, user_id, secret, started_at, confirmed_at, lacks_app) values ($1, $2, $3, $4, $4, true)
     on conflict (instance_id, user_id) do update set confirmed_at = $4, lacks_app = true where not ${HAS_APP}`,
    [instanceId, userId, sealedSecret, at],
  )
}

/** Removes the authenticator app and keeps the recovery codes, for a user with passkeys; `sealedSecret` as in `holdRecoveryCodes`. */
export async function retireTwoStep(db: Db, instanceId: string, userId: string, sealedSecret: Uint8Array, at: Date): Promise<void> {
  await db.query(
    `update two_steps set secret = $3, started_at = $4, confirmed_at = $4, lacks_app = true, last_counter = 0
     where instance_id = $1 and user_id = $2`,
    [instanceId, userId, sealedSecret, at],
  )
}

export async function deleteTwoStep(db: Db, instanceId: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from two_steps where instance_id = $1 and user_id = $2', [instanceId, userId])
  return rowCount === 1
}

/** Removes every second step of a user with the recovery codes; false when there is none. */
export async function clearTwoStep(db: Db, instanceId: string, userId: string): Promise<boolean> {
  const passkeys = await deletePasskeys(db, { kind: 'user', instanceId, id: userId })
  const { rows } = await db.query<{ wasOn: boolean }>(
    `delete from two_steps t where instance_id = $1 and user_id = $2 returning ${HAS_APP} as "wasOn"`,
    [instanceId, userId],
  )
  return passkeys > 0 || rows[0]?.wasOn === true
}

/** Replaces all recovery codes of a user. */
export async function replaceRecoveryCodes(db: Db, instanceId: string, userId: string, hashes: readonly Uint8Array[]): Promise<void> {
  await db.query('delete from recovery_codes where instance_id = $1 and user_id = $2', [instanceId, userId])
  await db.query('insert into recovery_codes (instance_id, user_id, code_hash) select $1, $2, unnest($3::bytea[])', [
    instanceId,
    userId,
    hashes,
  ])
}

/** Consumes a recovery code; false when it does not exist or was used. Of concurrent attempts, one succeeds. */
export async function consumeRecoveryCode(
  db: Db,
  instanceId: string,
  userId: string,
  hashes: readonly Uint8Array[],
  at: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update recovery_codes set used_at = $4 where instance_id = $1 and user_id = $2 and code_hash = any($3::bytea[]) and used_at is null',
    [instanceId, userId, hashes, at],
  )
  return rowCount === 1
}

export async function countRecoveryCodes(db: Db, instanceId: string, userId: string): Promise<number> {
  const { rows } = await db.query<{ left: string }>(
    'select count(*) as left from recovery_codes where instance_id = $1 and user_id = $2 and used_at is null',
    [instanceId, userId],
  )
  return Number(rows[0]?.left ?? 0)
}

export async function createChallenge(
  db: Db,
  challenge: { instanceId: string; id: string; userId: string; expiresAt: Date },
): Promise<void> {
  await db.query('insert into login_challenges (instance_id, id, user_id, expires_at) values ($1, $2, $3, $4)', [
    challenge.instanceId,
    challenge.id,
    challenge.userId,
    challenge.expiresAt,
  ])
}

/** Counts an attempt at a login challenge, before the code is checked. */
export async function tryChallenge(db: Db, instanceId: string, id: string): Promise<Challenge | null> {
  const { rows } = await db.query<Challenge>(
    `update login_challenges set tries = tries + 1 where instance_id = $1 and id = $2
     returning user_id as "userId", tries, expires_at as "expiresAt", completed_at as "completedAt"`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

/** A login challenge as it is; no attempt. */
export async function findChallenge(db: Db, instanceId: string, id: string): Promise<Challenge | null> {
  const { rows } = await db.query<Challenge>(
    `select user_id as "userId", tries, expires_at as "expiresAt", completed_at as "completedAt"
     from login_challenges where instance_id = $1 and id = $2`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

/** Completes a challenge; false when it was already completed. */
export async function completeChallenge(db: Db, instanceId: string, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update login_challenges set completed_at = $3 where instance_id = $1 and id = $2 and completed_at is null',
    [instanceId, id, at],
  )
  return rowCount === 1
}

/** Ends the logins of a user that wait for a code. */
export async function endChallengesOfUser(db: Db, instanceId: string, userId: string, at: Date): Promise<void> {
  await db.query('update login_challenges set completed_at = $3 where instance_id = $1 and user_id = $2 and completed_at is null', [
    instanceId,
    userId,
    at,
  ])
}

export async function deleteOldChallenges(db: Db, at: Date): Promise<void> {
  await db.query('delete from login_challenges where expires_at < $1', [at])
}
