import { randomUUID } from 'node:crypto'
import { cancelPasswordResets } from '../../../store/access/password-resets.ts'
import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import {
  deleteUser,
  findUser,
  insertUser,
  lockOtherAdmins,
  normalizeEmail,
  type Role,
  type User,
  type UserDetails,
  updatePasswordHash,
  updateUser,
} from '../../../store/access/users.ts'
import { type Database, type Db, inTransaction } from '../../../store/db/database.ts'
import { lockUsers, noteRoleByHand } from '../../../store/provisioning/provisioned-roles.ts'
import { badField, conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import type { PasswordHashing } from '../passwords/password-hashing.ts'
import { findPasswordFault } from '../passwords/password-rules.ts'
import { notifyOfAdmin, notifyUser } from './notices.ts'

export interface NewAccount {
  email: string
  name: string
  role: Role
  password: string
}

/** New user whose password is hashed. */
export type PreparedUser = Omit<NewAccount, 'password'> & { id: string; passwordHash: string }

/**
 * Creates a user of an instance. Throws a 400 for a password that is easy to guess and a 409 for an address that is taken,
 * in any instance.
 */
export async function createUser(
  { database, hashing, now }: { database: Database | Db; hashing: PasswordHashing; now(): Date },
  instanceId: string,
  account: NewAccount,
): Promise<User> {
  return await storeUser(database, instanceId, await prepareUser(hashing, account), now())
}

/**
 * Judges and hashes the password, which takes long: to be called before a transaction begins. Throws a 400 for one that is
 * easy to guess.
 */
export async function prepareUser(hashing: PasswordHashing, account: NewAccount): Promise<PreparedUser> {
  const fault = await findPasswordFault(account.password, account)
  if (fault) throw badField('password', fault)
  return await hashUser(hashing, account)
}

/** The same for a password that was judged before, or made at random. */
export async function hashUser(hashing: PasswordHashing, { email, name, role, password }: NewAccount): Promise<PreparedUser> {
  return { id: randomUUID(), email: normalizeEmail(email), name: name.trim(), role, passwordHash: await hashing.hash(password) }
}

/** Inserts a prepared user. Throws a 409 for an address that is taken, in any instance. */
export async function storeUser(db: Database | Db, instanceId: string, prepared: PreparedUser, at: Date): Promise<User> {
  if (!(await insertUser(db, { ...prepared, instanceId }, at))) throw conflict('The e-mail address is taken.')
  return await getUser(db, instanceId, prepared.id)
}

export async function addUser(access: Access, caller: UserCaller, account: NewAccount): Promise<User> {
  const prepared = await prepareUser(access.hashing, account)
  return await inTransaction(access.database, async (db) => {
    const after = await storeUser(db, caller.instanceId, prepared, access.now())
    if (after.role === 'admin') await notifyOfAdmin(access, db, after)
    await audit(access, db, { ...entryOf(caller, 'user.created', after.id), after })
    return after
  })
}

/**
 * Changes a user; a new role, a new password or disabling ends the user's sessions and cancels password resets. The
 * last admin cannot be demoted or disabled.
 */
export async function changeUser(
  access: Access,
  caller: UserCaller,
  id: string,
  change: UserDetails & { password?: string | undefined },
): Promise<User> {
  const hash = await hashNew(access, await getUser(access.database, caller.instanceId, id), change.password)
  return inTransaction(access.database, async (db) => {
    await lockUsers(db, caller.instanceId)
    const before = await getUser(db, caller.instanceId, id)
    if (change.role !== 'admin' || !change.isEnabled) await keepAnAdmin(db, caller, id)
    const at = access.now()
    if (!(await updateUser(db, caller.instanceId, id, change, at))) throw notFound('user')
    if (change.role !== before.role || change.isEnabled !== before.isEnabled) await noteRoleByHand(db, before, change.role)
    if (hash !== null) await updatePasswordHash(db, caller.instanceId, id, hash, at)
    if (hash !== null || change.role !== before.role || !change.isEnabled) {
      await endSessionsOfUser(db, caller.instanceId, id, 'account changed', at)
      await cancelPasswordResets(db, { instanceId: caller.instanceId, userId: id })
    }
    const after = await getUser(db, caller.instanceId, id)
    if (hash !== null) await notifyUser(access, db, after, 'passwordChanged', (shared) => shared)
    if (after.role === 'admin' && before.role !== 'admin') await notifyOfAdmin(access, db, after)
    const password = hash === null ? {} : { password: 'new' }
    await audit(access, db, { ...entryOf(caller, 'user.changed', id), before, after: { ...after, ...password } })
    return after
  })
}

/** Deletes a user with all sessions. The last admin cannot be deleted. */
export async function removeUser(access: Access, caller: UserCaller, id: string): Promise<void> {
  await inTransaction(access.database, async (db) => {
    await lockUsers(db, caller.instanceId)
    const before = await getUser(db, caller.instanceId, id)
    await keepAnAdmin(db, caller, id)
    if (!(await deleteUser(db, caller.instanceId, id))) throw notFound('user')
    await audit(access, db, { ...entryOf(caller, 'user.deleted', id), before })
  })
}

/** Throws a 404 for an unknown user and for one of another instance. */
export async function getUser(db: Db, instanceId: string, id: string): Promise<User> {
  return orNotFound(await findUser(db, instanceId, id), 'user')
}

async function hashNew(access: Access, user: User, password: string | undefined): Promise<string | null> {
  if (password === undefined) return null
  const fault = await findPasswordFault(password, user)
  if (fault) throw badField('password', fault)
  return access.hashing.hash(password)
}

async function keepAnAdmin(db: Db, caller: UserCaller, exceptId: string): Promise<void> {
  if (!(await lockOtherAdmins(db, caller.instanceId, exceptId))) throw conflict('An instance keeps at least one admin.')
}

function entryOf(caller: UserCaller, action: 'user.created' | 'user.changed' | 'user.deleted', userId: string) {
  return { instanceId: caller.instanceId, action, userId: caller.userId, subject: `user/${userId}` }
}
