import { Compile } from 'typebox/compile'
import { type Credentials, type Kit, SourceError } from '../contract/contract.ts'
import { basicAuthorization } from '../toolkit/http/status-failures.ts'
import { type CodeFlow, codeFlow } from '../toolkit/oauth/code-flow.ts'
import { TOKEN_TIMEOUT_MS, type TokenSource, toTokenError } from '../toolkit/oauth/token-requests.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { readCompanyName } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

const SOURCE: TokenSource = { source: 'Intuit', leastWaitMs: 60_000 }

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'QuickBooks')

/**
 * OAuth 2 authorization code flow with a client secret; `realmId` (the company) is returned with the code. One
 * authorization covers one company. The refresh token's value changes about once a day.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: SOURCE,
  authorizeUrl: (kit) => `${kit.hosts.authorize}/connect/oauth2`,
  // Combined read and write scope: QuickBooks has none for reading only.
  scope: 'com.intuit.quickbooks.accounting',
  tokenUrl: (kit, { query }) => {
    if (query) realmIdOf(query)
    return `${kit.hosts.token}/oauth2/v1/tokens/bearer`
  },
  keysIn: 'header',
  token: isToken,
  marginS: 120,
  secretOf,
  listBooks: async (kit, { access_token }, { query }) => {
    const id = realmIdOf(query)
    return { books: [{ id, name: await readCompanyName(kit, access_token, id) }] }
  },
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

function realmIdOf({ realmId = '' }: Record<string, string>): string {
  if (!/^\d{1,25}$/.test(realmId)) throw new SourceError('badData', 'Intuit came back without a company')
  return realmId
}

/** Revokes the authorization at Intuit; one already ended is no failure. */
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
