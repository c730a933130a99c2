import { isUuid } from '../../../model/values/uuid.ts'
import { cancelPasswordResets } from '../../../store/access/password-resets.ts'
import { shareResource } from '../../../store/access/resource-locks.ts'
import { deleteUser, findUser, insertUser, type User } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { hasEnabledAdmin, lockUsers, saveRights } from '../../../store/provisioning/provisioned-roles.ts'
import {
  adoptUsers,
  findScimUser,
  insertScimUser,
  isUserNameTaken,
  type ScimUser,
  updateAccount,
  updateScimUser,
} from '../../../store/provisioning/scim-users.ts'
import { type Access, audit } from '../../access/access.ts'
import { notifyUser } from '../../access/account/notices.ts'
import { applyRights, lastAdmin } from '../../access/groups/apply-rights.ts'
import { notFound } from '../../errors/errors.ts'
import { taken } from '../messages/scim-error.ts'
import { nameOf, type UserDocument } from './user-document.ts'

/**
 * Adds a user without a password, who cannot sign in before a group or an administrator gives a role. Throws a 409 for a
 * user name that another user of the instance has, and for an address that any user has.
 */
export async function createUser(access: Access, instanceId: string, id: string, document: UserDocument): Promise<ScimUser> {
  const passwordHash = await access.hashing.hashOfNobody()
  return await inTransaction(access.database, async (db) => {
    await lockUsers(db, instanceId)
    await checkUserName(db, instanceId, document.userName, null)
    const { email, name } = document
    const account = { instanceId, id, email, name, role: 'viewer', passwordHash } as const
    if (!(await insertUser(db, account, access.now()))) throw addressTaken()
    await saveRights(db, instanceId, [{ id, role: 'viewer', isEnabled: false }], access.now())
    await insertScimUser(db, instanceId, id, document)
    await audit(access, db, { instanceId, action: 'user.created', subject: `user/${id}`, after: await findAccount(db, instanceId, id) })
    return await getScimUser(db, instanceId, id)
  })
}

/**
 * Replaces what is kept of a user by what `change` makes of it; a user made by hand is the provider’s from then on.
 * Throws a 404, a 409 like `createUser` and for the last administrator, and what `change` throws.
 */
export async function changeUser(
  access: Access,
  instanceId: string,
  id: string,
  change: (before: ScimUser) => UserDocument,
): Promise<ScimUser> {
  checkId(id)
  return await inTransaction(access.database, async (db) => {
    await shareResource(db, { instanceId, path: `/admin/api/v1/users/${id}` })
    await lockUsers(db, instanceId)
    const before = await getScimUser(db, instanceId, id)
    const account = await findAccount(db, instanceId, id)
    const after = change(before)
    await checkUserName(db, instanceId, after.userName, id)
    if (!(await adoptUsers(db, instanceId, [id]))) throw taken('Another user has the address of this user as userName.')
    await updateScimUser(db, instanceId, id, after)
    await saveAccount(access, db, before, account, after)
    await applyRights(access, db, { instanceId, ids: [id], wasActive: before.isActive })
    const [left, right] = [
      { ...account, ...before },
      { ...(await findAccount(db, instanceId, id)), ...(await getScimUser(db, instanceId, id)) },
    ]
    if (isChanged(left, right))
      await audit(access, db, { instanceId, action: 'user.changed', subject: `user/${id}`, before: left, after: right })
    return right
  })
}

/** Deletes a user with all sessions. Throws a 404, and a 409 for the last administrator. */
export async function removeUser(access: Access, instanceId: string, id: string, check: (before: ScimUser) => void): Promise<void> {
  checkId(id)
  await inTransaction(access.database, async (db) => {
    await shareResource(db, { instanceId, path: `/admin/api/v1/users/${id}` })
    await lockUsers(db, instanceId)
    check(await getScimUser(db, instanceId, id))
    const before = await findAccount(db, instanceId, id)
    await deleteUser(db, instanceId, id)
    if (before.role === 'admin' && before.isEnabled && !(await hasEnabledAdmin(db, instanceId))) throw lastAdmin()
    await audit(access, db, { instanceId, action: 'user.deleted', subject: `user/${id}`, before })
  })
}

/** Throws a 404 for an unknown user and for one of another instance. */
export async function getScimUser(db: Db, instanceId: string, id: string): Promise<ScimUser> {
  checkId(id)
  const user = await findScimUser(db, instanceId, id)
  if (!user) throw notFound('user')
  return user
}

function checkId(id: string): void {
  if (!isUuid(id)) throw notFound('user')
}

async function findAccount(db: Db, instanceId: string, id: string): Promise<User> {
  const account = await findUser(db, instanceId, id)
  if (!account) throw notFound('user')
  return account
}

async function checkUserName(db: Db, instanceId: string, userName: string, exceptId: string | null): Promise<void> {
  if (await isUserNameTaken(db, instanceId, userName, exceptId)) throw taken('Another user has this userName.')
}

function addressTaken() {
  return taken('The e-mail address is taken.')
}

/**
 * Name and address follow what was sent; a name that was changed by hand stays until another is sent. Links that were
 * mailed to the address before work no more, and a notice goes to it.
 */
async function saveAccount(access: Access, db: Db, before: ScimUser, account: User, after: UserDocument): Promise<void> {
  const { instanceId, id } = account
  const name = nameOf(before.userName, before.attributes) === after.name ? account.name : after.name
  const isSame = before.externalId === after.externalId && before.isActive === after.isActive && before.userName === after.userName
  if (
    isSame &&
    name === account.name &&
    after.email === account.email &&
    JSON.stringify(before.attributes) === JSON.stringify(after.attributes)
  )
    return
  const isMoved = after.email !== account.email
  // Before the change: to the address that the account still has.
  if (isMoved && account.isEnabled) await notifyUser(access, db, account, 'addressChanged', (shared) => shared)
  if (!(await updateAccount(db, instanceId, id, { name, email: after.email, at: access.now() }))) throw addressTaken()
  if (isMoved) await cancelPasswordResets(db, { instanceId, userId: id })
}

function isChanged(before: object, after: object): boolean {
  const without = (of: object) => JSON.stringify({ ...of, updatedOn: null })
  return without(before) !== without(after)
}
