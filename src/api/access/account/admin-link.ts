import { isProviderRequired } from '../../../store/access/identity-providers.ts'
import { cancelPasswordResets, createPasswordReset } from '../../../store/access/password-resets.ts'
import { findLoginUser, listAdmins, normalizeEmail, type User } from '../../../store/access/users.ts'
import { type Database, type Db, inTransaction } from '../../../store/db/database.ts'
import { type Access, audit, hashSecret, newSecret } from '../access.ts'

/** Purpose of the hash; a link that the operator passes on proves no e-mail address, unlike one that was mailed. */
export const ADMIN_LINK = 'admin link'
const LIFE_HOURS = 1

type LinkAccess = Pick<Access, 'keys' | 'hashes' | 'now'>

/** Thrown when no administrator, or more than one, is meant, and for one whose password would not work. */
export class NoSuchAdmin extends Error {
  override readonly name = 'NoSuchAdmin'
}

export interface AdminLink {
  email: string
  /** Page at which the administrator sets a password; works once, for an hour. */
  address: string
  expiresAt: Date
}

/**
 * One-time link for an administrator to set a password; earlier ones become invalid. `email` may be null when there is
 * one administrator. Throws `NoSuchAdmin`.
 */
export async function issueAdminLink(
  access: LinkAccess & { database: Database },
  email: string | null,
  publicUrl: string,
): Promise<AdminLink> {
  const admin = await findAdmin(access.database, email)
  if (await isProviderRequired(access.database, admin.instanceId))
    throw new NoSuchAdmin(
      `${admin.email} signs in with the identity provider of the instance; \`countinghouse instance allow-passwords ${admin.instanceId}\` lets passwords work again`,
    )
  return await inTransaction(access.database, async (db) => {
    await cancelPasswordResets(db, { instanceId: admin.instanceId, userId: admin.id })
    return await createAdminLink(access, db, admin, { publicUrl, lifeHours: LIFE_HOURS })
  })
}

/** One-time link for an administrator, in the caller’s transaction; earlier ones stay valid. */
export async function createAdminLink(
  access: LinkAccess,
  db: Db,
  { instanceId, id: userId, email }: Pick<User, 'instanceId' | 'id' | 'email'>,
  { publicUrl, lifeHours }: { publicUrl: string; lifeHours: number },
): Promise<AdminLink> {
  const token = newSecret()
  await createPasswordReset(db, hashSecret(access, ADMIN_LINK, token), { instanceId, userId }, lifeHours)
  await audit(access, db, { instanceId, action: 'password.link-issued', userId: null, subject: `user/${userId}` })
  return {
    email,
    // In the fragment, so that it is in no server's log.
    address: `${publicUrl}/portal/new-password#${token}`,
    expiresAt: new Date(access.now().getTime() + lifeHours * 3_600_000),
  }
}

async function findAdmin(database: Database, email: string | null): Promise<User> {
  if (email !== null) {
    const user = await findLoginUser(database, normalizeEmail(email))
    if (user?.role !== 'admin' || !user.isEnabled) throw new NoSuchAdmin(`there is no administrator ${email}, or the account is disabled`)
    return user
  }
  const [first, second] = await listAdmins(database, 2)
  if (!first) throw new NoSuchAdmin('there is no administrator yet; start the service once, which creates SEED_EMAIL')
  if (second) throw new NoSuchAdmin('there is more than one administrator; name one with --email')
  return first
}
