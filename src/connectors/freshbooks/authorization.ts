import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import type { Credentials, Grant, HttpResponse, Kit } from '../contract/contract.ts'
import {
  createProof,
  readCode,
  readToken,
  readVerifier,
  TOKEN_TIMEOUT_MS,
  type TokenSource,
  type Tokens,
  toGrants,
  toTokenError,
  wordOf,
} from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { SecretWire, TokenWire } from './wire.ts'

/**
 * Reading only. FreshBooks refuses the whole consent when one of these is not switched on in the app's settings; which of them opens the
 * chart is not published. Source: https://www.freshbooks.com/api/scopes
 */
const SCOPES = ['user:profile:read', 'user:business:read', 'user:journal_entries:read', 'user:reports:read']

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

const NO_BUSINESS = {
  en: 'This FreshBooks sign-in belongs to no business. Sign in as the owner or accountant of the business, then try again.',
  'fr-CA':
    'Ce compte FreshBooks n’est lié à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

/** The person who authorized and the businesses that this person can open. */
export interface Identity {
  email: string | null
  businesses: { uuid: string; name: string }[]
}

type ReadIdentity = (kit: Kit, accessToken: string) => Promise<Identity>

const SOURCE: TokenSource = { source: 'FreshBooks' }

export const secretOf = secretReader(SecretWire, 'FreshBooks')

/**
 * OAuth 2 authorization code with a secret and PKCE. The sign-in opens every business of the person: there is one grant for each, and they
 * share their tokens, so that only one of them can live. A repair names the business that was connected before.
 * Source: https://www.freshbooks.com/api/authentication and https://auth.freshbooks.com/.well-known/oauth-authorization-server
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const { verifier, challenge } = createProof()
      const query = new URLSearchParams({
        client_id: kit.app.clientId ?? '',
        response_type: 'code',
        redirect_uri: callbackUrl,
        scope: SCOPES.join(' '),
        state,
        ...challenge,
      })
      return { url: `${kit.hosts.authorize}/oauth/authorize/?${query}`, memo: { verifier } }
    },
    complete: (kit, completion) => complete(kit, completion, readIdentity),
  }
}

async function complete(
  kit: Kit,
  { callbackUrl, query, memo, reconnect }: RedirectCompletion,
  readIdentity: ReadIdentity,
): Promise<Grant[]> {
  const code = readCode(query, 'FreshBooks')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: readVerifier(memo),
  })
  const { email, businesses } = await readIdentity(kit, tokens.accessToken)
  if (businesses.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessUuid : null
  const books = businesses.map(({ uuid, name }) => ({ id: uuid, name }))
  return toGrants(books, { known, email, toCredentials: ({ id }) => toCredentials(tokens, id) })
}

/** Each refresh token works once; the new pair ends the old one, the access token included. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, businessUuid } = secretOf(credentials)
  return toCredentials(await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), businessUuid)
}

/** Ends the authorization at FreshBooks; one that has ended already is no failure. Source: https://www.freshbooks.com/api/authentication */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const response = await post(kit, 'revoke', { token: secretOf(credentials).refreshToken })
  if (response.status === 200 || ['invalid_grant', 'invalid_token'].includes(wordOf(response))) return
  throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

async function requestTokens(kit: Kit, body: Record<string, string>): Promise<Tokens> {
  const answer = readToken(TokenWire, await post(kit, 'token', body), kit.now(), SOURCE)
  // A refresh has been seen to repeat the `created_at` of the first token, so the lifetime does not count from now.
  const createdMs = Math.min(kit.now().getTime(), (answer.created_at ?? Number.POSITIVE_INFINITY) * 1000)
  const lifetimeS = Math.max(0, answer.expires_in - EXPIRY_MARGIN_S)
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: new Date(createdMs + lifetimeS * 1000).toISOString(),
  }
}

async function post(kit: Kit, endpoint: 'token' | 'revoke', body: Record<string, string>): Promise<HttpResponse> {
  return await kit.http({
    method: 'POST',
    url: `${kit.hosts.api}/auth/oauth/${endpoint}`,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: kit.app.clientId ?? '', client_secret: kit.app.clientSecret ?? '', ...body }),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessUuid: string): Credentials {
  return { secret: { accessToken, refreshToken, businessUuid }, expiresAt }
}
