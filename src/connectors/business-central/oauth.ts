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
import { type Company, listCompanies } from './requests.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** There is no scope for reading only: what the person may change, the token may. A permission set such as `D365 READ` narrows it. */
const SCOPE = 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All offline_access'

/** Any work or school account; a personal one has no Business Central. */
const ANY_TENANT = 'organizations'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

/** Entra's words for what only the person or an administrator of the tenant can mend. */
const OWNER_WORDS = ['invalid_grant', 'interaction_required', 'consent_required', 'login_required', 'access_denied']

const NO_COMPANY = {
  en: 'This Microsoft account opens no Business Central company. Sign in with the account that you use for Business Central, then try again.',
  'fr-CA':
    'Ce compte Microsoft ne donne accès à aucune entreprise Business Central. Connectez-vous avec le compte que vous utilisez pour Business Central, puis réessayez.',
}

interface Tokens {
  accessToken: string
  refreshToken: string
  expiresAt: string
}

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with a secret and PKCE. Consent is given for the person, not for a company: there is one grant for each company
 * that the person opens. A repair names the company that was connected before.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow
 */
export const authorization: RedirectAuthorization = {
  step: 'redirect',
  start: async (kit, { callbackUrl, state, locale }) => {
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      client_id: kit.app.clientId ?? '',
      response_type: 'code',
      redirect_uri: callbackUrl,
      response_mode: 'query',
      scope: SCOPE,
      state,
      prompt: 'select_account',
      ui_locales: locale,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    return { url: `${kit.hosts.login}/${ANY_TENANT}/oauth2/v2.0/authorize?${query}`, memo: { verifier } }
  },
  complete,
}

async function complete(kit: Kit, { callbackUrl, query, memo, reconnect }: RedirectCompletion): Promise<Grant[]> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at Microsoft')
  if (!query.code) throw new SourceError('badData', 'Microsoft came back without a code')
  const tokens = await requestTokens(kit, ANY_TENANT, {
    grant_type: 'authorization_code',
    code: query.code,
    redirect_uri: callbackUrl,
    code_verifier: verifierOf(memo),
  })
  const known = reconnect ? secretOf(reconnect) : null
  const companies = await listCompanies(kit, tokens.accessToken, known?.environment ?? null)
  if (companies.length === 0) throw new InputRefused(NO_COMPANY)
  const chosen = companies.filter(({ companyId }) => companyId === known?.companyId)
  return (chosen.length > 0 ? chosen : companies).map((company) => ({
    credentials: toCredentials(tokens, company),
    entity: { id: company.companyId, name: company.name },
    reference: company.companyId,
  }))
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

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of Business Central')
  return credentials.secret
}

async function requestTokens(kit: Kit, tenant: string, form: Record<string, string>, keptRefreshToken?: string): Promise<Tokens> {
  const keys = { client_id: kit.app.clientId ?? '', client_secret: kit.app.clientSecret ?? '' }
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.login}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...keys, scope: SCOPE, ...form }).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
  if (response.status !== 200) throw toTokenError(response, kit.now())
  const answer = responseJson(response, 'the request for a token')
  const refreshToken = isToken.Check(answer) ? (answer.refresh_token ?? keptRefreshToken) : undefined
  if (!isToken.Check(answer) || refreshToken === undefined) throw new SourceError('badData', 'Microsoft answered without a token')
  const lifetimeS = Number(answer.expires_in)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', 'Microsoft answered a token without a lifetime')
  return {
    accessToken: answer.access_token,
    refreshToken,
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifetimeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
  }
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, now: Date): SourceError {
  const text = new TextDecoder().decode(response.body.subarray(0, 8192))
  const word = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(text)?.[1] ?? ''
  const code = /"error_codes"\s*:\s*\[\s*(\d{1,9})/.exec(text)?.[1]
  const shown = [word, code ? `AADSTS${code}` : ''].filter((part) => part !== '').join(', ')
  const message = `Microsoft answered ${response.status} to the request for a token${shown === '' ? '' : ` (${shown})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408 || word === 'temporarily_unavailable')
    return new SourceError('unavailable', message)
  if (OWNER_WORDS.includes(word)) return new SourceError('reconnect', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

function toCredentials(
  { accessToken, refreshToken, expiresAt }: Tokens,
  { tenantId, environment, companyId }: Omit<Company, 'name'>,
): Credentials {
  return { secret: { accessToken, refreshToken, tenantId, environment, companyId }, expiresAt }
}

function verifierOf(memo: Json): string {
  if (typeof memo === 'object' && memo !== null && !Array.isArray(memo) && typeof memo.verifier === 'string') return memo.verifier
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}
