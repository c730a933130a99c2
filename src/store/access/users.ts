import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'
import { type Columns, type Selection, toCondition, toOrder } from '../db/list-selection.ts'
import { countRows } from '../db/lists/count-rows.ts'
import { lockInstance } from './instances.ts'
import { HAS_APP } from './two-step.ts'

/** User role; each API route lists the roles it accepts. */
export type Role = 'admin' | 'developer' | 'integration' | 'viewer'

export interface User {
  instanceId: string
  id: string
  /** As written by `normalizeEmail`; unique in the whole deployment. */
  email: string
  name: string
  role: Role
  isEnabled: boolean
  twoStep: boolean
  /** Whether an identity provider has named the user, by a sign-in or by SCIM. */
  isFromProvider: boolean
  /** When a link mailed to the address was first opened; null for never. */
  emailProvenOn: Date | null
  createdOn: Date
  updatedOn: Date
}

/** User with the data that login needs. */
export interface LoginUser extends User {
  passwordHash: string
}

export interface NewUser {
  instanceId: string
  id: string
  email: string
  name: string
  role: Role
  passwordHash: string
}

export interface UserDetails {
  name: string
  role: Role
  isEnabled: boolean
}

/** Whether a user has a second step; for queries on `USERS_WITH_TWO_STEP`. */
export const HAS_SECOND_STEP = `(${HAS_APP}
  or exists (select from passkeys p where p.instance_id = u.instance_id and p.user_id = u.id))`

const IS_FROM_PROVIDER = `(exists (select from provider_identities i where i.instance_id = u.instance_id and i.user_id = u.id)
  or exists (select from scim_users s where s.instance_id = u.instance_id and s.user_id = u.id))`

const COLUMNS = `u.instance_id as "instanceId", u.id, u.email, u.name, u.role, u.disabled_at is null as "isEnabled",
  ${HAS_SECOND_STEP} as "twoStep", ${IS_FROM_PROVIDER} as "isFromProvider", u.email_proven_at as "emailProvenOn", u.created_at as "createdOn", u.updated_at as "updatedOn"`

/** All users, with the second step of each. */
export const USERS_WITH_TWO_STEP = 'from users u left join two_steps t on t.instance_id = u.instance_id and t.user_id = u.id'

const USER_COLUMNS: Columns = {
  id: { sql: 'u.id', type: 'uuid' },
  email: { sql: 'u.email', type: 'string' },
  name: { sql: 'u.name', type: 'string' },
  role: { sql: 'u.role', type: 'string' },
  isEnabled: { sql: '(u.disabled_at is null)', type: 'boolean' },
  createdOn: { sql: 'u.created_at', type: 'date' },
  updatedOn: { sql: 'u.updated_at', type: 'date' },
  emailProvenOn: { sql: 'u.email_proven_at', type: 'date' },
}

/** Canonical form in which addresses are stored and looked up: trimmed, Unicode-composed, lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** Inserts a user; false when the address is taken, in any instance. */
export async function insertUser(db: Db, user: NewUser, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (email) do nothing`,
    [user.instanceId, user.id, user.email, user.name, user.role, user.passwordHash, at],
  )
  return rowCount === 1
}

export async function findUser(db: Db, instanceId: string, id: string): Promise<User | null> {
  const { rows } = await db.query<User>(`select ${COLUMNS} ${USERS_WITH_TWO_STEP} where u.instance_id = $1 and u.id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Finds a user by address in all instances: a login does not name one. */
export async function findLoginUser(db: Db, email: string): Promise<LoginUser | null> {
  const { rows } = await db.query<LoginUser>(
    `select ${COLUMNS}, u.password_hash as "passwordHash" ${USERS_WITH_TWO_STEP} where u.email = $1`,
    [email],
  )
  return rows[0] ?? null
}

/** Administrators of all instances who are not disabled, oldest first. */
export async function listAdmins(db: Db, limit: number): Promise<User[]> {
  const { rows } = await db.query<User>(
    `select ${COLUMNS} ${USERS_WITH_TWO_STEP} where u.role = 'admin' and u.disabled_at is null order by u.created_at, u.id limit $1`,
    [limit],
  )
  return rows
}

export async function findPasswordHash(db: Db, instanceId: string, id: string): Promise<string | null> {
  const { rows } = await db.query<{ hash: string }>(
    'select password_hash as hash from users where instance_id = $1 and id = $2 and disabled_at is null',
    [instanceId, id],
  )
  return rows[0]?.hash ?? null
}

export async function listUsers(db: Db, instanceId: string, selection: Selection): Promise<{ users: User[]; total: number }> {
  const values: unknown[] = [instanceId]
  const condition = `u.instance_id = $1 and ${toCondition(selection.filter, USER_COLUMNS, values)}`
  const total = await countRows(db, `${USERS_WITH_TWO_STEP} where ${condition}`, values)
  const { rows } = await db.query<User>(
    `select ${COLUMNS} ${USERS_WITH_TWO_STEP} where ${condition} ${toOrder(selection, USER_COLUMNS, 'u.id', values)}`,
    values,
  )
  return { users: rows, total }
}

/** Replaces name, role and enabled state; false when the user does not exist. */
export async function updateUser(db: Db, instanceId: string, id: string, details: UserDetails, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update users set name = $3, role = $4, disabled_at = case when $5 then null else coalesce(disabled_at, $6) end, updated_at = $6
     where instance_id = $1 and id = $2`,
    [instanceId, id, details.name, details.role, details.isEnabled, at],
  )
  return rowCount === 1
}

export async function updatePasswordHash(db: Db, instanceId: string, id: string, passwordHash: string, at: Date): Promise<void> {
  await db.query('update users set password_hash = $3, updated_at = $4 where instance_id = $1 and id = $2', [
    instanceId,
    id,
    passwordHash,
    at,
  ])
}

/** Replaces a password hash by a new hash of the same password; false when the password was changed meanwhile. */
export async function renewPasswordHash(db: Db, { instanceId, id, passwordHash }: LoginUser, renewed: string): Promise<boolean> {
  const { rowCount } = await db.query('update users set password_hash = $4 where instance_id = $1 and id = $2 and password_hash = $3', [
    instanceId,
    id,
    passwordHash,
    renewed,
  ])
  return rowCount === 1
}

/** Locks the user until the transaction ends; null when the account is gone or disabled. */
export async function lockPasswordHash(db: Db, instanceId: string, id: string): Promise<string | null> {
  const { rows } = await db.query<{ hash: string }>(
    'select password_hash as hash from users where instance_id = $1 and id = $2 and disabled_at is null for no key update',
    [instanceId, id],
  )
  return rows[0]?.hash ?? null
}

/** Locks all users of an instance until the transaction ends, in one order. NOTE before its identity provider, as a login does. */
export async function lockPasswordHashes(db: Db, instanceId: string): Promise<void> {
  await db.query('select from users where instance_id = $1 order by id for no key update', [instanceId])
}

/** Makes the passwords of all users of an instance unusable: `unmatchable` is a hash that no password has. */
export async function removePasswords(db: Db, instanceId: string, unmatchable: string): Promise<void> {
  await db.query('update users set password_hash = $2 where instance_id = $1', [instanceId, unmatchable])
}

/** Records when the address was verified; only the first time counts. */
export async function noteProvenEmail(db: Db, instanceId: string, id: string, at: Date): Promise<void> {
  await db.query('update users set email_proven_at = coalesce(email_proven_at, $3) where instance_id = $1 and id = $2', [
    instanceId,
    id,
    at,
  ])
}

/** Records a login and the language of its browser, if known; returns when the login before was, null: never. */
export async function noteLogin(db: Db, instanceId: string, userId: string, at: Date, language: Locale | null): Promise<Date | null> {
  const { rows } = await db.query<{ before: Date | null }>(
    `with known as (select last_login_at as before from users where instance_id = $1 and id = $2 for no key update)
     update users set last_login_at = $3, language = coalesce($4, language) from known where instance_id = $1 and id = $2
     returning known.before`,
    [instanceId, userId, at, language],
  )
  return rows[0]?.before ?? null
}

/** Deletes a user with sessions and second factor; false when the user does not exist. */
export async function deleteUser(db: Db, instanceId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from users where instance_id = $1 and id = $2', [instanceId, id])
  return rowCount === 1
}

/**
 * Locks the user list of the instance until the transaction ends; whether an enabled admin other than `exceptId`
 * exists. The lock keeps two admins from removing each other concurrently.
 */
export async function lockOtherAdmins(db: Db, instanceId: string, exceptId: string): Promise<boolean> {
  await lockInstance(db, instanceId)
  const { rows } = await db.query(
    "select 1 from users where instance_id = $1 and id <> $2 and role = 'admin' and disabled_at is null limit 1",
    [instanceId, exceptId],
  )
  return rows.length > 0
}
