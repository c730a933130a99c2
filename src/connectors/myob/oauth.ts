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

/** MYOB has no scope for reading only. Source: https://developer.myob.com/api/myob-business-api/api-overview/granular_data_scopes */
const SCOPES = 'sme-company-file sme-general-ledger'

/** A refresh is due this long before the access token ends, of the 20 minutes that it lasts. */
const EXPIRY_MARGIN_S = 60

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const NO_BUSINESS = {
  en: 'This MYOB sign-in shared no business. Sign in as an administrator of the company file and pick it, then try again.',
  'fr-CA':
    'Ce compte MYOB n’a partagé aucune entreprise. Connectez-vous en tant qu’administrateur du dossier d’entreprise et choisissez-le, puis réessayez.',
}

/** The company files that a token opens; with `businessId` only that one. */
type ListFiles = (kit: Kit, accessToken: string, businessId: string | null) => Promise<{ id: string; name: string }[]>

interface Tokens {
  accessToken: string
  refreshToken: string
  expiresAt: string
  email: string | null
}

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with a secret; `businessId` (the company file, which the administrator picks at MYOB) comes beside the code. Where
 * it does not, there is one grant for each file that the token lists, and they share their tokens, so that only one of them can live. MYOB has no
 * call that ends an authorization. Source: https://apisupport.myob.com/hc/en-us/articles/360001459455
 */
export function authorization(listFiles: ListFiles): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const query = new URLSearchParams({
        client_id: kit.app.clientId ?? '',
        redirect_uri: callbackUrl,
        response_type: 'code',
        scope: SCOPES,
        prompt: 'consent',
        state,
      })
      return { url: `${kit.hosts.secure}/oauth2/account/authorize?${query}` }
    },
    complete: (kit, completion) => complete(kit, completion, listFiles),
  }
}

async function complete(kit: Kit, { callbackUrl, query, reconnect }: RedirectCompletion, listFiles: ListFiles): Promise<Grant[]> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at MYOB')
  const businessId = query.businessId || null
  if (!query.code || (businessId !== null && !GUID.test(businessId))) {
    throw new SourceError('badData', 'MYOB came back without a code or with an unreadable business')
  }
  const tokens = await requestTokens(kit, { grant_type: 'authorization_code', code: query.code, redirect_uri: callbackUrl, scope: SCOPES })
  const files = await listFiles(kit, tokens.accessToken, businessId)
  if (files.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessId : null
  const chosen = files.filter(({ id }) => id === known)
  return (chosen.length > 0 ? chosen : files).map(({ id, name }) => ({
    credentials: toCredentials(tokens, id),
    entity: { id, name },
    reference: id,
    ...(tokens.email === null ? {} : { email: tokens.email }),
  }))
}

/** Each refresh token works once, within a week. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, businessId } = secretOf(credentials)
  return toCredentials(await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), businessId)
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of MYOB')
  return credentials.secret
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<Tokens> {
  const keys = { client_id: kit.app.clientId ?? '', client_secret: kit.app.clientSecret ?? '' }
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.secure}/oauth2/v1/authorize`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...keys, ...form }).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  if (response.status !== 200) throw toTokenError(response, kit.now())
  const body = responseJson(response, 'the request for a token')
  if (!isToken.Check(body)) throw new SourceError('badData', 'MYOB answered without a pair of tokens')
  const lifetimeS = Number(body.expires_in)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', 'MYOB answered a token without a lifetime')
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifetimeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
    email: body.user?.username?.includes('@') ? body.user.username : null,
  }
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, now: Date): SourceError {
  const word = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
  const message = `MYOB answered ${response.status} to the request for a token${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessId: string): Credentials {
  return { secret: { accessToken, refreshToken, businessId }, expiresAt }
}
