import { randomUUID } from 'node:crypto'
import { findProviderSessionOfToken } from '../../store/access/provider-sessions.ts'
import { isStoredToken, lockPresentedToken, type PresentedToken, rotateToken } from '../../store/access/refresh-tokens.ts'
import { createSession, endSession, type ProofMethod, type SessionOrigin } from '../../store/access/sessions.ts'
import { lacksTwoStep } from '../../store/access/sign-in-rules.ts'
import type { User } from '../../store/access/users.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import { deriveToken, deriveTokens } from '../../store/keys/token-hash.ts'
import { isSuspended } from '../../store/operators/suspensions.ts'
import { instanceSuspended, unauthorized } from '../errors/errors.ts'
import { type Access, audit, hashesOfSecret, hashSecret, newSecret } from './access.ts'
import type { UserCaller } from './caller.ts'
import { checkAtProvider, endOfToken } from './provider/session-checks.ts'

/** Tokens issued by a login or a refresh. */
export interface IssuedTokens {
  accessToken: string
  refreshToken: string
  userName: string
}

const DAY_MS = 86_400_000
/** Absolute lifetime of a session, however often it is refreshed. */
const MAX_SESSION_MS = 30 * DAY_MS
const MAX_IDLE_MS = 7 * DAY_MS
/** Grace period in which a client that lost the response may repeat the refresh with the previous token. */
const GRACE_MS = 10_000

const REFRESH = 'refresh token'
const SUCCESSOR = 'refresh successor'

/** Special features of a session. */
export interface SessionKind {
  proofWay: ProofMethod
  /** Shorter lifetime than usual; null: the usual one. */
  lifeMs: number | null
}

/** Starts a session for an authenticated user, who has just proved who it is. `origin`: null for a command. */
export async function openSession(
  access: Pick<Access, 'now' | 'hashes' | 'tokens'>,
  db: Db,
  user: User,
  origin: SessionOrigin | null,
  { proofWay, lifeMs }: SessionKind,
): Promise<IssuedTokens & { sessionId: string }> {
  const at = access.now()
  const sessionId = randomUUID()
  const refreshToken = newSecret()
  await createSession(db, {
    instanceId: user.instanceId,
    id: sessionId,
    userId: user.id,
    tokenHash: hashRefresh(access, refreshToken),
    origin,
    at,
    expiresAt: new Date(at.getTime() + (lifeMs ?? MAX_SESSION_MS)),
    tokenExpiresAt: new Date(at.getTime() + (lifeMs ?? MAX_IDLE_MS)),
  })
  const { instanceId, id: userId, role } = user
  const accessToken = await issueAccessToken(access, db, { instanceId, userId, role, sessionId, provenAt: at, proofWay })
  return { accessToken, refreshToken, userName: user.name, sessionId }
}

/**
 * Refresh token rotation: exchanges a refresh token for new tokens. Each works once; the previous one yields the same
 * successor for ten seconds. Any other reuse means that a token was stolen: the session ends. A session that an identity
 * provider vouches for is checked there. Throws a 401.
 */
export async function refreshSession(access: Access, refreshToken: string, origin: SessionOrigin): Promise<IssuedTokens> {
  const atProvider = await findProviderSessionOfToken(access.database, hashesOfSecret(access, REFRESH, refreshToken))
  if (atProvider) await withinInstance(atProvider.instanceId, () => checkAtProvider(access, atProvider))
  const verdict = await inTransaction(access.database, async (db): Promise<(PresentedToken & { successor: string }) | null> => {
    const presented = await lockPresentedToken(db, hashesOfSecret(access, REFRESH, refreshToken))
    if (!presented || !isAlive(presented, access.now())) return null
    if (presented.generation === presented.currentGeneration)
      return { ...presented, successor: await rotate(access, db, presented, refreshToken, origin) }
    if (!isInGrace(presented, access.now())) return revoke(access, db, presented)
    return { ...presented, successor: await findSuccessor(access, db, refreshToken) }
  })
  if (verdict === null) throw unauthorized('The refresh token is not valid.')
  if (await isSuspended(access.database, verdict.instanceId)) throw instanceSuspended()
  const { isOfProvider, checkedAt, sessionExpiresAt, successor, userName } = verdict
  const checkedUntil = isOfProvider ? endOfToken(access.now(), checkedAt) : null
  // No token outlives a session of five minutes, which nothing else ends.
  const endsAt = checkedUntil && new Date(Math.min(checkedUntil.getTime(), sessionExpiresAt.getTime()))
  const session = { ...verdict, proofWay: isOfProvider ? 'provider' : 'password' } as const
  const accessToken = await issueAccessToken(access, access.database, session, endsAt)
  return { accessToken, refreshToken: successor, userName }
}

type TokenSession = Pick<PresentedToken, 'instanceId' | 'userId' | 'role' | 'sessionId' | 'provenAt'> & { proofWay: ProofMethod }

/** Issues an access token of a session. Where the identity provider answers for a member, no second step is asked for here. */
export async function issueAccessToken(
  { tokens }: Pick<Access, 'tokens'>,
  db: Db,
  { instanceId, userId, role, sessionId, provenAt, proofWay }: TokenSession,
  endsAt: Date | null = null,
): Promise<string> {
  const lacks = proofWay === 'password' && (await lacksTwoStep(db, instanceId, userId))
  return await tokens.issue({ instanceId, userId, role, sessionId, provenAtMs: provenAt.getTime(), lacksTwoStep: lacks }, endsAt)
}

/** Ends the caller's session. */
export async function closeSession(access: Access, caller: UserCaller): Promise<void> {
  await inTransaction(access.database, async (db) => {
    await endSession(db, caller.instanceId, caller.sessionId, 'logout', access.now())
    await audit(access, db, entryOf(caller, 'session.closed'))
  })
}

/** Hashes under which the session of a refresh token is found. */
export function hashesOfRefreshToken(access: Pick<Access, 'hashes'>, refreshToken: string): Uint8Array[] {
  return hashesOfSecret(access, REFRESH, refreshToken)
}

/** Ends the session that a browser had before its user signed in again. No effect on one that has ended. */
export async function endReplacedSession(access: Access, tokenHashes: Uint8Array[]): Promise<void> {
  await inTransaction(access.database, async (db) => {
    const replaced = await lockPresentedToken(db, tokenHashes)
    if (!replaced || replaced.sessionEndedAt !== null) return
    await endSession(db, replaced.instanceId, replaced.sessionId, 'signed in again', access.now())
    await audit(access, db, entryOf(replaced, 'session.closed'))
  })
}

/** Returns the successor. */
async function rotate(access: Access, db: Db, presented: PresentedToken, refreshToken: string, origin: SessionOrigin): Promise<string> {
  const at = access.now()
  const expiresAt = new Date(Math.min(at.getTime() + MAX_IDLE_MS, presented.sessionExpiresAt.getTime()))
  const [successor = ''] = deriveTokens(access.hashes, `${SUCCESSOR}\0${refreshToken}`)
  await rotateToken(db, presented, { tokenHash: hashRefresh(access, successor), origin, at, expiresAt })
  return successor
}

async function revoke(access: Access, db: Db, presented: PresentedToken): Promise<null> {
  access.log.warn({ instanceId: presented.instanceId, sessionId: presented.sessionId }, 'refresh token used twice, session ended')
  await endSession(db, presented.instanceId, presented.sessionId, 'refresh token used twice', access.now())
  await audit(access, db, entryOf(presented, 'session.reuse-detected'))
  return null
}

function isAlive(presented: PresentedToken, at: Date): boolean {
  if (presented.isProviderRequired && !presented.isOfProvider) return false
  return presented.isUserEnabled && presented.sessionEndedAt === null && presented.sessionExpiresAt > at && presented.tokenExpiresAt > at
}

/** Only the token right before the newest, whose successor has not been used. */
function isInGrace(presented: PresentedToken, at: Date): boolean {
  if (presented.generation !== presented.currentGeneration - 1 || presented.usedAt === null) return false
  const age = at.getTime() - presented.usedAt.getTime()
  return age >= 0 && age <= GRACE_MS
}

/** Derived, so that a repeated refresh yields the same token although it is never stored. */
function findSuccessor(access: Access, db: Db, refreshToken: string): Promise<string> {
  return deriveToken(access.hashes, `${SUCCESSOR}\0${refreshToken}`, (token) => isStoredToken(db, hashesOfSecret(access, REFRESH, token)))
}

function hashRefresh(access: Pick<Access, 'hashes'>, refreshToken: string): Uint8Array {
  return hashSecret(access, REFRESH, refreshToken)
}

function entryOf(who: { instanceId: string; userId: string; sessionId: string }, action: 'session.closed' | 'session.reuse-detected') {
  return { instanceId: who.instanceId, action, userId: who.userId, subject: `session/${who.sessionId}` }
}
