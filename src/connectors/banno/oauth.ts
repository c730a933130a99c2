import { createHash, randomBytes } from 'node:crypto'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Json, parseJson } from '../../model/json.ts'
import { responseJson, retryAfterMs } from '../answers.ts'
import {
  type Credentials,
  type Grant,
  type HttpResponse,
  InputRefused,
  type Kit,
  type RedirectAuthorization,
  type RedirectCompletion,
  SourceError,
} from '../contract.ts'
import { BASE, callJson, secretOf, toSourceError, wordOf } from './requests.ts'
import { AccountsWire, ClaimsWire, PersonWire, TokenWire } from './wire.ts'

/** Reading only. Source: https://jackhenry.dev/open-api-docs/authentication-framework/overview/OpenIDConnectOAuth/ */
const SCOPES = [
  'openid',
  'profile',
  'https://api.banno.com/consumer/auth/offline_access',
  'https://api.banno.com/consumer/auth/accounts.readonly',
  'https://api.banno.com/consumer/auth/transactions.detail.readonly',
].join(' ')

/** Access tokens live ten minutes; a refresh is due this long before. */
const EXPIRY_MARGIN_S = 60
/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

const NO_ACCOUNTS = {
  en: 'This sign-in shows no account. Sign in with a user who sees your business’s accounts, then try again.',
  'fr-CA':
    'Cette session ne donne accès à aucun compte. Ouvrez-la avec un utilisateur qui voit les comptes de l’entreprise, puis réessayez.',
}

const Memo = Type.Object({ verifier: Type.String(), nonce: Type.String() })
const Discovery = Type.Object({ revocation_endpoint: Type.Optional(Type.String()) })

export const authorization: RedirectAuthorization = {
  step: 'redirect',
  start: async (kit, { callbackUrl, state, locale }) => {
    const verifier = randomBytes(48).toString('base64url')
    const nonce = randomBytes(24).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: kit.app.clientId ?? '',
      redirect_uri: callbackUrl,
      scope: SCOPES,
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ui_locales: locale,
    })
    return { url: `${kit.hosts.bank}${BASE}/oidc/auth?${query}`, memo: { verifier, nonce } }
  },
  complete,
}

/** The person is named by the identity token, which came from the bank itself; what they see there is asked with the new token. */
async function complete(kit: Kit, { callbackUrl, query, memo }: RedirectCompletion): Promise<Grant[]> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at the bank')
  if (!query.code) throw new SourceError('badData', 'the bank came back without a code')
  const { verifier, nonce } = expect(Memo, memo, 'the memo of this authorization holds no verifier')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code: query.code,
    redirect_uri: callbackUrl,
    code_verifier: verifier,
  })
  const userId = subjectOf(kit, tokens, nonce)
  const credentials = toCredentials(kit, tokens, '')
  const person = expect(PersonWire, await callJson(kit, tokens.access_token, '/oidc/me', 'who the person is'), 'Banno named no person')
  if (person.sub !== userId) throw new SourceError('badData', 'Banno named two persons for one authorization')
  const seen = await callJson(kit, tokens.access_token, `/users/${encodeURIComponent(userId)}/accounts`, 'the list of accounts')
  if (expect(AccountsWire, seen, 'Banno answered no list of accounts').accounts.length === 0) throw new InputRefused(NO_ACCOUNTS)
  const name = person.name?.trim() || new URL(kit.hosts.bank ?? '').hostname
  return [{ credentials, entity: { id: userId, name }, ...(person.email ? { email: person.email } : {}) }]
}

/** A refresh token that is not replaced stays good. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken } = secretOf(credentials)
  return toCredentials(kit, await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), refreshToken)
}

/** Where the bank's discovery document names an address for it. Source: https://www.rfc-editor.org/rfc/rfc7009 */
export async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const found = await kit.http({ url: `${kit.hosts.bank}${BASE}/oidc/.well-known/openid-configuration` })
  if (found.status !== 200) throw toSourceError(found, 'the discovery document', kit.now())
  const document = responseJson(found, 'the discovery document')
  const address = Check(Discovery, document) ? document.revocation_endpoint : undefined
  // NOTE a token goes to no other address than the bank's own.
  if (address === undefined || new URL(address).origin !== new URL(kit.hosts.bank ?? '').origin) return
  const response = await post(kit, address, { token: secretOf(credentials).refreshToken, token_type_hint: 'refresh_token' })
  if (response.status !== 200 && wordOf(response) !== 'invalid_grant') throw toTokenError(response, 'the revocation', kit.now())
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<TokenWire> {
  const response = await post(kit, `${kit.hosts.bank}${BASE}/oidc/token`, form)
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  return expect(TokenWire, responseJson(response, 'the request for a token'), 'Banno answered without a token')
}

async function post(kit: Kit, url: string, form: Record<string, string>): Promise<HttpResponse> {
  const keys = Buffer.from(`${encodeURIComponent(kit.app.clientId ?? '')}:${encodeURIComponent(kit.app.clientSecret ?? '')}`)
  return await kit.http({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${keys.toString('base64')}`,
    },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `Banno answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

/**
 * The token came over TLS from the bank itself, so its signature need not be asked; whom it is for and which request it answers must be.
 * Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
function subjectOf(kit: Kit, tokens: TokenWire, nonce: string): string {
  const part = (tokens.id_token ?? '').split('.')[1] ?? ''
  const claims = expect(ClaimsWire, readClaims(part), 'Banno answered without an identity token')
  if (![claims.aud].flat().includes(kit.app.clientId ?? '')) throw new SourceError('badData', 'the identity token is for another app')
  if (claims.nonce !== nonce) throw new SourceError('badData', 'the identity token answers another request')
  return claims.sub
}

function readClaims(part: string): Json {
  try {
    return parseJson(Buffer.from(part, 'base64url').toString())
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function toCredentials(kit: Kit, tokens: TokenWire, knownRefreshToken: string): Credentials {
  const lifetimeS = Number(tokens.expires_in)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', 'Banno answered a token without a lifetime')
  return {
    secret: { accessToken: tokens.access_token, refreshToken: tokens.refresh_token || knownRefreshToken },
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifetimeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
  }
}

function expect<T extends TSchema>(schema: T, value: unknown, otherwise: string): Static<T> {
  if (!Check(schema, value)) throw new SourceError('badData', otherwise)
  return value
}
