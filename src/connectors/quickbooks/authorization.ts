import type { RedirectAuthorization, RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { dueAt, postForm, readCode, readToken, TOKEN_TIMEOUT_MS, type TokenSource, toTokenError } from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { basicAuthorization } from '../toolkit/status-failures.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** Read and write come together: QuickBooks has no scope for reading only. */
const SCOPE = 'com.intuit.quickbooks.accounting'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

const SOURCE: TokenSource = { source: 'Intuit', leastWaitMs: 60_000 }

export const secretOf = secretReader(SecretWire, 'QuickBooks')

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
  const code = readCode(query, 'Intuit')
  const { realmId = '' } = query
  if (!/^\d{1,25}$/.test(realmId)) throw new SourceError('badData', 'Intuit came back without a company')
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
  const { clientId = '', clientSecret = '' } = kit.app
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.revoke}/v2/oauth2/tokens/revoke`,
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: basicAuthorization(clientId, clientSecret) },
    body: JSON.stringify({ token: secretOf(credentials).refreshToken }),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  if (response.status === 200 || response.status === 400) return
  throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

async function requestToken(kit: Kit, form: Record<string, string>, keptRefreshToken: string | null): Promise<Credentials> {
  const response = await postForm(kit, `${kit.hosts.token}/oauth2/v1/tokens/bearer`, form, 'header')
  const answer = readToken(TokenWire, response, kit.now(), SOURCE)
  const refreshToken = answer.refresh_token ?? keptRefreshToken
  if (refreshToken === null) throw new SourceError('badData', 'Intuit answered without a refresh token')
  return {
    secret: { accessToken: answer.access_token, refreshToken },
    expiresAt: dueAt(kit, answer.expires_in, EXPIRY_MARGIN_S, SOURCE),
  }
}
