import { randomUUID } from 'node:crypto'
import { normalizeEmail } from '../../store/access/users.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import {
  createOperatorSession,
  endOperatorSession,
  findOperatorSession,
  openOperatorSession,
  touchOperatorSession,
} from '../../store/operators/operator-sessions.ts'
import { findLoginOperator, type LoginOperator, renewOperatorHash } from '../../store/operators/operators.ts'
import { type Access, audit, hashesOfSecret, hashSecret, newSecret } from '../access/access.ts'
import { recordUnknown } from '../access/login/login.ts'
import { countAttempt, forgetAttempts } from '../access/login/login-rate-limit.ts'
import type { Factor } from '../access/login/second-step.ts'
import { type ApiError, unauthorized } from '../errors/errors.ts'
import type { OperatorCaller } from './operator-caller.ts'

const SESSION = 'operator session'
const MINUTE_MS = 60_000
/** Time for the second factor, or for setting one up. */
const SIGN_IN_MS = 10 * MINUTE_MS
const MAX_SESSION_MS = 12 * 60 * MINUTE_MS
const MAX_IDLE_MS = 60 * MINUTE_MS
/** Precision of `lastUsedAt`, so that not every read is a write. */
const TOUCH_MS = MINUTE_MS

/** Token of a session, and the step of the sign-in that it is at. */
export interface SignedIn {
  token: string
  step: OperatorCaller['step']
  name: string
}

/**
 * First step of a sign-in. An unknown address, one without a password and a wrong password get the same 401 after the
 * same work. Throws a 429 above the limits of logins.
 */
export async function signIn(access: Access, email: string, password: string, network: string): Promise<SignedIn> {
  const account = normalizeEmail(email)
  await countAttempt(access, attemptsOf(account), network)
  const operator = await findLoginOperator(access.database, account)
  const known = operator?.passwordHash ?? null
  const fits = await access.hashing.verify(known, password)
  if (!operator || known === null || !fits) {
    if (operator) await recordRefusal(access, operator.id, 'password')
    else await recordUnknown(access, account, network)
    throw wrongPassword()
  }
  const token = newSecret()
  const at = access.now()
  const session = {
    id: randomUUID(),
    operatorId: operator.id,
    passwordHash: await renewHash(access, { ...operator, passwordHash: known }, password),
    tokenHash: hashSecret(access, SESSION, token),
    at,
    expiresAt: new Date(at.getTime() + SIGN_IN_MS),
  }
  // A one-time link has set another password in the meantime.
  if (!(await createOperatorSession(access.database, session))) throw wrongPassword()
  return { token, step: operator.twoStep ? 'second' : 'setup', name: operator.name }
}

/** Opens a session whose second factor is proven, under a new token. */
export async function openSession(access: Access, db: Db, caller: OperatorCaller, factor: Factor): Promise<SignedIn> {
  const token = newSecret()
  const at = access.now()
  const opened = { tokenHash: hashSecret(access, SESSION, token), at, expiresAt: new Date(at.getTime() + MAX_SESSION_MS) }
  if (!(await openOperatorSession(db, caller.id, opened))) throw unauthorized('The sign-in has run out. Start again with the password.')
  await audit(access, db, { instanceId: null, action: 'operator.signed-in', subject: subjectOf(caller), details: { factor } })
  return { token, step: 'open', name: caller.operatorName }
}

/** After a complete sign-in: forgets the failures of the account at this network. */
export async function settleAttempts(access: Access, caller: OperatorCaller, network: string): Promise<void> {
  await forgetAttempts(access, attemptsOf(caller.email), network)
}

/** Session of a token; null for an unknown one and one that has expired or was not used for an hour. */
export async function findCaller(access: Access, token: string): Promise<OperatorCaller | null> {
  const session = await findOperatorSession(access.database, hashesOfSecret(access, SESSION, token))
  if (!session) return null
  const at = access.now()
  const idleMs = at.getTime() - session.lastUsedAt.getTime()
  if (session.expiresAt <= at || idleMs > MAX_IDLE_MS) return null
  if (idleMs > TOUCH_MS) await touchOperatorSession(access.database, session.id, at)
  const { id, operatorId, operatorName, email, step, provenAt } = session
  return { id, operatorId, operatorName, email, step, provenAt }
}

export async function signOut(access: Access, caller: OperatorCaller): Promise<void> {
  await inTransaction(access.database, async (db) => {
    await endOperatorSession(db, caller.id)
    await audit(access, db, { instanceId: null, action: 'operator.signed-out', subject: subjectOf(caller) })
  })
}

/** Entry in the deployment’s chain about a sign-in that failed. */
export async function recordRefusal(access: Access, operatorId: string, reason: string): Promise<void> {
  const entry = { instanceId: null, action: 'operator.refused', subject: `operator/${operatorId}`, details: { reason } } as const
  await inTransaction(access.database, (db) => audit(access, db, entry))
}

/** Subject of audit entries about the caller’s own account. */
export function subjectOf({ operatorId }: Pick<OperatorCaller, 'operatorId'>): string {
  return `operator/${operatorId}`
}

/** Operator with a password. */
type SetOperator = Pick<LoginOperator, 'id' | 'email'> & { passwordHash: string }

/** Hash of the password with the currently configured cost. */
async function renewHash({ hashing, database }: Access, { id, email, passwordHash }: SetOperator, password: string): Promise<string> {
  if (!hashing.isOutdated(passwordHash)) return passwordHash
  const renewed = await hashing.hash(password)
  if (await renewOperatorHash(database, id, passwordHash, renewed)) return renewed
  // Another sign-in was first, or a one-time link.
  const present = (await findLoginOperator(database, email))?.passwordHash ?? null
  if (present === null || !(await hashing.verify(present, password))) throw wrongPassword()
  return present
}

function wrongPassword(): ApiError {
  return unauthorized('The e-mail address or the password is wrong.')
}

/** NOTE not the bare address: attempts on a user with the same address must not lock the operator out. */
function attemptsOf(account: string): string {
  return `operator\0${account}`
}
