import { decodeJwt } from 'jose'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Credentials, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { refuseWithoutWord, TOKEN_TIMEOUT_MS, wordOf } from '../toolkit/oauth/token-requests.ts'
import { identityOf, proveClient } from './client-proof.ts'
import { type Endpoints, findEndpoints } from './endpoints.ts'
import type { Profile } from './profile.ts'
import { type FdxSecret, readSecret } from './secret.ts'

/** Margin before expiry at which a refresh is due. */
const EXPIRY_MARGIN_S = 30
/** Assumed lifetime of a token without `expires_in`. */
const UNTOLD_LIFE_S = 300

const TokenAnswer = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  refresh_token: Type.Optional(Type.String({ minLength: 1 })),
  id_token: Type.Optional(Type.String({ minLength: 1 })),
})
export type TokenAnswer = Static<typeof TokenAnswer>

const isTokenAnswer = Compile(TokenAnswer)

/**
 * Calls the token endpoint. `invalid_grant`, or 400 without a code, is for the owner to fix, `invalid_client` for the
 * operator.
 */
export async function requestTokens(kit: Kit, profile: Profile, endpoints: Endpoints, form: Record<string, string>): Promise<TokenAnswer> {
  const { client, clientOnRefresh } = profile.authorization
  const method = form.grant_type === 'refresh_token' ? (clientOnRefresh ?? client) : client
  const response = await postForm(kit, profile, endpoints, endpoints.token, form, method)
  const what = 'the request for a token'
  if (response.status === 400 && wordOf(response) === '') throw refuseWithoutWord(response, `the bank answered 400 to ${what}`)
  if (response.status !== 200) throw toTokenError(response, what, kit.now())
  const body = await responseJson(response, what)
  if (!isTokenAnswer.Check(body)) throw new SourceError('badData', `${what}: the answer holds no token`)
  return body
}

/** Posts a form to the authorization server, with the client's authentication and certificate. */
export async function postForm(
  kit: Kit,
  profile: Profile,
  endpoints: Endpoints,
  url: string,
  form: Record<string, string>,
  method = profile.authorization.client,
): Promise<HttpResponse> {
  const proof = await proveClient(kit, method, endpoints.issuer ?? endpoints.token)
  return await kit.http({
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...proof.headers },
    body: new URLSearchParams({ ...form, ...proof.fields }).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
    ...identityOf(kit, profile),
  })
}

/** Credentials of a login; a refresh token that the response does not renew is kept. */
export function toCredentials(kit: Kit, profile: Profile, tokens: TokenAnswer, login: Omit<FdxSecret, 'bearer'>): Credentials {
  const isIdToken = profile.authorization.bearer === 'id_token'
  const bearer = isIdToken ? tokens.id_token : tokens.access_token
  if (bearer === undefined) throw new SourceError('badData', 'the answer holds no id_token')
  const told = isIdToken ? lifeOf(bearer, kit.now()) : Number(tokens.expires_in)
  const lifeS = Number.isFinite(told) ? told : UNTOLD_LIFE_S
  return {
    secret: { ...login, bearer, refreshToken: tokens.refresh_token ?? login.refreshToken },
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
  }
}

/** Refreshes the credentials. Most banks rotate the refresh token each time and revoke the old one. */
export async function refreshCredentials(kit: Kit, profile: Profile, credentials: Credentials): Promise<Credentials> {
  const { bearer: _old, ...login } = readSecret(credentials)
  if (login.refreshToken === null) throw new SourceError('reconnect', 'the bank gave no refresh token: the owner has to sign in again')
  const form = { grant_type: 'refresh_token', refresh_token: login.refreshToken }
  return toCredentials(kit, profile, await requestTokens(kit, profile, await findEndpoints(kit, profile), form), login)
}

/** Revokes the consent at the bank; one already expired is no failure, and a bank without revocation is skipped. */
export async function revoke(kit: Kit, profile: Profile, credentials: Credentials): Promise<void> {
  const endpoints = await findEndpoints(kit, profile)
  if (endpoints.revoke === null) return
  const response =
    profile.authorization.revokeBy === 'delete'
      ? await deleteGrant(kit, profile, endpoints.revoke, credentials)
      : await postForm(kit, profile, endpoints, endpoints.revoke, tokenToRevoke(readSecret(credentials)))
  const { status } = response
  if ((status >= 200 && status < 300) || ['invalid_grant', 'invalid_token', 'unsupported_token_type'].includes(wordOf(response))) return
  throw toTokenError(response, 'the revocation', kit.now())
}

function tokenToRevoke({ refreshToken, bearer }: FdxSecret): Record<string, string> {
  return refreshToken === null
    ? { token: bearer, token_type_hint: 'access_token' }
    : { token: refreshToken, token_type_hint: 'refresh_token' }
}

/** The bearer may have expired in the meantime. */
async function deleteGrant(kit: Kit, profile: Profile, url: string, credentials: Credentials): Promise<HttpResponse> {
  const isOver = credentials.expiresAt !== null && Date.parse(credentials.expiresAt) <= kit.now().getTime()
  const { bearer } = readSecret(isOver ? await refreshCredentials(kit, profile, credentials) : credentials)
  return await kit.http({ method: 'DELETE', url, headers: { authorization: `Bearer ${bearer}` }, ...identityOf(kit, profile) })
}

/** Lifetime of an id_token by its own expiry; NaN where it has none. */
function lifeOf(idToken: string, now: Date): number {
  return (claimsOf(idToken)?.exp ?? Number.NaN) - now.getTime() / 1000
}

/** Claims of a token just received from the bank itself; null for one that is no JWT. */
export function claimsOf(token: string): ReturnType<typeof decodeJwt> | null {
  try {
    return decodeJwt(token)
  } catch {
    return null
  }
}

export function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `the bank answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (['invalid_grant', 'access_denied', 'consent_required', 'login_required'].includes(word)) {
    return new SourceError('reconnect', message, { reason: word === 'consent_required' ? 'consentExpired' : null })
  }
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's keys were refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}
