import { completeChallenge, consumeCounter, consumeRecoveryCode, findTwoStep, tryChallenge } from '../../store/access/two-step.ts'
import { findUser, lockPasswordHash, type User } from '../../store/access/users.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import type { SealContext } from '../../store/keys/sealing.ts'
import { unauthorized } from '../errors/errors.ts'
import { type Access, audit, hashesOfSecret, hashSecret } from './access.ts'
import type { VerifiedChallenge } from './access-tokens.ts'
import type { Client } from './account/client.ts'
import { startSession } from './login.ts'
import { countConfirmation, forgetConfirmations } from './login-rate-limit.ts'
import { findTotpCounter, normalizeRecoveryCode } from './one-time-codes.ts'
import type { IssuedTokens } from './sessions.ts'

const RECOVERY_CODE = 'recovery code'

/** Proof of the second factor. */
export type Proof = { code: string } | { recoveryCode: string }

const MAX_TRIES = 5

/** As audit entries name it. */
export function factorOf(proof: Proof): 'code' | 'recovery code' {
  return 'recoveryCode' in proof ? 'recovery code' : 'code'
}

/**
 * Completes a login after the password. A challenge allows five attempts in five minutes and works once. Throws a 401
 * or a 429.
 */
export async function completeLogin(access: Access, challenge: VerifiedChallenge, proof: Proof, client: Client): Promise<IssuedTokens> {
  const { instanceId, challengeId } = challenge
  const tried = await tryChallenge(access.database, instanceId, challengeId)
  const user = tried ? await findUser(access.database, instanceId, tried.userId) : null
  if (!tried || !user?.isEnabled || tried.completedAt || tried.tries > MAX_TRIES || tried.expiresAt <= access.now()) {
    throw unauthorized('The login has run out. Start again with the password.')
  }
  await countConfirmation(access, user.id)
  if (!(await consumeProof(access, access.database, user, proof))) return await refuseCode(access, user)
  // Locks the user first, like a change of the password, which ends the challenge.
  const admit = async (db: Db): Promise<void> => {
    const isEnabled = (await lockPasswordHash(db, instanceId, user.id)) !== null
    if (!isEnabled || !(await completeChallenge(db, instanceId, challengeId, access.now()))) throw unauthorized('The login has run out.')
  }
  const tokens = await startSession(access, user, client, factorOf(proof), admit)
  await forgetConfirmations(access, user.id)
  return tokens
}

async function refuseCode(access: Access, user: User): Promise<never> {
  const entry = {
    instanceId: user.instanceId,
    action: 'login.failed',
    userId: null,
    subject: `user/${user.id}`,
    details: { reason: 'code' },
  } as const
  await inTransaction(access.database, (db) => audit(access, db, entry))
  throw unauthorized('The code is wrong.')
}

/** Consumes a code; false for a wrong or used one, and for a user without a second factor. */
export async function consumeProof(access: Access, db: Db, user: User, proof: Proof): Promise<boolean> {
  if ('recoveryCode' in proof) {
    const hashes = hashesOfSecret(access, RECOVERY_CODE, toRecoverySecret(user, proof.recoveryCode))
    return consumeRecoveryCode(db, user.instanceId, user.id, hashes, access.now())
  }
  const twoStep = await findTwoStep(db, user.instanceId, user.id)
  if (!twoStep) return false
  const counter = findTotpCounter(access.sealer.open(secretContext(user), twoStep.sealedSecret), proof.code, access.now())
  return counter !== null && consumeCounter(db, user.instanceId, user.id, counter)
}

export function secretContext(user: User): SealContext {
  return { instanceId: user.instanceId, table: 'two_steps', rowId: user.id, column: 'secret' }
}

export function hashRecoveryCode(access: Access, user: User, code: string): Uint8Array {
  return hashSecret(access, RECOVERY_CODE, toRecoverySecret(user, code))
}

function toRecoverySecret(user: User, code: string): string {
  return `${user.id}\0${normalizeRecoveryCode(code)}`
}
