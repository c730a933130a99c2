import { randomUUID } from 'node:crypto'
import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import { addIdentity, findMemberId, hasIdentity } from '../../../store/access/provider-identities.ts'
import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import {
  findLoginUser,
  findUser,
  insertUser,
  lockOtherAdmins,
  lockPasswordHash,
  noteProvenEmail,
  type Role,
  type User,
  updateUser,
} from '../../../store/access/users.ts'
import type { Db } from '../../../store/db/database.ts'
import { lockUsers, waitsForRole } from '../../../store/provisioning/provisioned-roles.ts'
import { type Access, audit, newSecret } from '../access.ts'
import { notifyOfAdmin } from '../account/notices.ts'
import type { Person } from './claims.ts'
import { SignInFault } from './faults.ts'
import { roleOfPerson } from './roles.ts'
import { toDomain } from './sign-in-options.ts'

/** Hash of a password that nobody knows, for members who have none. */
export type NoPassword = string

export async function makeNoPassword({ hashing }: Pick<Access, 'hashing'>): Promise<NoPassword> {
  return await hashing.hash(newSecret())
}

/**
 * The member that a person is, with the role that the provider's groups give, made or joined if the settings allow it.
 * A person is known by issuer and subject. A member who is there already is joined once, when the provider vouches for
 * the same address and its domain is one of the settings'. Throws a `SignInFault`, and changes nothing then.
 */
export async function settleMember(
  access: Access,
  db: Db,
  provider: IdentityProvider,
  person: Person,
  noPassword: NoPassword,
): Promise<User> {
  const { instanceId, issuer } = provider
  checkAddress(provider, person)
  const knownId = await findMemberId(db, { instanceId, issuer, subject: person.subject })
  const found = knownId === null ? await findByAddress(db, provider, person) : await findUser(db, instanceId, knownId)
  const known = found && !found.isEnabled ? await lockDisabled(db, found) : found
  const isWaiting = known !== null && !known.isEnabled && (await waitsForRole(db, known))
  if (known && !known.isEnabled && !isWaiting) throw new SignInFault('disabled', 'the member is disabled')
  if (!known && !provider.createsMembers) throw new SignInFault('notMember', 'nobody with this address is a member')
  const role = await roleOfPerson(db, provider, person, isWaiting ? null : (known?.role ?? null))
  if (role === null) throw new SignInFault('noRole', 'no group of the person gives a role')
  const user = known
    ? await (isWaiting ? enable(access, db, known, role) : applyRole(access, db, known, role, null))
    : await createMember(access, db, provider, { person, role, noPassword })
  if (knownId === null) await addNewIdentity(access, db, provider, { person, user })
  return user
}

/**
 * Gives a member the role of the groups; other sessions of the member, whose tokens name the old one, end. The last
 * admin stays one, so that nobody is locked out. What others have changed since `user` was read stays: a member who was
 * disabled, or who has got another role.
 */
export async function applyRole(access: Access, db: Db, user: User, role: Role, sessionId: string | null): Promise<User> {
  if (role === user.role) return user
  const { instanceId, id } = user
  if (user.role === 'admin' && !(await lockOtherAdmins(db, instanceId, id))) {
    access.log.warn({ instanceId, userId: id }, 'the groups of the last admin give another role; the admin stays one')
    return user
  }
  const isEnabled = (await lockPasswordHash(db, instanceId, id)) !== null
  const before = (await findUser(db, instanceId, id)) ?? user
  if (!isEnabled || before.role !== user.role) return before
  const after = { ...before, role }
  await updateUser(db, instanceId, id, after, access.now())
  await endSessionsOfUser(db, instanceId, id, 'role changed by the identity provider', access.now(), sessionId)
  if (role === 'admin') await notifyOfAdmin(access, db, after)
  await audit(access, db, { instanceId, action: 'user.changed', userId: id, subject: `user/${id}`, before, after })
  return after
}

/** A disabled member as of now; the directory and administrators enable and disable nobody until the transaction ends. */
async function lockDisabled(db: Db, user: User): Promise<User> {
  await lockUsers(db, user.instanceId)
  return (await findUser(db, user.instanceId, user.id)) ?? user
}

/** Enables a member whom the directory has added without a role (SCIM). */
async function enable(access: Access, db: Db, user: User, role: Role): Promise<User> {
  const { instanceId, id } = user
  const after = { ...user, role, isEnabled: true }
  await updateUser(db, instanceId, id, after, access.now())
  if (role === 'admin') await notifyOfAdmin(access, db, after)
  await audit(access, db, { instanceId, action: 'user.changed', userId: id, subject: `user/${id}`, before: user, after })
  return after
}

/** Who may come: addresses of the settings' domains, if there are any. */
function checkAddress({ emailDomains }: IdentityProvider, { email, isEmailVerified }: Person): void {
  if (emailDomains.length === 0) return
  if (email === null) throw new SignInFault('noEmail', 'the provider names no address')
  if (!isEmailVerified) throw new SignInFault('unverifiedEmail', 'the provider does not vouch for the address')
  if (!isOfDomain(email, emailDomains)) throw new SignInFault('otherDomain', 'the domain of the address is not among the accepted ones')
}

/** A member who has not signed in with this provider yet. */
async function findByAddress(db: Db, { instanceId, issuer, emailDomains }: IdentityProvider, person: Person): Promise<User | null> {
  const { email, isEmailVerified } = person
  if (email === null) throw new SignInFault('noEmail', 'the provider names no address')
  const user = await findLoginUser(db, email)
  if (!user) return null
  if (user.instanceId !== instanceId || (await hasIdentity(db, instanceId, user.id, issuer)))
    throw new SignInFault('taken', 'somebody else has this address')
  if (!isEmailVerified) throw new SignInFault('unverifiedEmail', 'a member has this address, for which the provider does not vouch')
  if (!isOfDomain(email, emailDomains))
    throw new SignInFault('taken', 'a member has this address, and its domain is not among those of the settings')
  return user
}

async function createMember(
  access: Access,
  db: Db,
  { instanceId }: IdentityProvider,
  { person, role, noPassword }: { person: Person; role: Role; noPassword: NoPassword },
): Promise<User> {
  const email = person.email ?? ''
  const id = randomUUID()
  const account = { instanceId, id, email, name: person.name ?? email, role, passwordHash: noPassword }
  if (!(await insertUser(db, account, access.now()))) throw new SignInFault('taken', 'somebody else has this address')
  const user = await findUser(db, instanceId, id)
  if (!user) throw new Error('a user who was just added is gone')
  if (role === 'admin') await notifyOfAdmin(access, db, user)
  await audit(access, db, { instanceId, action: 'user.created', userId: id, subject: `user/${id}`, after: user })
  return user
}

async function addNewIdentity(
  access: Access,
  db: Db,
  { instanceId, issuer }: IdentityProvider,
  { person, user }: { person: Person; user: User },
): Promise<void> {
  const { subject, isEmailVerified } = person
  if (!(await addIdentity(db, { instanceId, issuer, subject }, user.id, access.now())))
    throw new SignInFault('expired', 'the person has just signed in elsewhere')
  if (isEmailVerified) await noteProvenEmail(db, instanceId, user.id, access.now())
  const host = new URL(issuer).host
  await audit(access, db, { instanceId, action: 'identity.added', userId: user.id, subject: `user/${user.id}`, details: { host } })
}

function isOfDomain(email: string, domains: readonly string[]): boolean {
  return domains.includes(toDomain(email.slice(email.lastIndexOf('@') + 1)))
}
