import { Compile } from 'typebox/compile'
import type { Credentials, HttpResponse, Kit, SourceError } from '../contract/contract.ts'
import { type CodeFlow, codeFlow, type TokenContext } from '../toolkit/oauth/code-flow.ts'
import { TOKEN_TIMEOUT_MS, type TokenSource, toTokenError } from '../toolkit/oauth/token-requests.ts'
import { type DataCentre, findDataCentre, hostOf } from './data-centres.ts'
import { listOrganizations } from './request.ts'
import { secretOf, type ZohoSecret } from './secret.ts'
import { TokenWire } from './wire.ts'

/** Read-only scopes: chart of accounts and journals, organizations, and the currencies of bank accounts. */
const SCOPES = 'ZohoBooks.accountants.READ,ZohoBooks.settings.READ,ZohoBooks.banking.READ'

/**
 * Zoho issues at most ten access tokens in ten minutes.
 * Source: https://www.zoho.com/accounts/protocol/oauth/web-apps/access-token-expiry.html
 */
const TOKEN_WAIT_MS = 600_000

const NO_ORGANIZATION = {
  en: 'This Zoho sign-in opens no organization in Zoho Books. Sign in with a user of your organization, then try again.',
  'fr-CA':
    'Ce compte Zoho ne donne accès à aucune organisation dans Zoho Books. Connectez-vous avec un utilisateur de votre organisation, puis réessayez.',
}

/** Error codes of a refused grant; Zoho uses the first one for a code and for a refresh token alike. */
const ENDED: readonly string[] = ['invalid_code', 'invalid_grant', 'invalid_token', 'access_denied']
const WRONG_KEYS: readonly string[] = ['invalid_client', 'invalid_client_secret', 'unauthorized_client']

const SOURCE: TokenSource = {
  source: 'Zoho',
  ended: ENDED,
  wrongKeys: WRONG_KEYS,
  passing: ['general_error'],
  tooMany: ['Access Denied'],
  waitMs: TOKEN_WAIT_MS,
}

const isToken = Compile(TokenWire)

/**
 * OAuth 2 authorization code flow with a client secret. The sign-in begins in the United States; the callback names the
 * person's data centre, to which all later calls go. The tokens cover every organization of the person. The refresh
 * token stays the same and does not expire.
 * Source: https://www.zoho.com/accounts/protocol/oauth/multi-dc.html
 */
const FLOW: CodeFlow<TokenWire, ZohoSecret> = {
  source: SOURCE,
  authorizeUrl: (kit) => `${hostOf(kit, 'us', 'accounts')}/oauth/v2/auth`,
  scope: SCOPES,
  // Without `consent` a person who has agreed before receives no refresh token.
  parameters: { access_type: 'offline', prompt: 'consent' },
  tokenUrl: (kit, context) => `${hostOf(kit, accountsCentre(kit, context), 'accounts')}/oauth/v2/token`,
  keysIn: 'form',
  token: isToken,
  marginS: 120,
  // NOTE Zoho answers most refusals with status 200 and `{"error": …}`.
  isRefusal: (response) => wordOf(response) !== '',
  toError: toZohoError,
  secretOf,
  refreshed: (kit, answer, secret) => ({ apiAt: apiCentre(kit, answer, secret.accountsAt) }),
  listBooks: async (kit, answer, { query }) => {
    const accountsAt = accountsCentre(kit, { query })
    const apiAt = apiCentre(kit, answer, accountsAt)
    const organizations = await listOrganizations(kit, answer.access_token, apiAt)
    return {
      books: organizations.map(({ organization_id, name }) => ({ id: organization_id, name: name ?? '', secret: { accountsAt, apiAt } })),
    }
  },
  noBooks: NO_ORGANIZATION,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

/** Revokes this refresh token, which frees one of the person's twenty. One already revoked is no failure. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const { refreshToken, accountsAt } = secretOf(credentials)
  const response = await kit.http({
    method: 'POST',
    url: `${hostOf(kit, accountsAt, 'accounts')}/oauth/v2/token/revoke?${new URLSearchParams({ token: refreshToken })}`,
    headers: { accept: 'application/json' },
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  const word = wordOf(response)
  if ((response.status === 200 && word === '') || ENDED.includes(word)) return
  throw toZohoError(response, 'the revocation', kit.now())
}

function accountsCentre(kit: Kit, { query, secret }: TokenContext<ZohoSecret>): DataCentre {
  return secret ? secret.accountsAt : findDataCentre(kit, 'accounts', query['accounts-server'], query.location)
}

function apiCentre(kit: Kit, { api_domain }: TokenWire, accountsAt: DataCentre): DataCentre {
  return findDataCentre(kit, 'api', api_domain ?? undefined, accountsAt)
}

function toZohoError(response: HttpResponse, what: string, now: Date): SourceError {
  return toTokenError(response, what, now, { ...SOURCE, word: wordOf(response) })
}

/** Zoho's error codes may be sentences. */
function wordOf(response: HttpResponse): string {
  return /"error"\s*:\s*"([A-Za-z_ ]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
}
