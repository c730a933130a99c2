import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** Authenticator in software, for answers that a browser would never give. Signs with ES256, attests nothing. */
export interface Authenticator {
  id: string
  /** How often it says that it was used. */
  counter: number
  register(options: { challenge: string }, forged?: Forged): Registration
  assert(options: { challenge: string }, forged?: Forged): Assertion
}

/** What is wrong with an answer. */
export interface Forged {
  origin?: string
  rpId?: string
  challenge?: string
  /** Without user verification. */
  unverified?: boolean
  type?: string
}

const ORIGIN = 'http://localhost:8080'
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

type Registration = ReturnType<typeof toRegistration>
type Assertion = ReturnType<typeof toAssertion>

export function newAuthenticator(): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  const authenticator: Authenticator = {
    id,
    counter: 0,
    register: (options, forged = {}) => toRegistration({ credentialId, publicKey }, options, forged),
    assert: (options, forged = {}) => {
      authenticator.counter += 1
      return toAssertion({ id, privateKey, counter: authenticator.counter }, options, forged)
    },
  }
  return authenticator
}

function toRegistration(
  { credentialId, publicKey }: { credentialId: Buffer; publicKey: KeyObject },
  { challenge }: { challenge: string },
  forged: Forged,
) {
  const attested = Buffer.concat([Buffer.alloc(16), bigEndian(2, credentialId.length), credentialId, toCose(publicKey)])
  const authData = Buffer.concat([toAuthData(forged, ATTESTED, 0), attested])
  const attestationObject = Buffer.concat([
    Buffer.from([0xa3]),
    ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authData)],
  ])
  return {
    ...shared(credentialId.toString('base64url')),
    response: {
      clientDataJSON: toClientData(challenge, 'webauthn.create', forged),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    },
  }
}

function toAssertion(
  { id, privateKey, counter }: { id: string; privateKey: KeyObject; counter: number },
  { challenge }: { challenge: string },
  forged: Forged,
) {
  const authData = toAuthData(forged, 0, counter)
  const clientDataJSON = toClientData(challenge, 'webauthn.get', forged)
  const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
  const signature = sign('sha256', Buffer.concat([authData, hash]), privateKey)
  return {
    ...shared(id),
    response: { clientDataJSON, authenticatorData: authData.toString('base64url'), signature: signature.toString('base64url') },
  }
}

function shared(id: string) {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
}

/** Source: https://www.w3.org/TR/webauthn-3/#dictionary-client-data */
function toClientData(challenge: string, type: string, forged: Forged): string {
  const data = { type: forged.type ?? type, challenge: forged.challenge ?? challenge, origin: forged.origin ?? ORIGIN, crossOrigin: false }
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}

/** Source: https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data */
function toAuthData({ rpId = 'localhost', unverified = false }: Forged, flags: number, counter: number): Buffer {
  const set = USER_PRESENT | (unverified ? 0 : USER_VERIFIED) | flags
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([set]), bigEndian(4, counter)])
}

/** COSE key of ES256. Source: https://www.rfc-editor.org/rfc/rfc9053#section-7.1.1 */
function toCose(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinates = [
    [Buffer.from([0x21]), x],
    [Buffer.from([0x22]), y],
  ] as const
  const parts = coordinates.flatMap(([key, value]) => [key, bytes(Buffer.from(value, 'base64url'))])
  return Buffer.concat([Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]), ...parts])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([value.length < 256 ? Buffer.from([0x58, value.length]) : Buffer.from([0x59, ...bigEndian(2, value.length)]), value])
}

function bigEndian(width: number, value: number): Buffer {
  const buffer = Buffer.alloc(width)
  buffer.writeUIntBE(value, 0, width)
  return buffer
}
