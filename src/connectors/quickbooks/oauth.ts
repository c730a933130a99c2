import { Compile } from 'typebox/compile'
import { responseJson, retryAfterMs } from '../answers.ts'
import {
  type Credentials,
  type Grant,
  type HttpResponse,
  type Kit,
  type RedirectAuthorization,
  type RedirectCompletion,
  SourceError,
} from '../contract.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** Read and write come together: QuickBooks has no scope for reading only. */
const SCOPE = 'com.intuit.quickbooks.accounting'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with a secret; `realmId` (the company) comes beside the code. One authorization opens one company.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
export function authorization(readCompanyName: (kit: Kit, accessToken: string, realmId: string) => Promise<string>): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const query = new URLSearchParams({
        client_id: kit.app.clientId ?? '',
        response_type: 'code',
        scope: SCOPE,
        redirect_uri: callbackUrl,
        state,
      })
      return { url: `${kit.hosts.authorize}/connect/oauth2?${query}` }
    },
    complete: async (kit, completion) => [await complete(kit, completion, readCompanyName)],
  }
}

async function complete(
  kit: Kit,
  { callbackUrl, query }: RedirectCompletion,
  readCompanyName: (kit: Kit, accessToken: string, realmId: string) => Promise<string>,
): Promise<Grant> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at Intuit')
  const { code, realmId } = query
  if (!code || !/^\d{1,25}$/.test(realmId ?? '') || !realmId)
    throw new SourceError('badData', 'Intuit came back without a code or a company')
  const credentials = await requestToken(kit, { grant_type: 'authorization_code', code, redirect_uri: callbackUrl }, null)
  const name = await readCompanyName(kit, secretOf(credentials).accessToken, realmId)
  return { credentials, entity: { id: realmId, name }, reference: realmId }
}

/** The refresh token's value changes about once a day; the newest one is always kept. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken } = secretOf(credentials)
  return await requestToken(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }, refreshToken)
}

/** Ends the authorization at Intuit; one that has ended already is no failure. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.revoke}/v2/oauth2/tokens/revoke`,
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: basic(kit) },
    body: JSON.stringify({ token: secretOf(credentials).refreshToken }),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  if (response.status === 200 || response.status === 400) return
  throw toTokenError(response, 'the revocation', kit.now())
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of QuickBooks')
  return credentials.secret
}

async function requestToken(kit: Kit, form: Record<string, string>, keptRefreshToken: string | null): Promise<Credentials> {
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.token}/oauth2/v1/tokens/bearer`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', authorization: basic(kit) },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  const body = responseJson(response, 'the request for a token')
  const refreshToken = isToken.Check(body) ? (body.refresh_token ?? keptRefreshToken) : null
  if (!isToken.Check(body) || refreshToken === null) throw new SourceError('badData', 'Intuit answered without a token')
  const lifetimeS = Number(body.expires_in)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', 'Intuit answered a token without a lifetime')
  return {
    secret: { accessToken: body.access_token, refreshToken },
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifetimeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
  }
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1]
  const message = `Intuit answered ${response.status} to ${what}${word ? ` (${word})` : ''}`
  if (response.status === 429)
    return new SourceError('rateLimited', message, { retryAfterMs: Math.max(60_000, retryAfterMs(response.headers, now, 60_000)) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

function basic(kit: Kit): string {
  return `Basic ${Buffer.from(`${kit.app.clientId ?? ''}:${kit.app.clientSecret ?? ''}`).toString('base64')}`
}
