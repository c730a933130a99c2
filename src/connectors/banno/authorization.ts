import { randomBytes } from 'node:crypto'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Json, parseJson } from '../../model/values/json.ts'
import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/answers.ts'
import { createProof, dueAt, readCode, readToken, TOKEN_TIMEOUT_MS, type TokenSource, toTokenError, wordOf } from '../toolkit/code-flow.ts'
import { basicAuthorization } from '../toolkit/status-failures.ts'
import { BASE, callJson, secretOf, toSourceError } from './request.ts'
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

const NO_ACCOUNTS = {
  en: 'This sign-in shows no account. Sign in with a user who sees your business’s accounts, then try again.',
  'fr-CA':
    'Cette session ne donne accès à aucun compte. Ouvrez-la avec un utilisateur qui voit les comptes de l’entreprise, puis réessayez.',
}

const SOURCE: TokenSource = { source: 'Banno' }

const Memo = Type.Object({ verifier: Type.String(), nonce: Type.String() })
const Discovery = Type.Object({ revocation_endpoint: Type.Optional(Type.String()) })

export const authorization: RedirectAuthorization = {
  step: 'redirect',
  start: async (kit, { callbackUrl, state, locale }) => {
    const { verifier, challenge } = createProof()
    const nonce = randomBytes(24).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: kit.app.clientId ?? '',
      redirect_uri: callbackUrl,
      scope: SCOPES,
      state,
      nonce,
      ...challenge,
      ui_locales: locale,
    })
    return { url: `${kit.hosts.bank}${BASE}/oidc/auth?${query}`, memo: { verifier, nonce } }
  },
  complete,
}

/** The person is named by the identity token, which came from the bank itself; what they see there is asked with the new token. */
async function complete(kit: Kit, { callbackUrl, query, memo }: RedirectCompletion): Promise<Grant[]> {
  const code = readCode(query, 'the bank')
  const { verifier, nonce } = expect(Memo, memo, 'the memo of this authorization holds no verifier')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code,
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
  if (response.status !== 200 && wordOf(response) !== 'invalid_grant') throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<TokenWire> {
  return readToken(TokenWire, await post(kit, `${kit.hosts.bank}${BASE}/oidc/token`, form), kit.now(), SOURCE)
}

async function post(kit: Kit, url: string, form: Record<string, string>): Promise<HttpResponse> {
  const { clientId = '', clientSecret = '' } = kit.app
  return await kit.http({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basicAuthorization(encodeURIComponent(clientId), encodeURIComponent(clientSecret)),
    },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
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
  return {
    secret: { accessToken: tokens.access_token, refreshToken: tokens.refresh_token || knownRefreshToken },
    expiresAt: dueAt(kit, tokens.expires_in, EXPIRY_MARGIN_S, SOURCE),
  }
}

function expect<T extends TSchema>(schema: T, value: unknown, otherwise: string): Static<T> {
  if (!Check(schema, value)) throw new SourceError('badData', otherwise)
  return value
}
