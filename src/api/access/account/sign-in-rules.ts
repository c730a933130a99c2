import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import {
  endSessionsWithoutTwoStep,
  findSignInRules,
  listWithoutTwoStep,
  type SignInRules,
  setTwoStepRequired,
} from '../../../store/access/sign-in-rules.ts'
import { clearTwoStep } from '../../../store/access/two-step.ts'
import { lockOtherAdmins, type User } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { conflict } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { notifyUser } from './notices.ts'
import { getOwnAccount } from './own-account.ts'
import { getUser } from './user-accounts.ts'

/** Maximum number of members notified of a new rule; more than any instance has. */
const MAX_TOLD = 10_000

/**
 * Sets whether the members of an instance need a second step. Members without one are notified by mail, lose all
 * sessions, and can then sign in only to set one up. Throws a 409 unless the admin who requires it has one.
 */
export async function changeSignInRules(access: Access, caller: UserCaller, requiresTwoStep: boolean): Promise<SignInRules> {
  const { instanceId } = caller
  const admin = await getOwnAccount(access, caller)
  if (requiresTwoStep && !admin.twoStep) throw conflict('Set up two-step login for yourself first.')
  return await inTransaction(access.database, async (db) => {
    await lockOtherAdmins(db, instanceId, caller.userId)
    const before = await findSignInRules(db, instanceId)
    if (before.requiresTwoStep === requiresTwoStep) return before
    await setTwoStepRequired(db, instanceId, requiresTwoStep, access.now())
    if (requiresTwoStep) {
      for (const id of await listWithoutTwoStep(db, instanceId, MAX_TOLD))
        await notifyUser(access, db, { instanceId, id }, 'twoStepRequired', (shared) => shared)
      await endSessionsWithoutTwoStep(db, instanceId, access.now())
    }
    const after = await findSignInRules(db, instanceId)
    const entry = { instanceId, action: 'sign-in.rules-changed', userId: caller.userId, subject: null } as const
    await audit(access, db, { ...entry, before, after })
    return after
  })
}

/**
 * Removes the lost second step of another user: the password alone then suffices to sign in, and sets up a new one if
 * the instance requires it. All sessions of the user end. Throws a 409 if there is none.
 */
export async function resetTwoStep(access: Access, caller: UserCaller, userId: string): Promise<void> {
  if (userId === caller.userId) throw conflict('Turn off your own two-step login with a code, at your account.')
  await inTransaction(access.database, async (db) => {
    const user = await getUser(db, caller.instanceId, userId)
    await clearSecondStep(access, db, user)
    const subject = `user/${userId}`
    await audit(access, db, { instanceId: caller.instanceId, action: 'user.two-step-reset', userId: caller.userId, subject })
  })
}

/** Ends all sessions of another user; returns how many. */
export async function endSessionsOfMember(access: Access, { instanceId, userId: adminId }: UserCaller, userId: string): Promise<number> {
  return await inTransaction(access.database, async (db) => {
    await getUser(db, instanceId, userId)
    const ended = await endSessionsOfUser(db, instanceId, userId, 'ended by an administrator', access.now())
    const entry = { instanceId, action: 'user.sessions-ended', userId: adminId, subject: `user/${userId}`, details: { ended } } as const
    await audit(access, db, entry)
    return ended
  })
}

/** Removes the second step of a user, ends all sessions, and notifies the user; the caller writes the audit entry. */
export async function clearSecondStep(
  access: Pick<Access, 'database' | 'settings' | 'now' | 'mail' | 'log'>,
  db: Db,
  user: User,
): Promise<void> {
  const { instanceId, id } = user
  if (!(await clearTwoStep(db, instanceId, id))) throw conflict('The user has no two-step login.')
  await endSessionsOfUser(db, instanceId, id, 'two-step login reset', access.now())
  await notifyUser(access, db, user, 'twoStepReset', (shared) => shared)
}
