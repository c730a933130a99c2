import { type MailContext, queueMail } from '../../../mail/queue.ts'
import type { Locale } from '../../../model/values/text.ts'
import { isProviderRequired } from '../../../store/access/identity-providers.ts'
import { findInstance } from '../../../store/access/instances.ts'
import { cancelPasswordResets, createPasswordReset } from '../../../store/access/password-resets.ts'
import type { User } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { conflict, providerRequired } from '../../errors/errors.ts'
import { type Access, audit, hashSecret, newSecret } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { notifyOfAdmin } from './notices.ts'
import { getUser, type NewAccount, prepareUser, storeUser } from './user-accounts.ts'

const LIFE_HOURS = 72

/** Dependencies for mailing an invitation. */
export interface Invitations {
  mail: MailContext | undefined
  publicUrl: string
}

/**
 * Creates a user who sets the password through a mailed link, which also verifies the address. Throws like `createUser`
 * and `queueMail`, and a 403 where passwords do not work.
 */
export async function inviteUser(
  access: Access,
  invitations: Invitations,
  caller: UserCaller,
  account: Omit<NewAccount, 'password'>,
  locale: Locale,
): Promise<User> {
  // A random password that nobody knows.
  const prepared = await prepareUser(access.hashing, { ...account, password: newSecret() })
  return await inTransaction(access.database, async (db) => {
    const user = await storeUser(db, caller.instanceId, prepared, access.now())
    if (user.role === 'admin') await notifyOfAdmin(access, db, user)
    await audit(access, db, { ...entryOf(caller, user), action: 'user.created', after: user })
    await sendInvitation(access, invitations, db, caller, user, locale)
    return user
  })
}

/**
 * Mails a new invitation link and invalidates earlier ones. Throws a 409 for an account that needs none, and like
 * `queueMail`.
 */
export async function inviteAgain(
  access: Access,
  invitations: Invitations,
  caller: UserCaller,
  userId: string,
  locale: Locale,
): Promise<void> {
  await inTransaction(access.database, async (db) => {
    const user = await getUser(db, caller.instanceId, userId)
    if (!user.isEnabled) throw conflict('The account is disabled; enable it first.')
    if (user.emailProvenOn) throw conflict('The e-mail address is proven already.')
    await cancelPasswordResets(db, { instanceId: user.instanceId, userId })
    await sendInvitation(access, invitations, db, caller, user, locale)
  })
}

async function sendInvitation(
  access: Access,
  { mail, publicUrl }: Invitations,
  db: Db,
  caller: UserCaller,
  user: User,
  locale: Locale,
): Promise<void> {
  const { instanceId, id: userId } = user
  if (await isProviderRequired(db, instanceId)) throw providerRequired()
  const token = newSecret()
  await createPasswordReset(db, hashSecret(access, 'password reset', token), { instanceId, userId }, LIFE_HOURS)
  await queueMail(db, mail, {
    instanceId,
    kind: 'invitation',
    facts: {
      requester: (await findInstance(db, instanceId))?.name ?? 'Countinghouse',
      host: new URL(publicUrl).host,
      // In the fragment, so that it is in no server's log.
      address: `${publicUrl}/portal/new-password#${token}`,
    },
    locale,
    to: { address: user.email, name: user.name },
    companyId: null,
  })
  await audit(access, db, { ...entryOf(caller, user), action: 'user.invited' })
}

function entryOf(caller: UserCaller, { id }: User) {
  return { instanceId: caller.instanceId, userId: caller.userId, subject: `user/${id}` }
}
