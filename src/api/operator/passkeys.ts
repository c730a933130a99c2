import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { deletePasskey, listPasskeys, type Passkey, type PasskeyHolder, renamePasskey } from '../../store/access/passkeys.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { findOperatorTwoStep } from '../../store/operators/operator-two-steps.ts'
import { lockOperator } from '../../store/operators/operators.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import { type Access, audit } from '../access/access.ts'
import { beginAssertion, beginRegistration, checkRegistration, storePasskey } from '../access/passkeys/ceremonies.ts'
import { conflict, forbidden, notFound, orNotFound } from '../errors/errors.ts'
import type { OperatorCaller } from './operator-caller.ts'
import { openSession, type SignedIn, settleAttempts, subjectOf } from './sign-in.ts'
import { lockForSetup, replaceCodes } from './two-step.ts'

function passkeysOf({ operatorId }: Pick<OperatorCaller, 'operatorId'>): PasskeyHolder {
  return { kind: 'operator', instanceId: SYSTEM_INSTANCE_ID, id: operatorId }
}

export async function listOperatorPasskeys(access: Access, caller: OperatorCaller): Promise<Passkey[]> {
  return await listPasskeys(access.database, passkeysOf(caller))
}

/** Throws a 404 for an unknown passkey and for one of another operator. */
export async function getOperatorPasskey(access: Access, caller: OperatorCaller, id: string): Promise<Passkey> {
  return orNotFound(
    (await listOperatorPasskeys(access, caller)).find((each) => each.id === id),
    'passkey',
  )
}

/** Begins to register a passkey: the first second factor of an operator, or another one. */
export async function beginOperatorPasskey(access: Access, caller: OperatorCaller): Promise<PublicKeyCredentialCreationOptionsJSON> {
  refuseUnproven(caller)
  return await beginRegistration(access, passkeysOf(caller), { email: caller.email, name: caller.operatorName })
}

/** Adds a passkey. The first second factor opens the session and comes with recovery codes, which are never shown again. */
export async function addOperatorPasskey(
  access: Access,
  caller: OperatorCaller,
  given: { id: string; name: string; response: RegistrationResponseJSON; network: string },
): Promise<{ passkey: Passkey; opened: (SignedIn & { recoveryCodes: string[] }) | null }> {
  refuseUnproven(caller)
  const verified = await checkRegistration(access, passkeysOf(caller), given)
  const added = await inTransaction(access.database, async (db) => {
    await lockForSetup(db, caller)
    const passkey = await storePasskey(db, passkeysOf(caller), verified, access.now())
    const opened = caller.step === 'open' ? null : await openFirst(access, db, caller)
    const after = { name: given.name }
    await audit(access, db, { instanceId: null, action: 'operator.passkey-added', subject: subjectOf(caller), after })
    return { passkey, opened }
  })
  if (added.opened) await settleAttempts(access, caller, given.network)
  return added
}

/** Gives a passkey another name. */
export async function renameOperatorPasskey(access: Access, caller: OperatorCaller, id: string, name: string): Promise<Passkey> {
  return await inTransaction(access.database, async (db) => {
    await lockOperator(db, caller.operatorId)
    const passkey = (await listPasskeys(db, passkeysOf(caller))).find((each) => each.id === id)
    if (!passkey || !(await renamePasskey(db, passkeysOf(caller), id, name))) throw notFound('passkey')
    const entry = { instanceId: null, action: 'operator.passkey-renamed', subject: subjectOf(caller) } as const
    await audit(access, db, { ...entry, before: { name: passkey.name }, after: { name } })
    return { ...passkey, name }
  })
}

/** Removes a passkey. Throws a 409 for the last second factor, which operators need. */
export async function removeOperatorPasskey(access: Access, caller: OperatorCaller, id: string): Promise<void> {
  await inTransaction(access.database, async (db) => {
    await lockOperator(db, caller.operatorId)
    const passkeys = await listPasskeys(db, passkeysOf(caller))
    const before = passkeys.find((passkey) => passkey.id === id)
    if (!before || !(await deletePasskey(db, passkeysOf(caller), id))) throw notFound('passkey')
    const app = await findOperatorTwoStep(db, caller.operatorId)
    if (passkeys.length === 1 && !app?.confirmedAt) throw conflict('Operators need a second step: add another first.')
    const entry = { instanceId: null, action: 'operator.passkey-removed', subject: subjectOf(caller) } as const
    await audit(access, db, { ...entry, before: { name: before.name } })
  })
}

/** Begins the second step with a passkey; `options` is null for an operator who has none. */
export async function beginOperatorSecondStep(access: Access, caller: OperatorCaller) {
  const app = await findOperatorTwoStep(access.database, caller.operatorId)
  return { options: await beginAssertion(access, passkeysOf(caller), 'login'), hasApp: (app?.confirmedAt ?? null) !== null }
}

/** Begins a proof by a passkey. Throws a 409 for an operator who has none. */
export async function beginOperatorProof(access: Access, caller: OperatorCaller): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await beginAssertion(access, passkeysOf(caller), 'proof')
  if (!options) throw conflict('The account has no passkey.')
  return options
}

/** Nobody with the password alone may add a second factor beside the one that is missing. */
function refuseUnproven({ step }: OperatorCaller): void {
  if (step === 'second') throw forbidden('The second step of the sign-in is missing.')
}

async function openFirst(access: Access, db: Db, caller: OperatorCaller): Promise<SignedIn & { recoveryCodes: string[] }> {
  const recoveryCodes = await replaceCodes(access, db, caller)
  return { ...(await openSession(access, db, caller, 'passkey')), recoveryCodes }
}
