import { randomUUID } from 'node:crypto'
import { isProviderRequired, lockProviderRequirement } from '../../../store/access/identity-providers.ts'
import { createChallenge } from '../../../store/access/two-step.ts'
import { countUnknownLogin } from '../../../store/access/unknown-logins.ts'
import {
  findLoginUser,
  findPasswordHash,
  findUser,
  type LoginUser,
  lockPasswordHash,
  normalizeEmail,
  noteLogin,
  renewPasswordHash,
  type User,
} from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { isSuspended } from '../../../store/operators/suspensions.ts'
import { type ApiError, instanceSuspended, providerRequired, unauthorized } from '../../errors/errors.ts'
import { type Access, audit, hashSecret } from '../access.ts'
import { CHALLENGE_SECONDS } from '../access-tokens.ts'
import type { Client } from '../account/client.ts'
import { notifyUser } from '../account/notices.ts'
import { type IssuedTokens, openSession } from '../sessions.ts'
import { countAttempt, forgetAttempts, isKnownLoginNetwork } from './login-rate-limit.ts'

/** Tokens, or a challenge for the second factor. */
export type LoginResult = ({ step: 'done' } & IssuedTokens) | { step: 'second'; challenge: string; userName: string }

/**
 * Login by address and password. An unknown address, a wrong password and a disabled account get the same 401 after the
 * same work. Throws a 429 above the limits, and a 403 for a member who has to sign in with the identity provider of the
 * instance, whatever the password.
 */
export async function logIn(access: Access, email: string, password: string, client: Client): Promise<LoginResult> {
  const account = normalizeEmail(email)
  await countAttempt(access, account, client.network)
  const user = await findLoginUser(access.database, account)
  const fits = await access.hashing.verify(user?.passwordHash ?? null, password)
  if (user && (await isProviderRequired(access.database, user.instanceId))) {
    await recordFailure(access, user, { account, network: client.network, reason: 'provider required' })
    throw providerRequired()
  }
  if (!user || !fits || !user.isEnabled) {
    await recordFailure(access, user, { account, network: client.network, reason: fits ? 'disabled' : 'password' })
    throw wrongPassword()
  }
  await checkInstance(access, user)
  const passwordHash = await renewHash(access, user, password)
  // The password may have been changed since it was verified: then nothing begins with the old one.
  const admit = async (db: Db): Promise<void> => {
    if ((await lockPasswordHash(db, user.instanceId, user.id)) !== passwordHash) throw wrongPassword()
  }
  if (user.twoStep) return await challenge(access, user, admit)
  return { step: 'done', ...(await startSession(access, user, client, 'password', admit)) }
}

/** Throws a 403 while the user's instance is suspended. */
async function checkInstance(access: Pick<Access, 'database'>, { instanceId }: Pick<User, 'instanceId'>): Promise<void> {
  if (await isSuspended(access.database, instanceId)) throw instanceSuspended()
}

/** Last step of a login; a code or a passkey follows a password. An identity provider checks its own second step. */
type LastFactor = 'password' | 'code' | 'recovery code' | 'passkey' | 'provider'

/** Special features of a session. */
interface SessionExtras {
  /** Shorter lifetime than usual; null: the usual one. */
  lifeMs: number | null
  /** Runs in the transaction in which the session is opened. */
  also(db: Db, sessionId: string): Promise<void>
}

/** Opens a session after all login steps have succeeded. `admit` locks the user, and throws if a step no longer counts. */
export async function startSession(
  access: Access,
  user: User,
  client: Client,
  factor: LastFactor,
  admit: (db: Db) => Promise<void>,
  extras: SessionExtras | null = null,
): Promise<IssuedTokens> {
  await checkInstance(access, user)
  const { network, agent } = client
  const isKnown = await isKnownLoginNetwork(access, user.email, network)
  const tokens = await inTransaction(access.database, async (db) => {
    await admit(db)
    // Here, because sessions of passwords end when the provider becomes required: none may begin at that moment.
    if (factor !== 'provider' && (await lockProviderRequirement(db, user.instanceId))) throw providerRequired()
    // Locked by now; the role may have changed since the user was read.
    const present = (await findUser(db, user.instanceId, user.id)) ?? user
    const { sessionId, ...issued } = await openSession(access, db, present, client, {
      proofWay: factor === 'provider' ? 'provider' : 'password',
      lifeMs: extras?.lifeMs ?? null,
    })
    await extras?.also(db, sessionId)
    const before = await noteLogin(db, user.instanceId, user.id, access.now(), client.language)
    if (before !== null && !isKnown) await notifyUser(access, db, user, 'newNetwork', (shared) => ({ ...shared, network, agent }))
    const entry = { instanceId: user.instanceId, action: 'login.succeeded', userId: user.id, subject: `user/${user.id}` } as const
    await audit(access, db, { ...entry, details: { factor } })
    return issued
  })
  await forgetAttempts(access, user.email, client.network)
  await access.onSignedIn?.(user.email)
  return tokens
}

/**
 * The attempt stays counted until the second factor: a correct password alone must not open the way to guessing codes.
 */
async function challenge(access: Access, user: LoginUser, admit: (db: Db) => Promise<void>): Promise<LoginResult> {
  const challengeId = randomUUID()
  const expiresAt = new Date(access.now().getTime() + CHALLENGE_SECONDS * 1000)
  await inTransaction(access.database, async (db) => {
    await admit(db)
    await createChallenge(db, { instanceId: user.instanceId, id: challengeId, userId: user.id, expiresAt })
  })
  const token = await access.tokens.issueChallenge({ instanceId: user.instanceId, challengeId, userId: user.id })
  return { step: 'second', challenge: token, userName: user.name }
}

/**
 * Audit entry in the chain of the user's instance, for its admins. For an unknown address a count that becomes an entry
 * in the deployment's chain. One transaction either way, so that the work is alike.
 */
async function recordFailure(access: Access, user: LoginUser | null, attempt: { account: string; network: string; reason: string }) {
  if (!user) return await recordUnknown(access, attempt.account, attempt.network)
  await inTransaction(access.database, async (db) => {
    const { instanceId, id } = user
    const details = { reason: attempt.reason }
    await audit(access, db, { instanceId, action: 'login.failed', userId: null, subject: `user/${id}`, details })
  })
}

/** Counts a failed login of an address that nobody has, for entries in the deployment's chain. */
export async function recordUnknown(access: Access, account: string, network: string): Promise<void> {
  const address = Buffer.from(hashSecret(access, 'unknown login', account))
    .toString('hex')
    .slice(0, 16)
  await inTransaction(access.database, (db) => countUnknownLogin(db, { at: access.now(), network, address }))
}

/** Hash of the password with the currently configured cost. */
async function renewHash({ hashing, database }: Access, user: LoginUser, password: string): Promise<string> {
  if (!hashing.isOutdated(user.passwordHash)) return user.passwordHash
  const renewed = await hashing.hash(password)
  if (await renewPasswordHash(database, user, renewed)) return renewed
  // Another login was first, or the password was changed.
  const present = await findPasswordHash(database, user.instanceId, user.id)
  if (present === null || !(await hashing.verify(present, password))) throw wrongPassword()
  return present
}

function wrongPassword(): ApiError {
  return unauthorized('The e-mail address or the password is wrong.')
}
