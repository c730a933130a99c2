import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Credentials, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { basicAuthorization } from '../toolkit/http/status-failures.ts'
import { TOKEN_TIMEOUT_MS, wordOf } from '../toolkit/oauth/token-requests.ts'
import { fill } from './pointers.ts'
import type { Authentication, Profile } from './profile.ts'
import { namesIn, secretsOf } from './profile-faults.ts'
import { SecretWire, TokenWire } from './wire.ts'

const EXPIRY_MARGIN_S = 30
const USUAL_LIFE_S = 300
const ASSERTION_LIFE_S = 120
const BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const BEARER_CLIENT = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const Discovery = Type.Object({ token_endpoint: Type.String() })

type TokenKind = Extract<Authentication, { token: string }>

/** Sealed secret, validated; a mismatch is a fault of ours. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!Check(SecretWire, credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of this bank')
  return credentials.secret
}

/** Template values: the operator's keys and the form fields. */
export function valuesOf(kit: Kit, { fields }: SecretWire): Record<string, string> {
  return { ...kit.app, ...fields }
}

export function usesTokens(profile: Profile): boolean {
  return 'token' in profile.authentication
}

/** Whether a token can be requested without any form field of the owner. */
export function opensWithKeysAlone({ authentication, keys }: Profile): boolean {
  return (
    'token' in authentication &&
    templatesIn(authentication)
      .flatMap(namesIn)
      .every((name) => keys.includes(name))
  )
}

function templatesIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(templatesIn) : []
}

/** Authorization header of API calls. */
export function authorizationOf(profile: Profile, kit: Kit, secret: SecretWire): Record<string, string> {
  const { authentication } = profile
  const values = valuesOf(kit, secret)
  switch (authentication.kind) {
    case 'basic':
      return { authorization: basicAuthorization(fill(authentication.user, values), fill(authentication.password, values)) }
    case 'apiKey':
      return { [authentication.header.toLowerCase()]: fill(authentication.value, values) }
    default:
      return { authorization: `Bearer ${secret.accessToken ?? ''}` }
  }
}

/** Token for the form fields; without tokens, the credentials themselves. */
export async function toCredentials(profile: Profile, kit: Kit, fields: Record<string, string>): Promise<Credentials> {
  const { authentication } = profile
  if (!('token' in authentication)) return { secret: { fields }, expiresAt: null }
  const response = await askForToken(profile, authentication, kit, { fields })
  const what = 'the request for a token'
  if (response.status !== 200) throw toTokenError(profile, response, kit.now())
  const body = await responseJson(response, what)
  if (!Check(TokenWire, body)) throw new SourceError('badData', `${profile.name} answered without a token`)
  const lifeS = body.expires_in === undefined || body.expires_in === null ? USUAL_LIFE_S : Number(body.expires_in)
  if (!Number.isFinite(lifeS)) throw new SourceError('badData', `${profile.name} answered a token without a lifetime`)
  const expiresAt = new Date(kit.now().getTime() + Math.max(0, lifeS - EXPIRY_MARGIN_S) * 1000).toISOString()
  return { secret: { fields, accessToken: body.access_token }, expiresAt }
}

async function askForToken(profile: Profile, authentication: TokenKind, kit: Kit, secret: SecretWire): Promise<HttpResponse> {
  const url = await tokenAddress(profile, authentication, kit)
  const values = valuesOf(kit, secret)
  const form: Record<string, string> = { grant_type: 'client_credentials' }
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
  if (authentication.scope !== undefined) form.scope = authentication.scope
  if (authentication.kind === 'clientCredentials') {
    const clientId = fill(authentication.clientId, values)
    const clientSecret = fill(authentication.clientSecret, values)
    // Both parts are form-encoded first.
    // Source: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
    if (authentication.send === 'basic') {
      headers.authorization = basicAuthorization(encodeURIComponent(clientId), encodeURIComponent(clientSecret))
    } else Object.assign(form, { client_id: clientId, client_secret: clientSecret })
    for (const [name, template] of Object.entries(authentication.parameters ?? {})) form[name] = fill(template, values)
  } else {
    const assertion = toAssertion(authentication, values, url, kit.now())
    if (authentication.use === 'grant') Object.assign(form, { grant_type: BEARER_GRANT, assertion })
    else
      Object.assign(form, {
        client_assertion_type: BEARER_CLIENT,
        client_assertion: assertion,
        client_id: fill(authentication.clientId, values),
      })
  }
  return await kit.http({ method: 'POST', url, headers, body: new URLSearchParams(form).toString(), timeoutMs: TOKEN_TIMEOUT_MS })
}

/** NOTE keys are sent to no other origin than the one configured by the operator. */
async function tokenAddress(profile: Profile, { token }: TokenKind, kit: Kit): Promise<string> {
  const host = kit.hosts.token ?? ''
  if (token !== 'discovery') return `${host}${token}`
  const response = await kit.http({ url: `${host}/.well-known/openid-configuration`, headers: { accept: 'application/json' } })
  if (response.status !== 200) throw toTokenError(profile, response, kit.now())
  const document = await responseJson(response, 'the discovery document')
  if (!Check(Discovery, document) || URL.parse(document.token_endpoint)?.origin !== new URL(host).origin) {
    throw new SourceError('badData', `${profile.name} names no address for tokens on its own host`)
  }
  return document.token_endpoint
}

/** Source: https://www.rfc-editor.org/rfc/rfc7523#section-3 */
function toAssertion(
  authentication: Extract<Authentication, { kind: 'jwtBearer' }>,
  values: Record<string, string>,
  address: string,
  now: Date,
): string {
  const clientId = fill(authentication.clientId, values)
  const nowS = Math.floor(now.getTime() / 1000)
  const keyId = authentication.keyId === undefined ? {} : { kid: fill(authentication.keyId, values) }
  const claims = {
    iss: clientId,
    sub: authentication.subject === undefined ? clientId : fill(authentication.subject, values),
    aud: authentication.audience === undefined ? address : fill(authentication.audience, values),
    iat: nowS,
    exp: nowS + ASSERTION_LIFE_S,
    jti: randomUUID(),
  }
  const text = [{ alg: authentication.algorithm, typ: 'JWT', ...keyId }, claims].map(encoded).join('.')
  const key = openKey(fill(authentication.privateKey, values))
  return `${text}.${sign('sha256', Buffer.from(text), { key, ...SIGNATURES[authentication.algorithm] }).toString('base64url')}`
}

const SIGNATURES = {
  RS256: {},
  PS256: { padding: 6, saltLength: 32 },
  ES256: { dsaEncoding: 'ieee-p1363' },
} as const

function openKey(pem: string): KeyObject {
  try {
    // One line in sources.json: line ends may be written there as two characters.
    return createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    // Without the cause: it may quote the key.
    throw new SourceError('unavailable', 'the operator’s private key for this bank cannot be read', { isClientRefused: true })
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Error for refused credentials: resolved by the person who typed them, or by the operator. */
function toTokenError(profile: Profile, response: HttpResponse, now: Date): SourceError {
  const word = wordOf(response)
  const message = `${profile.name} answered ${response.status} to the request for a token${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  const typed = new Set(profile.connect.fields.map(({ name }) => name))
  const isTyped = secretsOf(profile.authentication).some((template) => namesIn(template).some((name) => typed.has(name)))
  if (word === 'invalid_grant' || isTyped) return new SourceError('reconnect', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401 || response.status === 403) {
    return new SourceError('unavailable', `${message}: the operator's keys were refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}
