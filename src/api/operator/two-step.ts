import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { type Db, inTransaction } from '../../store/db/database.ts'
import type { SealContext } from '../../store/keys/sealing.ts'
import { countOperatorTry } from '../../store/operators/operator-sessions.ts'
import {
  confirmOperatorTwoStep,
  consumeOperatorCode,
  consumeOperatorCounter,
  findOperatorTwoStep,
  replaceOperatorCodes,
  startOperatorTwoStep,
} from '../../store/operators/operator-two-steps.ts'
import { findOperator, lockOperator } from '../../store/operators/operators.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import { type Access, audit, hashesOfSecret, hashSecret } from '../access/access.ts'
import { countConfirmation, forgetConfirmations } from '../access/login/login-rate-limit.ts'
import { describeTotp, newRecoveryCodes, newTotpSecret, normalizeRecoveryCode } from '../access/login/one-time-codes.ts'
import { counterOfCode, factorOf, faultOf, type Proof } from '../access/login/second-step.ts'
import { checkAssertion } from '../access/passkeys/ceremonies.ts'
import { badField, conflict, unauthorized } from '../errors/errors.ts'
import type { OperatorCaller } from './operator-caller.ts'
import { openSession, recordRefusal, type SignedIn, settleAttempts, subjectOf } from './sign-in.ts'

const RECOVERY_CODE = 'operator recovery code'
const MAX_TRIES = 5
const CONFIRM_WITHIN_MS = 600_000
const ON_ALREADY = 'Two-step sign-in is on already.'
const RUN_OUT = 'The sign-in has run out. Start again with the password.'

/** Creates a secret for an authenticator app, which `confirmSetup` activates with its first code. */
export async function beginSetup(access: Access, caller: OperatorCaller): Promise<{ secret: string; otpauthUrl: string }> {
  const secret = newTotpSecret()
  const sealed = access.sealer.seal(contextOf(caller), secret)
  await inTransaction(access.database, async (db) => {
    if (!(await startOperatorTwoStep(db, caller.operatorId, sealed, access.now()))) throw conflict(ON_ALREADY)
    await audit(access, db, { instanceId: null, action: 'operator.two-step-begun', subject: subjectOf(caller) })
  })
  return describeTotp(secret, 'Countinghouse operator', caller.email)
}

/** Activates the secret, opens the session and returns the recovery codes, which are never shown again. */
export async function confirmSetup(
  access: Access,
  caller: OperatorCaller,
  code: string,
  network: string,
): Promise<SignedIn & { recoveryCodes: string[] }> {
  await countTry(access, caller)
  const opened = await inTransaction(access.database, async (db) => {
    await lockForSetup(db, caller)
    const started = await findOperatorTwoStep(db, caller.operatorId)
    if (!started || access.now().getTime() - started.startedAt.getTime() > CONFIRM_WITHIN_MS)
      throw conflict('No set-up of two-step sign-in is under way.')
    const counter = counterOfCode(access, contextOf(caller), started.sealedSecret, code)
    if (counter === null) throw badField('code', 'is wrong')
    if (!(await confirmOperatorTwoStep(db, caller.operatorId, started.startedAt, counter, access.now())))
      throw conflict('The set-up was started again.')
    const recoveryCodes = await replaceCodes(access, db, caller)
    const session = await openSession(access, db, caller, 'code')
    await audit(access, db, { instanceId: null, action: 'operator.two-step-enabled', subject: subjectOf(caller) })
    return { ...session, recoveryCodes }
  })
  await settle(access, caller, network)
  return opened
}

/** Locks the operator. Throws a 409 when another sign-in has set a second factor up since this one began to. */
export async function lockForSetup(db: Db, { operatorId, step }: OperatorCaller): Promise<void> {
  await lockOperator(db, operatorId)
  if (step === 'setup' && (await findOperator(db, operatorId))?.twoStep) throw conflict(ON_ALREADY)
}

/** Second step of a sign-in: five tries in ten minutes. Throws a 401 or a 429. */
export async function proveSecondStep(access: Access, caller: OperatorCaller, proof: Proof, network: string): Promise<SignedIn> {
  await countTry(access, caller)
  const factor = factorOf(proof)
  if (!(await consumeProof(access, caller, proof, 'login'))) {
    await recordRefusal(access, caller.operatorId, factor === 'passkey' ? 'passkey' : 'code')
    throw unauthorized(factor === 'passkey' ? 'The passkey is not accepted.' : 'The code is wrong.')
  }
  const opened = await inTransaction(access.database, (db) => openSession(access, db, caller, factor))
  await settle(access, caller, network)
  return opened
}

/** Verifies a proof of an open session. Throws a 400 for a wrong one, which leaves an entry. */
export async function verifyProof(access: Access, caller: OperatorCaller, proof: Proof): Promise<void> {
  if (await consumeProof(access, caller, proof, 'proof')) return
  const [field, message] = faultOf(proof)
  await recordRefusal(access, caller.operatorId, field)
  throw badField(field, message)
}

/** Replaces the ten recovery codes; asks for a proof. */
export async function renewCodes(access: Access, caller: OperatorCaller, proof: Proof): Promise<string[]> {
  await countConfirmation(access, caller.operatorId)
  await verifyProof(access, caller, proof)
  const codes = await inTransaction(access.database, async (db) => {
    const renewed = await replaceCodes(access, db, caller)
    await audit(access, db, { instanceId: null, action: 'operator.codes-renewed', subject: subjectOf(caller) })
    return renewed
  })
  await forgetConfirmations(access, caller.operatorId)
  return codes
}

/** The session’s own limit, and one of the account over all its sessions. */
async function countTry(access: Access, caller: OperatorCaller): Promise<void> {
  await countConfirmation(access, caller.operatorId)
  if ((await countOperatorTry(access.database, caller.id)) > MAX_TRIES) throw unauthorized(RUN_OUT)
}

async function settle(access: Access, caller: OperatorCaller, network: string): Promise<void> {
  await forgetConfirmations(access, caller.operatorId)
  await settleAttempts(access, caller, network)
}

/** Consumes a proof, outside any transaction: it stays used whatever follows. False for a wrong or used one. */
async function consumeProof(access: Access, { operatorId }: OperatorCaller, proof: Proof, purpose: 'login' | 'proof'): Promise<boolean> {
  const { database } = access
  if ('passkey' in proof) return await consumePasskey(access, operatorId, proof.passkey, purpose)
  if ('recoveryCode' in proof) {
    const hashes = hashesOfSecret(access, RECOVERY_CODE, toRecoverySecret(operatorId, proof.recoveryCode))
    return await consumeOperatorCode(database, operatorId, hashes, access.now())
  }
  const twoStep = await findOperatorTwoStep(database, operatorId)
  if (!twoStep?.confirmedAt) return false
  const counter = counterOfCode(access, contextOf({ operatorId }), twoStep.sealedSecret, proof.code)
  return counter !== null && (await consumeOperatorCounter(database, operatorId, counter))
}

async function consumePasskey(
  access: Access,
  operatorId: string,
  response: AuthenticationResponseJSON,
  purpose: 'login' | 'proof',
): Promise<boolean> {
  const holder = { kind: 'operator', instanceId: SYSTEM_INSTANCE_ID, id: operatorId } as const
  const found = await checkAssertion(access, holder, purpose, response)
  if (found === 'copied') await recordRefusal(access, operatorId, 'counter of the passkey')
  return found === 'right'
}

export async function replaceCodes(access: Access, db: Db, { operatorId }: OperatorCaller): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => hashSecret(access, RECOVERY_CODE, toRecoverySecret(operatorId, code)))
  await replaceOperatorCodes(db, operatorId, hashes)
  return codes
}

function contextOf({ operatorId }: Pick<OperatorCaller, 'operatorId'>): SealContext {
  return { instanceId: SYSTEM_INSTANCE_ID, table: 'operators', rowId: operatorId, column: 'two_step_secret' }
}

function toRecoverySecret(operatorId: string, code: string): string {
  return `${operatorId}\0${normalizeRecoveryCode(code)}`
}
