import { Compile } from 'typebox/compile'
import type { HttpResponse, SourceError } from '../contract/contract.ts'
import { type CodeFlow, codeFlow } from '../toolkit/oauth/code-flow.ts'
import { type TokenSource, toTokenError, wordOf } from '../toolkit/oauth/token-requests.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { listCompanies } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/**
 * OAuth scope. There is none for reading only: the token has the person's own permissions. A permission set such as
 * `D365 READ` restricts it.
 */
const SCOPE = 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All offline_access'

/** Any work or school account; personal accounts have no Business Central. */
const ANY_TENANT = 'organizations'

/** Entra's error codes that only the person or an administrator of the tenant can resolve. */
const OWNER_WORDS: readonly string[] = ['invalid_grant', 'interaction_required', 'consent_required', 'login_required', 'access_denied']

const NO_COMPANY = {
  en: 'This Microsoft account opens no Business Central company. Sign in with the account that you use for Business Central, then try again.',
  'fr-CA':
    'Ce compte Microsoft ne donne accès à aucune entreprise Business Central. Connectez-vous avec le compte que vous utilisez pour Business Central, puis réessayez.',
}

const SOURCE: TokenSource = { source: 'Microsoft', ended: OWNER_WORDS, passing: ['temporarily_unavailable'] }

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'Business Central')

/**
 * OAuth 2 authorization code flow with a client secret and PKCE. Consent is granted for the person, not for a company.
 * Each response has a new refresh token, valid for 90 days; Entra keeps the previous one valid, so a lost response
 * breaks nothing.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: SOURCE,
  authorizeUrl: (kit) => `${kit.hosts.login}/${ANY_TENANT}/oauth2/v2.0/authorize`,
  scope: SCOPE,
  parameters: ({ locale }) => ({ response_mode: 'query', prompt: 'select_account', ui_locales: locale }),
  hasProof: true,
  tokenUrl: (kit, { secret }) => `${kit.hosts.login}/${encodeURIComponent(secret ? secret.tenantId : ANY_TENANT)}/oauth2/v2.0/token`,
  keysIn: 'form',
  form: () => ({ scope: SCOPE }),
  token: isToken,
  marginS: 120,
  toError: toEntraError,
  secretOf,
  listBooks: async (kit, { access_token }, { reconnect }) => {
    const companies = await listCompanies(kit, access_token, reconnect ? secretOf(reconnect).environment : null)
    return { books: companies.map(({ name, ...path }) => ({ id: path.companyId, name, secret: { ...path } })) }
  },
  noBooks: NO_COMPANY,
  booksOf: ({ companyId }) => companyId,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

/** Entra's numeric error code distinguishes the causes; its textual codes are few. */
function toEntraError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const code = /"error_codes"\s*:\s*\[\s*(\d{1,9})/.exec(new TextDecoder().decode(response.body.subarray(0, 8192)))?.[1]
  const shown = [word, code ? `AADSTS${code}` : ''].filter((part) => part !== '').join(', ')
  return toTokenError(response, what, now, { ...SOURCE, word, shown })
}
