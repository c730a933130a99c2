import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { type HttpRequest, type Kit, SourceError } from '../contract/contract.ts'
import { type Profile, showsCertificate } from './profile.ts'

/** Client authentication: headers and form fields. */
interface ClientProof {
  headers: Record<string, string>
  fields: Record<string, string>
}

/** Short lifetime: an assertion is made for one request. */
const ASSERTION_SECONDS = 60

/**
 * Client authentication of a form to an endpoint of the authorization server. `audience` is the audience of an
 * assertion: the issuer where it is known.
 * Source: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1, https://www.rfc-editor.org/rfc/rfc7523#section-2.2,
 * https://www.rfc-editor.org/rfc/rfc8705#section-2.1
 */
export async function proveClient(kit: Kit, method: Profile['authorization']['client'], audience: string): Promise<ClientProof> {
  const { clientId = '', clientSecret = '' } = kit.app
  switch (method) {
    case 'client_secret_basic': {
      const pair = `${encodeForm(clientId)}:${encodeForm(clientSecret)}`
      return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, fields: {} }
    }
    case 'client_secret_post':
      return { headers: {}, fields: { client_id: clientId, client_secret: clientSecret } }
    case 'tls_client_auth':
      return { headers: {}, fields: { client_id: clientId } }
    case 'private_key_jwt':
      return {
        headers: {},
        fields: {
          client_id: clientId,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await signAssertion(kit, audience),
        },
      }
  }
}

/** Client certificate for a call, where the profile uses one. */
export function identityOf(kit: Kit, profile: Profile): Pick<HttpRequest, 'identity'> {
  if (!showsCertificate(profile.authorization)) return {}
  return { identity: { certificate: kit.app.certificate ?? '', privateKey: kit.app.certificateKey ?? '' } }
}

async function signAssertion(kit: Kit, audience: string): Promise<string> {
  const { clientId = '', signingKey = '', signingKeyId } = kit.app
  const key = readKey(signingKey)
  const nowSeconds = Math.floor(kit.now().getTime() / 1000)
  return await new SignJWT()
    .setProtectedHeader({ alg: algorithmOf(key), ...(signingKeyId ? { kid: signingKeyId } : {}) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setJti(randomUUID())
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
    .sign(key)
}

/** Private key: PEM, or a JWK as JSON. */
function readKey(text: string): KeyObject {
  try {
    return text.trimStart().startsWith('{') ? createPrivateKey({ key: JSON.parse(text), format: 'jwk' }) : createPrivateKey(text)
  } catch {
    // Without the cause: it may quote the key.
    throw new SourceError('unavailable', "the operator's signingKey is no private key", { isClientRefused: true })
  }
}

/**
 * Signature algorithms that FAPI allows clients.
 * Source: https://openid.net/specs/fapi-security-profile-2_0-final.html#section-5.4
 */
function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'ec') return key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : 'ES256'
  return key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'PS256'
}

function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}
