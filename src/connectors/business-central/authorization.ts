import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import {
  createProof,
  dueAt,
  postForm,
  readCode,
  readToken,
  readVerifier,
  type TokenSource,
  type Tokens,
  toGrants,
  toTokenError,
  wordOf,
} from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { type Company, listCompanies } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** There is no scope for reading only: what the person may change, the token may. A permission set such as `D365 READ` narrows it. */
const SCOPE = 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All offline_access'

/** Any work or school account; a personal one has no Business Central. */
const ANY_TENANT = 'organizations'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Entra's words for what only the person or an administrator of the tenant can mend. */
const OWNER_WORDS: readonly string[] = ['invalid_grant', 'interaction_required', 'consent_required', 'login_required', 'access_denied']

const NO_COMPANY = {
  en: 'This Microsoft account opens no Business Central company. Sign in with the account that you use for Business Central, then try again.',
  'fr-CA':
    'Ce compte Microsoft ne donne accès à aucune entreprise Business Central. Connectez-vous avec le compte que vous utilisez pour Business Central, puis réessayez.',
}

const SOURCE: TokenSource = { source: 'Microsoft', ended: OWNER_WORDS, passing: ['temporarily_unavailable'] }

export const secretOf = secretReader(SecretWire, 'Business Central')

/**
 * OAuth 2 authorization code with a secret and PKCE. Consent is given for the person, not for a company: there is one grant for each company
 * that the person opens. A repair names the company that was connected before.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow
 */
export const authorization: RedirectAuthorization = {
  step: 'redirect',
  start: async (kit, { callbackUrl, state, locale }) => {
    const { verifier, challenge } = createProof()
    const query = new URLSearchParams({
      client_id: kit.app.clientId ?? '',
      response_type: 'code',
      redirect_uri: callbackUrl,
      response_mode: 'query',
      scope: SCOPE,
      state,
      prompt: 'select_account',
      ui_locales: locale,
      ...challenge,
    })
    return { url: `${kit.hosts.login}/${ANY_TENANT}/oauth2/v2.0/authorize?${query}`, memo: { verifier } }
  },
  complete,
}

async function complete(kit: Kit, { callbackUrl, query, memo, reconnect }: RedirectCompletion): Promise<Grant[]> {
  const code = readCode(query, 'Microsoft')
  const tokens = await requestTokens(kit, ANY_TENANT, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: readVerifier(memo),
  })
  const known = reconnect ? secretOf(reconnect) : null
  const companies = await listCompanies(kit, tokens.accessToken, known?.environment ?? null)
  if (companies.length === 0) throw new InputRefused(NO_COMPANY)
  const books = companies.map((company) => ({ ...company, id: company.companyId }))
  return toGrants(books, { known: known?.companyId ?? null, email: null, toCredentials: (company) => toCredentials(tokens, company) })
}

/** Each answer brings a new refresh token, good for 90 days; Entra lets the one before live on, so a lost answer breaks nothing. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const secret = secretOf(credentials)
  const tokens = await requestTokens(
    kit,
    secret.tenantId,
    { grant_type: 'refresh_token', refresh_token: secret.refreshToken },
    secret.refreshToken,
  )
  return toCredentials(tokens, secret)
}

async function requestTokens(kit: Kit, tenant: string, form: Record<string, string>, keptRefreshToken?: string): Promise<Tokens> {
  const url = `${kit.hosts.login}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
  const response = await postForm(kit, url, { scope: SCOPE, ...form }, 'form')
  if (response.status !== 200) throw toEntraError(response, kit.now())
  const answer = readToken(TokenWire, response, kit.now(), SOURCE)
  const refreshToken = answer.refresh_token ?? keptRefreshToken
  if (refreshToken === undefined) throw new SourceError('badData', 'Microsoft answered without a refresh token')
  return {
    accessToken: answer.access_token,
    refreshToken,
    expiresAt: dueAt(kit, answer.expires_in, EXPIRY_MARGIN_S, SOURCE),
  }
}

/** Entra says in numbers what it means; its words are few. */
function toEntraError(response: HttpResponse, now: Date): SourceError {
  const word = wordOf(response)
  const code = /"error_codes"\s*:\s*\[\s*(\d{1,9})/.exec(new TextDecoder().decode(response.body.subarray(0, 8192)))?.[1]
  const shown = [word, code ? `AADSTS${code}` : ''].filter((part) => part !== '').join(', ')
  return toTokenError(response, 'the request for a token', now, { ...SOURCE, word, shown })
}

function toCredentials(
  { accessToken, refreshToken, expiresAt }: Tokens,
  { tenantId, environment, companyId }: Omit<Company, 'name'>,
): Credentials {
  return { secret: { accessToken, refreshToken, tenantId, environment, companyId }, expiresAt }
}
