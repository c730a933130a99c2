import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { PasskeyCredential } from '../../../store/access/passkeys.ts'
import { conflict } from '../../errors/errors.ts'

type WebAuthn = typeof import('@simplewebauthn/server')

/** Relying party: the deployment, as browsers know it. */
export interface RelyingParty {
  /** Host of the public address. */
  id: string
  origin: string
}

/** What a registration gives to keep. */
export interface Registered {
  credentialId: Uint8Array
  publicKey: Uint8Array
  signCount: number
  transports: string[]
}

const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** COSE algorithms: EdDSA, ES256, RS256. Source: https://www.iana.org/assignments/cose/cose.xhtml#algorithms */
export const ALGORITHMS: readonly number[] = [-8, -7, -257]

let loaded: Promise<WebAuthn> | null = null

/** Loaded with the first passkey of a process: its parsers take memory that most processes never need. */
export function webAuthn(): Promise<WebAuthn> {
  loaded ??= import('@simplewebauthn/server')
  return loaded
}

/** Throws a 409 where the public address has no host name, without which browsers offer no passkeys. */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw conflict('Passkeys need a BASE_URL with a host name.')
  return { id: hostname, origin }
}

/** Challenge in the data that the browser has signed, unverified; null if there is none. */
export function readChallenge(clientDataJSON: string): Uint8Array | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const isReadable = typeof data === 'object' && data !== null && 'challenge' in data && typeof data.challenge === 'string'
    return isReadable ? Buffer.from(String(data.challenge), 'base64url') : null
  } catch {
    return null
  }
}

/** Verifies a new passkey: origin, relying party, user verification and format; null for anything else. */
export async function verifyRegistration(
  { id, origin }: RelyingParty,
  response: RegistrationResponseJSON,
  challenge: Uint8Array,
): Promise<Registered | null> {
  const { verifyRegistrationResponse } = await webAuthn()
  const expected = { expectedChallenge: toText(challenge), expectedOrigin: origin, expectedRPID: id, requireUserVerification: true }
  const supportedAlgorithmIDs = [...ALGORITHMS]
  const { verified, registrationInfo } = await verifyRegistrationResponse({ response, supportedAlgorithmIDs, ...expected }).catch(
    () => NOT_VERIFIED,
  )
  if (!verified || !registrationInfo) return null
  const { credential } = registrationInfo
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: credential.publicKey,
    signCount: credential.counter,
    transports: toTransports(response.response.transports ?? []),
  }
}

/**
 * Verifies a signature of a passkey: challenge, origin, relying party, user verification. Returns the counter, which the
 * caller compares with the last one; null for anything else.
 */
export async function verifyAssertion(
  { id, origin }: RelyingParty,
  response: AuthenticationResponseJSON,
  challenge: Uint8Array,
  passkey: PasskeyCredential,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await webAuthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    ...{ expectedChallenge: toText(challenge), expectedOrigin: origin, expectedRPID: id, requireUserVerification: true },
    // NOTE the counter is compared by the database: of two answers at once with the same one, the second is refused.
    credential: { id: toText(passkey.credentialId), publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
  }).catch(() => NOT_ASSERTED)
  return verified && authenticationInfo ? authenticationInfo.newCounter : null
}

/** Ways in which a browser reaches the authenticator; unknown ones are left out. */
export function toTransports(given: readonly string[]): string[] {
  return TRANSPORTS.filter((known) => given.includes(known))
}

export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

/** The library throws for every invalid response: forged, truncated, or of another user. */
const NOT_VERIFIED = { verified: false, registrationInfo: undefined } as const
const NOT_ASSERTED = { verified: false, authenticationInfo: null } as const
