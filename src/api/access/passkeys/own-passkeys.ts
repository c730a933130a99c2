import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import {
  deletePasskey,
  listPasskeys,
  lockPasskeyHolder,
  type Passkey,
  type PasskeyHolder,
  renamePasskey,
} from '../../../store/access/passkeys.ts'
import { lockTwoStepRule } from '../../../store/access/sign-in-rules.ts'
import { countRecoveryCodes, deleteTwoStep, holdRecoveryCodes } from '../../../store/access/two-step.ts'
import { findUser, type User } from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import { notifyUser } from '../account/notices.ts'
import { getOwnAccount } from '../account/own-account.ts'
import type { UserCaller } from '../caller.ts'
import { newTotpSecret } from '../login/one-time-codes.ts'
import { renewCodes, secretContext } from '../login/second-step.ts'
import { beginAssertion, beginRegistration, checkRegistration, storePasskey } from './ceremonies.ts'

export function holderOf({ instanceId, id }: Pick<User, 'instanceId' | 'id'>): PasskeyHolder {
  return { kind: 'user', instanceId, id }
}

/** Passkeys of the caller, oldest first. */
export async function listOwnPasskeys(access: Access, { instanceId, userId }: UserCaller): Promise<Passkey[]> {
  return await listPasskeys(access.database, holderOf({ instanceId, id: userId }))
}

/** Throws a 404 for one that is unknown or another's. */
export async function getOwnPasskey(access: Access, caller: UserCaller, id: string): Promise<Passkey> {
  return orNotFound(
    (await listOwnPasskeys(access, caller)).find((passkey) => passkey.id === id),
    'passkey',
  )
}

export async function beginOwnPasskey(access: Access, caller: UserCaller): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const user = await getOwnAccount(access, caller)
  return await beginRegistration(access, holderOf(user), user)
}

/** Adds a passkey. The first second step of an account comes with recovery codes, which are never shown again; otherwise none. */
export async function addOwnPasskey(
  access: Access,
  caller: UserCaller,
  given: { id: string; name: string; response: RegistrationResponseJSON },
): Promise<{ passkey: Passkey; recoveryCodes: string[] }> {
  const user = await getOwnAccount(access, caller)
  const { instanceId, userId } = caller
  const verified = await checkRegistration(access, holderOf(user), given)
  return await inTransaction(access.database, async (db) => {
    await lockPasskeyHolder(db, holderOf(user))
    const passkey = await storePasskey(db, holderOf(user), verified, access.now())
    await holdRecoveryCodes(db, instanceId, userId, access.sealer.seal(secretContext(user), newTotpSecret()), access.now())
    const hasCodes = (await countRecoveryCodes(db, instanceId, userId)) > 0
    const recoveryCodes = hasCodes ? [] : await renewCodes(access, db, user)
    await notifyUser(access, db, user, 'secondStepAdded', (shared) => ({ ...shared, name: given.name }))
    const after = { name: given.name }
    await audit(access, db, { instanceId, action: 'passkey.added', userId, subject: `user/${userId}`, after })
    return { passkey, recoveryCodes }
  })
}

/** Gives a passkey another name. */
export async function renameOwnPasskey(access: Access, { instanceId, userId }: UserCaller, id: string, name: string): Promise<Passkey> {
  return await inTransaction(access.database, async (db) => {
    const holder = holderOf({ instanceId, id: userId })
    await lockPasskeyHolder(db, holder)
    const passkey = (await listPasskeys(db, holder)).find((each) => each.id === id)
    if (!passkey || !(await renamePasskey(db, holder, id, name))) throw notFound('passkey')
    const changed = { before: { name: passkey.name }, after: { name } }
    await audit(access, db, { instanceId, action: 'passkey.renamed', userId, subject: `user/${userId}`, ...changed })
    return { ...passkey, name }
  })
}

/** Removes a passkey. Throws a 409 for the last second step while the instance requires one. */
export async function removeOwnPasskey(access: Access, caller: UserCaller, id: string): Promise<void> {
  const { instanceId, userId } = caller
  await inTransaction(access.database, async (db) => {
    const holder = holderOf({ instanceId, id: userId })
    const isRequired = await lockTwoStepRule(db, instanceId)
    await lockPasskeyHolder(db, holder)
    const before = (await listPasskeys(db, holder)).find((passkey) => passkey.id === id)
    if (!before || !(await deletePasskey(db, holder, id))) throw notFound('passkey')
    const user = orNotFound(await findUser(db, instanceId, userId), 'passkey')
    if (isRequired && !user.twoStep) throw conflict('This instance requires two-step login.')
    await notifyUser(access, db, user, 'secondStepRemoved', (shared) => ({ ...shared, name: before.name }))
    if (!user.twoStep) {
      await deleteTwoStep(db, instanceId, userId)
      await notifyUser(access, db, user, 'twoStepDisabled', (shared) => shared)
    }
    await audit(access, db, { instanceId, action: 'passkey.removed', userId, subject: `user/${userId}`, before: { name: before.name } })
  })
}

/** Begins a proof by a passkey. Throws a 409 for a user who has none. */
export async function beginPasskeyProof(access: Access, user: User): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await beginAssertion(access, holderOf(user), 'proof')
  if (!options) throw conflict('The account has no passkey.')
  return options
}
