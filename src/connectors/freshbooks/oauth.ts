import { createHash, randomBytes } from 'node:crypto'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/json.ts'
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
import { SecretWire, TokenWire } from './wire.ts'

/**
 * Reading only. FreshBooks refuses the whole consent when one of these is not switched on in the app's settings; which of them opens the
 * chart is not published. Source: https://www.freshbooks.com/api/scopes
 */
const SCOPES = ['user:profile:read', 'user:business:read', 'user:journal_entries:read', 'user:reports:read']

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

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

interface Tokens {
  accessToken: string
  refreshToken: string
  expiresAt: string
}

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with a secret and PKCE. The sign-in opens every business of the person: there is one grant for each, and they
 * share their tokens, so that only one of them can live. A repair names the business that was connected before.
 * Source: https://www.freshbooks.com/api/authentication and https://auth.freshbooks.com/.well-known/oauth-authorization-server
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const verifier = randomBytes(32).toString('base64url')
      const query = new URLSearchParams({
        client_id: kit.app.clientId ?? '',
        response_type: 'code',
        redirect_uri: callbackUrl,
        scope: SCOPES.join(' '),
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
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
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at FreshBooks')
  if (!query.code) throw new SourceError('badData', 'FreshBooks came back without a code')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code: query.code,
    redirect_uri: callbackUrl,
    code_verifier: verifierOf(memo),
  })
  const { email, businesses } = await readIdentity(kit, tokens.accessToken)
  if (businesses.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessUuid : null
  const chosen = businesses.filter(({ uuid }) => uuid === known)
  return (chosen.length > 0 ? chosen : businesses).map(({ uuid, name }) => ({
    credentials: toCredentials(tokens, uuid),
    entity: { id: uuid, name },
    reference: uuid,
    ...(email === null ? {} : { email }),
  }))
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
  throw toTokenError(response, 'the revocation', kit.now())
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of FreshBooks')
  return credentials.secret
}

async function requestTokens(kit: Kit, body: Record<string, string>): Promise<Tokens> {
  const response = await post(kit, 'token', body)
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  const answer = responseJson(response, 'the request for a token')
  if (!isToken.Check(answer)) throw new SourceError('badData', 'FreshBooks answered without a token')
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

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `FreshBooks answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

function wordOf(response: HttpResponse): string {
  return /"error"\s*:\s*"([a-z_]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessUuid: string): Credentials {
  return { secret: { accessToken, refreshToken, businessUuid }, expiresAt }
}

function verifierOf(memo: Json): string {
  if (typeof memo === 'object' && memo !== null && !Array.isArray(memo) && typeof memo.verifier === 'string') return memo.verifier
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}
