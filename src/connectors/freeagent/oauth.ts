import { Compile } from 'typebox/compile'
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

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

/** "Tax, Accounting & Users": the level that opens the ledger. Source: https://dev.freeagent.com/docs/introduction#about-access-levels */
const LEDGER_LEVEL = 7

const NO_COMPANY = {
  en: 'This FreeAgent sign-in belongs to no company. Sign in as the owner or accountant of the company, then try again.',
  'fr-CA':
    'Ce compte FreeAgent n’est lié à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

const TOO_LOW = {
  en: 'This FreeAgent user may not see the accounts. Sign in as a user with the access level “Tax, Accounting & Users” or higher.',
  'fr-CA':
    'Cet utilisateur FreeAgent n’a pas accès à la comptabilité. Connectez-vous avec un utilisateur dont le niveau d’accès est « Tax, Accounting & Users » ou plus élevé.',
}

/** The person who authorized and the company of the token; null when there is none. */
export interface Identity {
  email: string | null
  /** From 0, no access, to 8, full; null when FreeAgent does not say. */
  level: number | null
  company: { id: string; name: string } | null
}

type ReadIdentity = (kit: Kit, accessToken: string) => Promise<Identity>

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with a secret, without scopes: the token can do what the person can. One token opens one company.
 * FreeAgent has no call that ends an authorization. Source: https://dev.freeagent.com/docs/oauth
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const query = new URLSearchParams({ client_id: kit.app.clientId ?? '', response_type: 'code', redirect_uri: callbackUrl, state })
      return { url: `${kit.hosts.api}/v2/approve_app?${query}` }
    },
    complete: async (kit, completion) => [await complete(kit, completion, readIdentity)],
  }
}

async function complete(kit: Kit, { callbackUrl, query }: RedirectCompletion, readIdentity: ReadIdentity): Promise<Grant> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at FreeAgent')
  if (!query.code) throw new SourceError('badData', 'FreeAgent came back without a code')
  const credentials = await requestToken(kit, { grant_type: 'authorization_code', code: query.code, redirect_uri: callbackUrl }, null)
  const { company, email, level } = await readIdentity(kit, secretOf(credentials).accessToken)
  if (company === null) throw new InputRefused(NO_COMPANY)
  if (level !== null && level < LEDGER_LEVEL) throw new InputRefused(TOO_LOW)
  return { credentials, entity: company, reference: company.id, ...(email === null ? {} : { email }) }
}

/** Refresh tokens last about 20 years; a refresh may give a new one, and the newest is always kept. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken } = secretOf(credentials)
  return await requestToken(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }, refreshToken)
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of FreeAgent')
  return credentials.secret
}

async function requestToken(kit: Kit, form: Record<string, string>, keptRefreshToken: string | null): Promise<Credentials> {
  const keys = Buffer.from(`${kit.app.clientId ?? ''}:${kit.app.clientSecret ?? ''}`).toString('base64')
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.api}/v2/token_endpoint`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${keys}` },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  if (response.status !== 200) throw toTokenError(response, kit.now())
  const body = responseJson(response, 'the request for a token')
  const refreshToken = isToken.Check(body) ? (body.refresh_token ?? keptRefreshToken) : null
  if (!isToken.Check(body) || refreshToken === null) throw new SourceError('badData', 'FreeAgent answered without a token')
  const lifetimeS = Math.max(0, body.expires_in - EXPIRY_MARGIN_S)
  return {
    secret: { accessToken: body.access_token, refreshToken },
    expiresAt: new Date(kit.now().getTime() + lifetimeS * 1000).toISOString(),
  }
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, now: Date): SourceError {
  const word = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
  const message = `FreeAgent answered ${response.status} to the request for a token${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}
