import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import {
  consumePasskeyChallenge,
  createPasskeyChallenge,
  insertPasskey,
  listPasskeys,
  type NewPasskey,
  notePasskeyUse,
  type Passkey,
  type PasskeyHolder,
  type PasskeyPurpose,
} from '../../../store/access/passkeys.ts'
import type { Db } from '../../../store/db/database.ts'
import { badField, conflict } from '../../errors/errors.ts'
import type { Access } from '../access.ts'
import {
  ALGORITHMS,
  readChallenge,
  relyingPartyOf,
  toText,
  toTransports,
  verifyAssertion,
  verifyRegistration,
  webAuthn,
} from './web-authn.ts'

/** As the holder’s device shows it. */
export interface HolderName {
  email: string
  name: string
}

const CHALLENGE_MS = 300_000
const MAX_PASSKEYS = 20

type PasskeyAccess = Pick<Access, 'database' | 'settings' | 'now'>

/** Begins to register a passkey: what the browser needs. Throws a 409 at the limit, and where no passkeys are possible. */
export async function beginRegistration(
  access: PasskeyAccess,
  holder: PasskeyHolder,
  { email, name }: HolderName,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { id: rpID } = relyingPartyOf(access.settings.issuer)
  const known = await listPasskeys(access.database, holder)
  checkCount(known)
  const { generateRegistrationOptions } = await webAuthn()
  return await generateRegistrationOptions({
    ...{ rpID, rpName: 'Countinghouse', userName: email, userDisplayName: name, userID: new TextEncoder().encode(holder.id) },
    challenge: await newChallenge(access, holder, 'registration'),
    timeout: CHALLENGE_MS,
    supportedAlgorithmIDs: [...ALGORITHMS],
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: toText(credentialId), transports: toTransports(transports) })),
  })
}

/**
 * Verifies the passkey that a browser has made; uses its challenge up in any case. Outside any transaction, which would
 * hold one connection and wait for another. Throws a 400 for an answer that does not fit.
 */
export async function checkRegistration(
  access: PasskeyAccess,
  holder: PasskeyHolder,
  { id, name, response }: { id: string; name: string; response: RegistrationResponseJSON },
): Promise<NewPasskey> {
  const challenge = await takeChallenge(access, holder, response, 'registration')
  const registered = challenge && (await verifyRegistration(relyingPartyOf(access.settings.issuer), response, challenge))
  if (!registered) throw badField('passkey', 'is not accepted')
  return { id, name, ...registered }
}

/** Stores a verified passkey of a holder who is locked. Throws a 409 for one that is known, and at the limit. */
export async function storePasskey(db: Db, holder: PasskeyHolder, passkey: NewPasskey, createdOn: Date): Promise<Passkey> {
  // Others may have been added since the registration began.
  checkCount(await listPasskeys(db, holder))
  if (!(await insertPasskey(db, holder, passkey, createdOn))) throw conflict('This passkey is registered already.')
  return { id: passkey.id, name: passkey.name, createdOn, lastUsedOn: null }
}

/** Begins a proof by a passkey; null for a holder who has none. */
export async function beginAssertion(
  access: PasskeyAccess,
  holder: PasskeyHolder,
  purpose: 'login' | 'proof',
): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const known = await listPasskeys(access.database, holder)
  if (known.length === 0) return null
  const { id: rpID } = relyingPartyOf(access.settings.issuer)
  const { generateAuthenticationOptions } = await webAuthn()
  return await generateAuthenticationOptions({
    ...{ rpID, timeout: CHALLENGE_MS },
    challenge: await newChallenge(access, holder, purpose),
    allowCredentials: known.map(({ credentialId, transports }) => ({ id: toText(credentialId), transports: toTransports(transports) })),
  })
}

/**
 * Checks a proof by a passkey, outside any transaction; uses its challenge up in any case. `copied`: the signature is
 * right and the counter has not risen, so that there is another device with the same passkey.
 */
export async function checkAssertion(
  access: PasskeyAccess,
  holder: PasskeyHolder,
  purpose: 'login' | 'proof',
  response: AuthenticationResponseJSON,
): Promise<'right' | 'wrong' | 'copied'> {
  const challenge = await takeChallenge(access, holder, response, purpose)
  const passkey = (await listPasskeys(access.database, holder)).find(({ credentialId }) => toText(credentialId) === response.id)
  if (!challenge || !passkey) return 'wrong'
  const counter = await verifyAssertion(relyingPartyOf(access.settings.issuer), response, challenge, passkey)
  if (counter === null) return 'wrong'
  return (await notePasskeyUse(access.database, holder, passkey.id, counter, access.now())) ? 'right' : 'copied'
}

function checkCount({ length }: readonly Passkey[]): void {
  if (length >= MAX_PASSKEYS) throw conflict(`There are ${MAX_PASSKEYS} passkeys already; remove one first.`)
}

async function newChallenge(access: PasskeyAccess, holder: PasskeyHolder, purpose: PasskeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32))
  const expiresAt = new Date(access.now().getTime() + CHALLENGE_MS)
  await createPasskeyChallenge(access.database, holder, { challenge, purpose, expiresAt })
  return challenge
}

/** Uses the challenge up that an answer is about. */
async function takeChallenge(
  access: PasskeyAccess,
  holder: PasskeyHolder,
  { response }: RegistrationResponseJSON | AuthenticationResponseJSON,
  purpose: PasskeyPurpose,
): Promise<Uint8Array | null> {
  const challenge = readChallenge(response.clientDataJSON)
  const isOurs = challenge && (await consumePasskeyChallenge(access.database, holder, challenge, purpose, access.now()))
  return isOurs ? challenge : null
}
