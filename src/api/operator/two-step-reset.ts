import { findLoginUser, normalizeEmail } from '../../store/access/users.ts'
import { inTransaction } from '../../store/db/database.ts'
import { type Access, audit } from '../access/access.ts'
import { clearSecondStep } from '../access/account/sign-in-rules.ts'
import { notFound } from '../errors/errors.ts'

/**
 * Takes the second step from a user of an instance who has lost it, such as its last administrator. Throws a 404 for a
 * user whom the instance does not have, and a 409 for one without a second step.
 */
export async function resetTwoStepOf(access: Access, instanceId: string, email: string): Promise<void> {
  await inTransaction(access.database, async (db) => {
    const user = await findLoginUser(db, normalizeEmail(email))
    if (user?.instanceId !== instanceId) throw notFound('user')
    await clearSecondStep(access, db, user)
    const entry = { action: 'user.two-step-reset', subject: `user/${user.id}` } as const
    await audit(access, db, { ...entry, instanceId })
    await audit(access, db, { ...entry, instanceId: null })
  })
}
