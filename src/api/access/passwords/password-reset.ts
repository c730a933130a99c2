import { type MailContext, queueMail } from '../../../mail/queue.ts'
import type { Locale } from '../../../model/values/text.ts'
import { isProviderRequired, listSignInOptions } from '../../../store/access/identity-providers.ts'
import { consumeAttempt } from '../../../store/access/login-rate-limits.ts'
import { consumePasswordReset, createPasswordReset, findPasswordReset } from '../../../store/access/password-resets.ts'
import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import {
  findLoginUser,
  findUser,
  lockPasswordHash,
  normalizeEmail,
  noteProvenEmail,
  updatePasswordHash,
} from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { badField, conflict, providerRequired, tooManyRequests } from '../../errors/errors.ts'
import { type Access, audit, hashesOfSecret, hashSecret, newSecret } from '../access.ts'
import { ADMIN_LINK } from '../account/admin-link.ts'
import { notifyUser } from '../account/notices.ts'
import { findPasswordFault } from './password-rules.ts'

const PER_ACCOUNT = 5
const PER_NETWORK = 30
const WINDOW_SECONDS = 3_600
const LIFE_HOURS = 0.5
const UNKNOWN = 'is unknown, was used or has run out'

export interface ResetRequest {
  email: string
  locale: Locale
  /** Network of the client. */
  network: string
}

/**
 * Rate limit of password reset requests, whether the address is known or not. Throws a 409 without a mail server, a 429
 * above the limits, and a 403 for a member who has to sign in with the identity provider of the instance.
 */
export async function admitReset(access: Access, mail: MailContext | undefined, { email, network }: ResetRequest): Promise<void> {
  if (!mail) throw conflict('No mail server is set: ask an admin of your instance for a new password.')
  const at = access.now()
  const attemptLimits = [
    { key: hashSecret(access, 'reset account', normalizeEmail(email)), limit: PER_ACCOUNT, windowSeconds: WINDOW_SECONDS },
    { key: hashSecret(access, 'reset network', network), limit: PER_NETWORK, windowSeconds: WINDOW_SECONDS },
  ]
  const again = await consumeAttempt(access.database, attemptLimits, at)
  if (again) throw tooManyRequests((again.getTime() - at.getTime()) / 1000, 'Too many attempts. Try again later.')
  const [place] = await listSignInOptions(access.database, { email: normalizeEmail(email) })
  if (place?.isRequired) throw providerRequired()
}

/** Mails a password reset link to the user with this address; does nothing for an unknown address. */
export async function sendReset(
  access: Access,
  mail: MailContext | undefined,
  publicUrl: string,
  { email, locale }: ResetRequest,
): Promise<void> {
  const user = await findLoginUser(access.database, normalizeEmail(email))
  if (!user?.isEnabled) return
  const token = newSecret()
  const { instanceId, id: userId } = user
  await inTransaction(access.database, async (db) => {
    await createPasswordReset(db, hashSecret(access, 'password reset', token), { instanceId, userId }, LIFE_HOURS)
    await queueMail(db, mail, {
      instanceId,
      kind: 'passwordReset',
      // In the fragment, so that it is in no server's log.
      facts: { requester: 'Countinghouse', host: new URL(publicUrl).host, address: `${publicUrl}/portal/new-password#${token}` },
      locale,
      to: { address: user.email, name: user.name },
      companyId: null,
    })
    await audit(access, db, { instanceId, action: 'password.forgotten', userId: null, subject: `user/${userId}` })
  })
}

/**
 * Sets a new password, which verifies the address if the link was mailed to it, and ends all sessions of the user. A
 * second factor stays required. Throws a 400 for an invalid token or password, and a 403 where passwords do not work.
 */
export async function resetPassword(access: Access, token: string, password: string): Promise<void> {
  const mailed = hashesOfSecret(access, 'password reset', token)
  const passedOn = hashesOfSecret(access, ADMIN_LINK, token)
  const found = await findPasswordReset(access.database, mailed)
  const tokenHashes = found ? mailed : passedOn
  const reset = found ?? (await findPasswordReset(access.database, passedOn))
  const user = reset && (await findUser(access.database, reset.instanceId, reset.userId))
  if (!reset || !user) throw badField('token', UNKNOWN)
  if (await isProviderRequired(access.database, user.instanceId)) throw providerRequired()
  const fault = await findPasswordFault(password, user)
  if (fault) throw badField('password', fault)
  const hash = await access.hashing.hash(password)
  const { instanceId, userId } = reset
  await inTransaction(access.database, async (db) => {
    // Locks the user first, like other changes of an account.
    if ((await lockPasswordHash(db, instanceId, userId)) === null) throw badField('token', UNKNOWN)
    if (!(await consumePasswordReset(db, tokenHashes, reset))) throw badField('token', UNKNOWN)
    await updatePasswordHash(db, instanceId, userId, hash, access.now())
    if (found) await noteProvenEmail(db, instanceId, userId, access.now())
    await endSessionsOfUser(db, instanceId, userId, 'password reset', access.now())
    await notifyUser(access, db, user, 'passwordChanged', (shared) => shared)
    await audit(access, db, { instanceId, action: 'password.reset', userId, subject: `user/${userId}` })
  })
}
