import { listPasskeys, lockPasskeyHolder } from '../../../store/access/passkeys.ts'
import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import { findSignInRules, lockTwoStepRule } from '../../../store/access/sign-in-rules.ts'
import {
  confirmTwoStep,
  countRecoveryCodes,
  deleteTwoStep,
  findTwoStep,
  retireTwoStep,
  startTwoStep,
} from '../../../store/access/two-step.ts'
import type { User } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { badField, conflict } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import { notifyUser } from '../account/notices.ts'
import { checkPassword, getOwnAccount } from '../account/own-account.ts'
import type { UserCaller } from '../caller.ts'
import { holderOf } from '../passkeys/own-passkeys.ts'
import { countConfirmation, forgetConfirmations } from './login-rate-limit.ts'
import { describeTotp, newTotpSecret } from './one-time-codes.ts'
import { consumeCode, consumeProof, faultOf, type Proof, renewCodes, secretContext } from './second-step.ts'

/** Lifetime of an unconfirmed secret. */
const CONFIRM_WITHIN_MS = 600_000

/** Re-authentication for a change of the second factor. */
export interface Confirmation {
  password: string
  proof: Proof
  endOtherSessions: boolean
}

type TwoStepAction = 'two-step.begun' | 'two-step.enabled' | 'two-step.disabled' | 'two-step.codes-renewed'

export interface TwoStepState {
  enabled: boolean
  hasApp: boolean
  passkeys: number
  isRequired: boolean
  recoveryCodesLeft: number
}

export async function describeTwoStep(access: Access, caller: UserCaller): Promise<TwoStepState> {
  const user = await getOwnAccount(access, caller)
  const { database } = access
  const { requiresTwoStep } = await findSignInRules(database, user.instanceId)
  const app = await findTwoStep(database, user.instanceId, user.id)
  return {
    enabled: user.twoStep,
    hasApp: (app?.confirmedAt ?? null) !== null,
    passkeys: (await listPasskeys(database, holderOf(user))).length,
    isRequired: requiresTwoStep,
    recoveryCodesLeft: user.twoStep ? await countRecoveryCodes(database, user.instanceId, user.id) : 0,
  }
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
  await forgetConfirmations(access, user.id)
  return describeTotp(secret, 'Countinghouse', user.email)
}

/** Activates the secret and returns the recovery codes, which are never shown again. */
export async function confirmSetup(access: Access, caller: UserCaller, code: string, endOtherSessions: boolean): Promise<string[]> {
  const user = await getOwnAccount(access, caller)
  await countConfirmation(access, user.id)
  const codes = await inTransaction(access.database, async (db) => {
    await lockPasskeyHolder(db, holderOf(user))
    const started = await findTwoStep(db, user.instanceId, user.id)
    if (!started || access.now().getTime() - started.startedAt.getTime() > CONFIRM_WITHIN_MS) {
      throw conflict('No set-up of two-step login is under way.')
    }
    if (started.confirmedAt) throw conflict('Two-step login is on already.')
    if (!(await consumeCode(access, db, user, started, code))) throw badField('code', 'is wrong')
    if (!(await confirmTwoStep(db, user.instanceId, user.id, started.startedAt, access.now())))
      throw conflict('The set-up was started again.')
    await notifyUser(access, db, user, 'secondStepAdded', (shared) => ({ ...shared, name: null }))
    return finishChange(access, db, caller, user, 'two-step.enabled', endOtherSessions)
  })
  await forgetConfirmations(access, user.id)
  return codes
}

/** Removes the authenticator app. Throws a 409 when it is the last second step and the instance requires one. */
export async function disableTwoStep(access: Access, caller: UserCaller, confirmation: Confirmation): Promise<void> {
  await withConfirmation(access, caller, confirmation, async (db, user) => {
    const isRequired = await lockTwoStepRule(db, user.instanceId)
    await lockPasskeyHolder(db, holderOf(user))
    if ((await listPasskeys(db, holderOf(user))).length > 0) {
      await retireTwoStep(db, user.instanceId, user.id, access.sealer.seal(secretContext(user), newTotpSecret()), access.now())
      await notifyUser(access, db, user, 'secondStepRemoved', (shared) => ({ ...shared, name: null }))
    } else {
      if (isRequired) throw conflict('This instance requires two-step login.')
      await deleteTwoStep(db, user.instanceId, user.id)
      await notifyUser(access, db, user, 'twoStepDisabled', (shared) => shared)
    }
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
  if (!(await consumeProof(access, user, confirmation.proof))) throw badField(...faultOf(confirmation.proof))
  const result = await inTransaction(access.database, (db) => work(db, user))
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
  const codes = await renewCodes(access, db, user)
  await recordChange(access, db, caller, action, endOthers)
  return codes
}

async function recordChange(access: Access, db: Db, caller: UserCaller, action: TwoStepAction, endOthers: boolean): Promise<void> {
  const { instanceId, userId, sessionId } = caller
  if (endOthers) await endSessionsOfUser(db, instanceId, userId, action, access.now(), sessionId)
  await audit(access, db, { instanceId, action, userId, subject: `user/${userId}` })
}
