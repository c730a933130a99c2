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

/** The other one, `full_access`, could write. */
const SCOPE = 'readonly'

/** Languages of Sage's own pages. */
const LOCALES = { en: 'en-CA', 'fr-CA': 'fr-CA' } as const

/** Access tokens last five minutes, so a refresh is due only shortly before they end. */
const EXPIRY_MARGIN_S = 15

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

const NO_BUSINESS = {
  en: 'This Sage sign-in opens no business. Sign in as the owner or accountant of the business, then try again.',
  'fr-CA':
    'Ce compte Sage ne donne accès à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

/** The person who authorized and the businesses that this person can open. */
export interface Identity {
  email: string | null
  businesses: { id: string; name: string }[]
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
 * Source: https://developer.sage.com/accounting/guides/authenticating/authentication/
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state, locale }) => {
      const verifier = randomBytes(32).toString('base64url')
      const query = new URLSearchParams({
        filter: 'apiv3.1',
        response_type: 'code',
        client_id: kit.app.clientId ?? '',
        redirect_uri: callbackUrl,
        scope: SCOPE,
        state,
        locale: LOCALES[locale],
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
      return { url: `${kit.hosts.authorize}/oauth2/auth/central?${query}`, memo: { verifier } }
    },
    complete: (kit, completion) => complete(kit, completion, readIdentity),
  }
}

async function complete(
  kit: Kit,
  { callbackUrl, query, memo, reconnect }: RedirectCompletion,
  readIdentity: ReadIdentity,
): Promise<Grant[]> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at Sage')
  if (!query.code) throw new SourceError('badData', 'Sage came back without a code')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code: query.code,
    redirect_uri: callbackUrl,
    code_verifier: verifierOf(memo),
  })
  const { email, businesses } = await readIdentity(kit, tokens.accessToken)
  if (businesses.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessId : null
  const chosen = businesses.filter(({ id }) => id === known)
  return (chosen.length > 0 ? chosen : businesses).map(({ id, name }) => ({
    credentials: toCredentials(tokens, id),
    entity: { id, name },
    reference: id,
    ...(email === null ? {} : { email }),
  }))
}

/** Each refresh token works once, within 31 days. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, businessId } = secretOf(credentials)
  return toCredentials(await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), businessId)
}

/** Ends the refresh token; the access token lives on for its five minutes. One that has ended already is no failure. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const response = await post(kit, 'revoke', { token: secretOf(credentials).refreshToken })
  if (response.status === 200 || ['invalid_grant', 'invalid_token'].includes(wordOf(response))) return
  throw toTokenError(response, 'the revocation', kit.now())
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of Sage')
  return credentials.secret
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<Tokens> {
  const response = await post(kit, 'token', form)
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  const answer = responseJson(response, 'the request for a token')
  if (!isToken.Check(answer)) throw new SourceError('badData', 'Sage answered without a token')
  const lifetimeS = Math.max(0, answer.expires_in - EXPIRY_MARGIN_S)
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: new Date(kit.now().getTime() + lifetimeS * 1000).toISOString(),
  }
}

async function post(kit: Kit, endpoint: 'token' | 'revoke', form: Record<string, string>): Promise<HttpResponse> {
  const keys = { client_id: kit.app.clientId ?? '', client_secret: kit.app.clientSecret ?? '' }
  return await kit.http({
    method: 'POST',
    url: `${kit.hosts.token}/${endpoint}`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...keys, ...form }).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `Sage answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

function wordOf(response: HttpResponse): string {
  return /"error"\s*:\s*"([a-z_]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessId: string): Credentials {
  return { secret: { accessToken, refreshToken, businessId }, expiresAt }
}

function verifierOf(memo: Json): string {
  if (typeof memo === 'object' && memo !== null && !Array.isArray(memo) && typeof memo.verifier === 'string') return memo.verifier
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}
