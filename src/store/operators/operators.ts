import type { Db } from '../db/database.ts'

/** Operator of the deployment: above all instances, and no user of any. */
export interface Operator {
  id: string
  /** As written by `normalizeEmail`; unique among operators. */
  email: string
  name: string
  /** Whether a password was set; before, only a one-time link lets the operator in. */
  hasPassword: boolean
  twoStep: boolean
  createdOn: Date
}

/** Operator with the data that a sign-in needs. */
export interface LoginOperator extends Operator {
  passwordHash: string | null
}

/** Whether an operator has a second factor; for queries on `operators o`. */
export const HAS_SECOND_FACTOR = `(o.two_step_confirmed_at is not null
  or exists (select from passkeys p where p.instance_id = o.instance_id and p.operator_id = o.id))`

const COLUMNS = `o.id, o.email, o.name, o.password_hash is not null as "hasPassword", ${HAS_SECOND_FACTOR} as "twoStep",
  o.created_at as "createdOn"`

/** Inserts an operator without a password; false when the address is taken. */
export async function insertOperator(db: Db, operator: Pick<Operator, 'id' | 'email' | 'name'>, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into operators (id, email, name, created_at) values ($1, $2, $3, $4) on conflict (email) do nothing',
    [operator.id, operator.email, operator.name, at],
  )
  return rowCount === 1
}

export async function findOperator(db: Db, id: string): Promise<Operator | null> {
  const { rows } = await db.query<Operator>(`select ${COLUMNS} from operators o where o.id = $1`, [id])
  return rows[0] ?? null
}

export async function findLoginOperator(db: Db, email: string): Promise<LoginOperator | null> {
  const { rows } = await db.query<LoginOperator>(
    `select ${COLUMNS}, o.password_hash as "passwordHash" from operators o where o.email = $1`,
    [email],
  )
  return rows[0] ?? null
}

/** Oldest first. */
export async function listOperators(db: Db): Promise<Operator[]> {
  const { rows } = await db.query<Operator>(`select ${COLUMNS} from operators o order by o.created_at, o.id`)
  return rows
}

export async function setOperatorPassword(db: Db, id: string, passwordHash: string): Promise<void> {
  await db.query('update operators set password_hash = $2 where id = $1', [id, passwordHash])
}

/** Replaces the hash of a password by another of the same; false when the hash is another by now. */
export async function renewOperatorHash(db: Db, id: string, passwordHash: string, renewed: string): Promise<boolean> {
  const { rowCount } = await db.query('update operators set password_hash = $3 where id = $1 and password_hash = $2', [
    id,
    passwordHash,
    renewed,
  ])
  return rowCount === 1
}

/** Deletes an operator with sessions and links; false when there is none. */
export async function deleteOperator(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from operators where id = $1', [id])
  return rowCount === 1
}

/** Locks one operator until the transaction ends. */
export async function lockOperator(db: Db, id: string): Promise<void> {
  await db.query('select from operators where id = $1 for no key update', [id])
}

/**
 * Locks the list of operators until the transaction ends; whether another than `exceptId` can sign in. The lock keeps
 * two operators from removing each other concurrently.
 */
export async function lockOtherOperators(db: Db, exceptId: string): Promise<boolean> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('operators', 0))`)
  const { rows } = await db.query('select 1 from operators where id <> $1 and password_hash is not null limit 1', [exceptId])
  return rows.length > 0
}
