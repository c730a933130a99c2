import { isProviderRequired } from '../../../store/access/identity-providers.ts'
import { cancelPasswordResets } from '../../../store/access/password-resets.ts'
import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import { findPasswordHash, findUser, type User, updatePasswordHash } from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { badField, providerRequired, unauthorized } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { countConfirmation, refundConfirmation } from '../login/login-rate-limit.ts'
import { findPasswordFault } from '../passwords/password-rules.ts'
import { notifyUser } from './notices.ts'

/** The caller's own account. Throws a 401 when it was deleted within the lifetime of the token. */
export async function getOwnAccount(access: Access, caller: UserCaller): Promise<User> {
  const user = await findUser(access.database, caller.instanceId, caller.userId)
  if (!user?.isEnabled) throw unauthorized()
  return user
}

/**
 * The caller's own account, after re-entering the password. Throws a 400 for a wrong one, a 429 above the limit. NOTE
 * the attempt stays counted: a caller who knows the password may still be guessing codes, which count against the same
 * limit.
 */
export async function checkPassword(access: Access, caller: UserCaller, password: string): Promise<User> {
  const user = await getOwnAccount(access, caller)
  await countConfirmation(access, user.id)
  const hash = await findPasswordHash(access.database, user.instanceId, user.id)
  if (!(await access.hashing.verify(hash, password))) throw badField('password', 'is wrong')
  return user
}

/**
 * Replaces the caller's password, ends all other sessions and cancels password resets. Throws a 403 where passwords do
 * not work.
 */
export async function changePassword(access: Access, caller: UserCaller, password: string, newPassword: string): Promise<void> {
  if (await isProviderRequired(access.database, caller.instanceId)) throw providerRequired()
  const user = await checkPassword(access, caller, password)
  await refundConfirmation(access, user.id)
  const fault = await findPasswordFault(newPassword, user)
  if (fault) throw badField('newPassword', fault)
  const hash = await access.hashing.hash(newPassword)
  const { instanceId, userId, sessionId } = caller
  await inTransaction(access.database, async (db) => {
    await updatePasswordHash(db, instanceId, userId, hash, access.now())
    await endSessionsOfUser(db, instanceId, userId, 'password changed', access.now(), sessionId)
    await cancelPasswordResets(db, { instanceId, userId })
    await notifyUser(access, db, user, 'passwordChanged', (shared) => shared)
    await audit(access, db, { instanceId, action: 'password.changed', userId, subject: `user/${userId}` })
  })
}
