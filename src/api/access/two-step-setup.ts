import { endSessionsOfUser } from '../../store/access/refresh-tokens.ts'
import {
  confirmTwoStep,
  countRecoveryCodes,
  deleteTwoStep,
  findTwoStep,
  replaceRecoveryCodes,
  startTwoStep,
} from '../../store/access/two-step.ts'
import type { User } from '../../store/access/users.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { badField, conflict } from '../errors/errors.ts'
import { type Access, audit } from './access.ts'
import { notifyUser } from './account/notices.ts'
import type { UserCaller } from './caller.ts'
import { countConfirmation, forgetConfirmations } from './login-rate-limit.ts'
import { describeTotp, newRecoveryCodes, newTotpSecret } from './one-time-codes.ts'
import { checkPassword, getOwnAccount } from './own-account.ts'
import { consumeProof, hashRecoveryCode, type Proof, secretContext } from './second-step.ts'

/** Lifetime of an unconfirmed secret. */
const CONFIRM_WITHIN_MS = 600_000

/** Re-authentication for a change of the second factor. */
export interface Confirmation {
  password: string
  proof: Proof
  endOtherSessions: boolean
}

type TwoStepAction = 'two-step.begun' | 'two-step.enabled' | 'two-step.disabled' | 'two-step.codes-renewed'

export async function describeTwoStep(access: Access, caller: UserCaller): Promise<{ enabled: boolean; recoveryCodesLeft: number }> {
  const user = await getOwnAccount(access, caller)
  return { enabled: user.twoStep, recoveryCodesLeft: await countRecoveryCodes(access.database, user.instanceId, user.id) }
}

/**
 * Creates a secret, which `confirmSetup` activates with its first code. Throws a 409 when a second factor is active
 * already.
 */
export async function beginSetup(access: Access, caller: UserCaller, password: string): Promise<{ secret: string; otpauthUrl: string }> {
  const user = await checkPassword(access, caller, password)
  const secret = newTotpSecret()
  const sealed = access.sealer.seal(secretContext(user), secret)
  await inTransaction(access.database, async (db) => {
    if (!(await startTwoStep(db, user.instanceId, user.id, sealed, access.now()))) throw conflict('Two-step login is on already.')
    await recordChange(access, db, caller, 'two-step.begun', false)
  })
  return describeTotp(secret, 'Countinghouse', user.email)
}

/** Activates the secret and returns the recovery codes, which are never shown again. */
export async function confirmSetup(access: Access, caller: UserCaller, code: string, endOtherSessions: boolean): Promise<string[]> {
  const user = await getOwnAccount(access, caller)
  await countConfirmation(access, user.id)
  const codes = await inTransaction(access.database, async (db) => {
    const started = await findTwoStep(db, user.instanceId, user.id)
    if (!started || access.now().getTime() - started.startedAt.getTime() > CONFIRM_WITHIN_MS) {
      throw conflict('No set-up of two-step login is under way.')
    }
    if (started.confirmedAt) throw conflict('Two-step login is on already.')
    if (!(await consumeProof(access, db, user, { code }))) throw badField('code', 'is wrong')
    if (!(await confirmTwoStep(db, user.instanceId, user.id, started.startedAt, access.now())))
      throw conflict('The set-up was started anew.')
    return finishChange(access, db, caller, user, 'two-step.enabled', endOtherSessions)
  })
  await forgetConfirmations(access, user.id)
  return codes
}

export async function disableTwoStep(access: Access, caller: UserCaller, confirmation: Confirmation): Promise<void> {
  await withConfirmation(access, caller, confirmation, async (db, user) => {
    await deleteTwoStep(db, user.instanceId, user.id)
    await notifyUser(access, db, user, 'twoStepDisabled', (shared) => shared)
    await recordChange(access, db, caller, 'two-step.disabled', confirmation.endOtherSessions)
  })
}

/** Replaces the ten recovery codes. */
export async function renewRecoveryCodes(access: Access, caller: UserCaller, confirmation: Confirmation): Promise<string[]> {
  return withConfirmation(access, caller, confirmation, (db, user) =>
    finishChange(access, db, caller, user, 'two-step.codes-renewed', confirmation.endOtherSessions),
  )
}

async function withConfirmation<T>(
  access: Access,
  caller: UserCaller,
  confirmation: Confirmation,
  work: (db: Db, user: User) => Promise<T>,
): Promise<T> {
  const user = await checkPassword(access, caller, confirmation.password)
  if (!user.twoStep) throw conflict('Two-step login is off.')
  await countConfirmation(access, user.id)
  const result = await inTransaction(access.database, async (db) => {
    if (!(await consumeProof(access, db, user, confirmation.proof))) throw badField('code', 'is wrong')
    return work(db, user)
  })
  await forgetConfirmations(access, user.id)
  return result
}

async function finishChange(
  access: Access,
  db: Db,
  caller: UserCaller,
  user: User,
  action: TwoStepAction,
  endOthers: boolean,
): Promise<string[]> {
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(
    db,
    user.instanceId,
    user.id,
    codes.map((code) => hashRecoveryCode(access, user, code)),
  )
  await recordChange(access, db, caller, action, endOthers)
  return codes
}

async function recordChange(access: Access, db: Db, caller: UserCaller, action: TwoStepAction, endOthers: boolean): Promise<void> {
  const { instanceId, userId, sessionId } = caller
  if (endOthers) await endSessionsOfUser(db, instanceId, userId, action, access.now(), sessionId)
  await audit(access, db, { instanceId, action, userId, subject: `user/${userId}` })
}
