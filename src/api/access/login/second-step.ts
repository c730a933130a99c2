import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import {
  type Challenge,
  completeChallenge,
  consumeCounter,
  consumeRecoveryCode,
  findChallenge,
  findTwoStep,
  replaceRecoveryCodes,
  type TwoStep,
  tryChallenge,
} from '../../../store/access/two-step.ts'
import { findUser, lockPasswordHash, type User } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import type { SealContext } from '../../../store/keys/sealing.ts'
import { unauthorized } from '../../errors/errors.ts'
import { type Access, audit, hashesOfSecret, hashSecret } from '../access.ts'
import type { VerifiedChallenge } from '../access-tokens.ts'
import type { Client } from '../account/client.ts'
import { checkAssertion } from '../passkeys/ceremonies.ts'
import type { IssuedTokens } from '../sessions.ts'
import { startSession } from './login.ts'
import { countConfirmation, forgetConfirmations } from './login-rate-limit.ts'
import { findTotpCounter, newRecoveryCodes, normalizeRecoveryCode } from './one-time-codes.ts'

const RECOVERY_CODE = 'recovery code'

/** Proof of the second factor. */
export type Proof = { code: string } | { recoveryCode: string } | { passkey: AuthenticationResponseJSON }

const MAX_TRIES = 5

export type Factor = 'code' | 'recovery code' | 'passkey'

/** As audit entries name it. */
export function factorOf(proof: Proof): Factor {
  if ('passkey' in proof) return 'passkey'
  return 'recoveryCode' in proof ? 'recovery code' : 'code'
}

/** Field and message of a proof that is wrong. */
export function faultOf(proof: Proof): ['passkey' | 'code', string] {
  return 'passkey' in proof ? ['passkey', 'is not accepted'] : ['code', 'is wrong']
}

/**
 * Completes a login after the password. A challenge allows five attempts in five minutes and works once. Throws a 401
 * or a 429.
 */
export async function completeLogin(access: Access, challenge: VerifiedChallenge, proof: Proof, client: Client): Promise<IssuedTokens> {
  const { instanceId, challengeId } = challenge
  const user = await takeTry(access, challenge)
  await countConfirmation(access, user.id)
  if (!(await consumeProof(access, user, proof, 'login'))) return await refuseCode(access, user, factorOf(proof))
  // Locks the user first, like a change of the password, which ends the challenge.
  const admit = async (db: Db): Promise<void> => {
    const isEnabled = (await lockPasswordHash(db, instanceId, user.id)) !== null
    if (!isEnabled || !(await completeChallenge(db, instanceId, challengeId, access.now()))) throw unauthorized('The login has run out.')
  }
  const tokens = await startSession(access, user, client, factorOf(proof), admit)
  await forgetConfirmations(access, user.id)
  return tokens
}

/** User of a login that waits for the second step, which asks for a challenge of a passkey. Throws a 401. */
export async function findWaitingUser(access: Access, challenge: VerifiedChallenge): Promise<{ user: User; hasApp: boolean }> {
  const found = await findChallenge(access.database, challenge.instanceId, challenge.challengeId)
  const user = await userOf(access, challenge.instanceId, found && { ...found, tries: found.tries + 1 })
  const twoStep = await findTwoStep(access.database, user.instanceId, user.id)
  return { user, hasApp: (twoStep?.confirmedAt ?? null) !== null }
}

/** Counts a try of a login challenge. Throws a 401 once it has run out. */
async function takeTry(access: Access, { instanceId, challengeId }: VerifiedChallenge): Promise<User> {
  return await userOf(access, instanceId, await tryChallenge(access.database, instanceId, challengeId))
}

async function userOf(access: Access, instanceId: string, tried: Challenge | null): Promise<User> {
  const user = tried ? await findUser(access.database, instanceId, tried.userId) : null
  if (!tried || !user?.isEnabled || tried.completedAt || tried.tries > MAX_TRIES || tried.expiresAt <= access.now()) {
    throw unauthorized('The login has run out. Start again with the password.')
  }
  return user
}

async function refuseCode(access: Access, user: User, factor: Factor): Promise<never> {
  const entry = {
    instanceId: user.instanceId,
    action: 'login.failed',
    userId: null,
    subject: `user/${user.id}`,
    details: { reason: factor === 'passkey' ? 'passkey' : 'code' },
  } as const
  await inTransaction(access.database, (db) => audit(access, db, entry))
  throw unauthorized(factor === 'passkey' ? 'The passkey is not accepted.' : 'The code is wrong.')
}

/**
 * Consumes a proof, outside any transaction: it stays used whatever follows. False for a wrong or used one, and for a user
 * without a second factor.
 */
export async function consumeProof(access: Access, user: User, proof: Proof, purpose: 'login' | 'proof' = 'proof'): Promise<boolean> {
  const { database } = access
  if ('passkey' in proof) return await consumePasskey(access, user, proof.passkey, purpose)
  if ('recoveryCode' in proof) {
    const hashes = hashesOfSecret(access, RECOVERY_CODE, toRecoverySecret(user, proof.recoveryCode))
    return consumeRecoveryCode(database, user.instanceId, user.id, hashes, access.now())
  }
  const twoStep = await findTwoStep(database, user.instanceId, user.id)
  return twoStep !== null && twoStep.confirmedAt !== null && (await consumeCode(access, database, user, twoStep, proof.code))
}

/** Time step of a code of an authenticator app; null for a wrong code. `context`: of the sealed secret. */
export function counterOfCode(access: Access, context: SealContext, sealedSecret: Uint8Array, code: string): number | null {
  return findTotpCounter(access.sealer.open(context, sealedSecret), code, access.now(), access.settings.login.codeDriftSteps)
}

/** Consumes a code of an authenticator app; false for a wrong or used one. */
export async function consumeCode(access: Access, db: Db, user: User, { sealedSecret }: TwoStep, code: string): Promise<boolean> {
  const counter = counterOfCode(access, secretContext(user), sealedSecret, code)
  return counter !== null && (await consumeCounter(db, user.instanceId, user.id, counter))
}

async function consumePasskey(
  access: Access,
  user: User,
  response: AuthenticationResponseJSON,
  purpose: 'login' | 'proof',
): Promise<boolean> {
  const { instanceId, id } = user
  const found = await checkAssertion(access, { kind: 'user', instanceId, id }, purpose, response)
  if (found === 'copied') {
    access.log.warn({ instanceId, userId: id }, 'the counter of a passkey has not risen: there may be a copy')
    const entry = { instanceId, action: 'passkey.refused', userId: null, subject: `user/${id}`, details: { reason: 'counter' } } as const
    await inTransaction(access.database, (db) => audit(access, db, entry))
  }
  return found === 'right'
}

/** Replaces the ten recovery codes of a user. */
export async function renewCodes(access: Access, db: Db, user: User): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => hashSecret(access, RECOVERY_CODE, toRecoverySecret(user, code)))
  await replaceRecoveryCodes(db, user.instanceId, user.id, hashes)
  return codes
}

export function secretContext(user: User): SealContext {
  return { instanceId: user.instanceId, table: 'two_steps', rowId: user.id, column: 'secret' }
}

function toRecoverySecret(user: User, code: string): string {
  return `${user.id}\0${normalizeRecoveryCode(code)}`
}
