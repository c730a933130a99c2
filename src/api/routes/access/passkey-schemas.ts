import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Passkey } from '../../../store/access/passkeys.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

/** Bytes as browsers give them: base64url. */
const bytes = (maxLength: number, description?: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength, ...(description === undefined ? {} : { description }) })

const Transports = Type.Array(Type.String({ maxLength: 32, examples: ['usb'] }), { maxItems: 10 })

const CredentialId = bytes(1_400)
const shared = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.Enum(['platform', 'cross-platform'])),
  clientExtensionResults: Type.Object(
    {},
    {
      ...{ additionalProperties: true, maxProperties: 20, description: 'Not read' },
      $comment: 'open: browsers add what their extensions give',
    },
  ),
}

/** Source: https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson */
export const PasskeyAssertion = strict(
  {
    ...shared,
    response: strict({
      clientDataJSON: bytes(4_096),
      authenticatorData: bytes(4_096),
      signature: bytes(2_048),
      userHandle: Type.Optional(bytes(100)),
    }),
  },
  { title: 'PasskeyAssertion', description: 'What `navigator.credentials.get` gives for the options, as `toJSON()` writes it' },
)

/** Source: https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson */
export const PasskeyRegistration = strict(
  {
    ...shared,
    response: strict({
      clientDataJSON: bytes(4_096),
      attestationObject: bytes(8_192),
      authenticatorData: Type.Optional(bytes(4_096)),
      transports: Type.Optional(Transports),
      publicKey: Type.Optional(bytes(4_096)),
      publicKeyAlgorithm: Type.Optional(Type.Integer()),
    }),
  },
  { title: 'PasskeyRegistration', description: 'What `navigator.credentials.create` gives for the options, as `toJSON()` writes it' },
)

export const PasskeyName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['Laptop'] })

export const PasskeyShape = strict(
  { id: Uuid, name: PasskeyName, createdOn: PlainTimestamp, lastUsedOn: orNull(PlainTimestamp) },
  { title: 'Passkey' },
)

export function presentPasskey({ id, name, createdOn, lastUsedOn }: Passkey) {
  return { id, name, createdOn: toPlainTimestamp(createdOn), lastUsedOn: lastUsedOn && toPlainTimestamp(lastUsedOn) }
}

const Descriptors = Type.Array(strict({ id: Type.String(), type: Type.Literal('public-key'), transports: Transports }))

/** Source: https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrequestoptionsjson */
export const PasskeyRequest = strict(
  {
    challenge: Type.String(),
    timeout: Type.Integer(),
    rpId: Type.String(),
    allowCredentials: Descriptors,
    userVerification: Type.Literal('required'),
  },
  { title: 'PasskeyRequest', description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`; good for five minutes, once' },
)

/** Source: https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson */
export const PasskeyCreation = strict(
  {
    rp: strict({ id: Type.String(), name: Type.String() }),
    user: strict({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(strict({ alg: Type.Integer(), type: Type.Literal('public-key') })),
    timeout: Type.Integer(),
    excludeCredentials: Descriptors,
    authenticatorSelection: strict({
      residentKey: Type.Literal('discouraged'),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.Literal('required'),
    }),
    attestation: Type.Literal('none'),
  },
  { title: 'PasskeyCreation', description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON`; good for five minutes, once' },
)
