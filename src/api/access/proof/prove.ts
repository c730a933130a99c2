import { listPasskeys } from '../../../store/access/passkeys.ts'
import { findProof, noteProof, type ProofMethod } from '../../../store/access/sessions.ts'
import type { User } from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { ApiError, badField, badRequest, conflict, unauthorized } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import { checkPassword, getOwnAccount } from '../account/own-account.ts'
import type { UserCaller } from '../caller.ts'
import { countConfirmation, forgetConfirmations } from '../login/login-rate-limit.ts'
import { consumeProof, factorOf, faultOf, type Proof } from '../login/second-step.ts'
import { holderOf } from '../passkeys/own-passkeys.ts'
import { issueAccessToken } from '../sessions.ts'
import { PROOF_SECONDS } from './proof-rule.ts'

/** What a user gives to prove again who it is. */
export interface GivenProof {
  password: string | null
  proof: Proof | null
}

/** A session’s last proof. */
export interface SessionProof {
  provenAt: Date
  /** Until when changes that ask for a fresh proof are accepted. */
  freshUntil: Date
  way: ProofMethod
  twoStep: boolean
  hasPasskey: boolean
}

/** When the user of a session last proved who it is, and how to do so again. */
export async function describeProof(access: Access, caller: UserCaller): Promise<SessionProof> {
  const user = await getOwnAccount(access, caller)
  const way = (await findProof(access.database, caller.instanceId, caller.sessionId))?.way ?? 'password'
  // As the token has it: that is what counts.
  return await toSessionProof(access, new Date(caller.provenAtMs), way, user)
}

/**
 * Proves again who the user of a session is: by the password and, where there is one, the second step, or by a passkey
 * alone. Throws a 400 for a wrong one, a 429 above the limit, and a 409 for a session of an identity provider, which is
 * renewed by a new sign-in there.
 */
export async function proveAgain(
  access: Access,
  caller: UserCaller,
  given: GivenProof,
): Promise<{ accessToken: string; proof: SessionProof }> {
  const way = (await findProof(access.database, caller.instanceId, caller.sessionId))?.way ?? 'password'
  if (way === 'provider') throw conflict('Sign in again at your identity provider: that is the proof.')
  const user = await checkFactors(access, caller, given)
  const provenAt = access.now()
  const { instanceId, userId, sessionId } = caller
  const accessToken = await inTransaction(access.database, async (db) => {
    if (!(await noteProof(db, instanceId, sessionId, provenAt))) throw unauthorized()
    const details = { factor: given.proof === null ? 'password' : factorOf(given.proof) }
    await audit(access, db, { instanceId, action: 'session.proven', userId, subject: `session/${sessionId}`, details })
    return await issueAccessToken(access, db, { instanceId, userId, role: user.role, sessionId, provenAt, proofWay: way })
  })
  return { accessToken, proof: await toSessionProof(access, provenAt, way, user) }
}

async function checkFactors(access: Access, caller: UserCaller, { password, proof }: GivenProof): Promise<User> {
  if (proof !== null && 'passkey' in proof) return await checkPasskey(access, caller, proof)
  if (password === null) throw badField('password', 'is required')
  const user = await checkPassword(access, caller, password).catch(async (error: unknown) => {
    // After any other error nothing was compared.
    if (error instanceof ApiError && error.status === 400) await recordRefusal(access, caller, 'password')
    throw error
  })
  if (user.twoStep) {
    if (proof === null) throw badRequest('The second step is missing.', [{ field: 'code', message: 'is required' }])
    await verifyProof(access, caller, user, proof)
  }
  await forgetConfirmations(access, user.id)
  return user
}

/** A passkey alone suffices: it verifies its user. */
async function checkPasskey(access: Access, caller: UserCaller, proof: Proof): Promise<User> {
  const user = await getOwnAccount(access, caller)
  await countConfirmation(access, user.id)
  await verifyProof(access, caller, user, proof)
  await forgetConfirmations(access, user.id)
  return user
}

async function verifyProof(access: Access, caller: UserCaller, user: User, proof: Proof): Promise<void> {
  if (await consumeProof(access, user, proof)) return
  const [field, message] = faultOf(proof)
  await recordRefusal(access, caller, field)
  throw badField(field, message)
}

async function recordRefusal(access: Access, { instanceId, userId, sessionId }: UserCaller, reason: string): Promise<void> {
  const entry = { instanceId, action: 'session.proof-refused', userId, subject: `session/${sessionId}`, details: { reason } } as const
  await inTransaction(access.database, (db) => audit(access, db, entry))
}

async function toSessionProof({ database }: Access, provenAt: Date, way: ProofMethod, user: User): Promise<SessionProof> {
  const hasPasskey = (await listPasskeys(database, holderOf(user))).length > 0
  return { provenAt, freshUntil: new Date(provenAt.getTime() + PROOF_SECONDS * 1000), way, twoStep: user.twoStep, hasPasskey }
}
