import type { Db } from '../db/database.ts'

/** Second factor (TOTP) of an operator: sealed secret, active once confirmed. */
export interface OperatorTwoStep {
  sealedSecret: Uint8Array
  startedAt: Date
  confirmedAt: Date | null
}

export async function findOperatorTwoStep(db: Db, operatorId: string): Promise<OperatorTwoStep | null> {
  const { rows } = await db.query<OperatorTwoStep>(
    `select two_step_secret as "sealedSecret", two_step_started_at as "startedAt", two_step_confirmed_at as "confirmedAt"
     from operators where id = $1 and two_step_secret is not null`,
    [operatorId],
  )
  return rows[0] ?? null
}

/** Stores an unconfirmed secret, replacing an earlier unconfirmed one; false when a confirmed one exists. */
export async function startOperatorTwoStep(db: Db, operatorId: string, sealedSecret: Uint8Array, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update operators set two_step_secret = $2, two_step_started_at = $3 where id = $1 and two_step_confirmed_at is null',
    [operatorId, sealedSecret, at],
  )
  return rowCount === 1
}

/** Activates the secret that was started at `startedAt` and consumes its first code; false when another request was first. */
export async function confirmOperatorTwoStep(db: Db, operatorId: string, startedAt: Date, counter: number, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update operators set two_step_confirmed_at = $4, two_step_counter = $3
     where id = $1 and date_trunc('milliseconds', two_step_started_at) = $2 and two_step_confirmed_at is null`,
    [operatorId, startedAt, counter, at],
  )
  return rowCount === 1
}

/** Consumes a code by its time step; false when this or a later step was used before. */
export async function consumeOperatorCounter(db: Db, operatorId: string, counter: number): Promise<boolean> {
  const { rowCount } = await db.query('update operators set two_step_counter = $2 where id = $1 and two_step_counter < $2', [
    operatorId,
    counter,
  ])
  return rowCount === 1
}

/** Removes the second factor with its recovery codes: the next sign-in sets up another. */
export async function clearOperatorTwoStep(db: Db, operatorId: string): Promise<void> {
  await db.query(
    'update operators set two_step_secret = null, two_step_started_at = null, two_step_confirmed_at = null, two_step_counter = 0 where id = $1',
    [operatorId],
  )
  await db.query('delete from operator_recovery_codes where operator_id = $1', [operatorId])
  await db.query('delete from passkeys where operator_id = $1', [operatorId])
}

/** Replaces all recovery codes of an operator. */
export async function replaceOperatorCodes(db: Db, operatorId: string, hashes: readonly Uint8Array[]): Promise<void> {
  await db.query('delete from operator_recovery_codes where operator_id = $1', [operatorId])
  await db.query('insert into operator_recovery_codes (operator_id, code_hash) select $1, unnest($2::bytea[])', [operatorId, hashes])
}

/** Consumes a recovery code; false when it does not exist or was used. */
export async function consumeOperatorCode(db: Db, operatorId: string, hashes: readonly Uint8Array[], at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update operator_recovery_codes set used_at = $3 where operator_id = $1 and code_hash = any($2::bytea[]) and used_at is null',
    [operatorId, hashes, at],
  )
  return rowCount === 1
}
