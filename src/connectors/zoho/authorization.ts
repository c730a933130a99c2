import { Compile } from 'typebox/compile'
import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { dueAt, postForm, readCode, readToken, TOKEN_TIMEOUT_MS, type TokenSource, toTokenError } from '../toolkit/code-flow.ts'
import { type DataCentre, findDataCentre, hostOf, isDataCentre } from './data-centres.ts'
import { type OrganizationWire, SecretWire, TokenWire } from './wire.ts'

/** Reading only: the chart and the journals, the organizations, and the currencies of bank accounts. */
const SCOPES = 'ZohoBooks.accountants.READ,ZohoBooks.settings.READ,ZohoBooks.banking.READ'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Ten access tokens in ten minutes are given out at most. Source: https://www.zoho.com/accounts/protocol/oauth/web-apps/access-token-expiry.html */
const TOKEN_WAIT_MS = 600_000

const NO_ORGANIZATION = {
  en: 'This Zoho sign-in opens no organization in Zoho Books. Sign in with a user of your organization, then try again.',
  'fr-CA':
    'Ce compte Zoho ne donne accès à aucune organisation dans Zoho Books. Connectez-vous avec un utilisateur de votre organisation, puis réessayez.',
}

/** Words of a refused grant; Zoho uses the first one for a code and for a refresh token alike. */
const ENDED: readonly string[] = ['invalid_code', 'invalid_grant', 'invalid_token', 'access_denied']
const WRONG_KEYS: readonly string[] = ['invalid_client', 'invalid_client_secret', 'unauthorized_client']

interface Tokens {
  accessToken: string
  refreshToken: string | null
  apiAt: DataCentre
  expiresAt: string
}

type ListOrganizations = (kit: Kit, accessToken: string, apiAt: DataCentre) => Promise<OrganizationWire[]>

const SOURCE: TokenSource = {
  source: 'Zoho',
  ended: ENDED,
  wrongKeys: WRONG_KEYS,
  passing: ['general_error'],
  tooMany: ['Access Denied'],
  waitMs: TOKEN_WAIT_MS,
}

const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with a secret. The sign-in begins in the United States; the callback says in which data centre the person
 * lives, and everything after goes there. The tokens open every organization of the person: there is one grant for each, and they share
 * their tokens, so that only one of them can live.
 * Source: https://www.zoho.com/accounts/protocol/oauth/multi-dc.html
 */
export function authorization(listOrganizations: ListOrganizations): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: kit.app.clientId ?? '',
        scope: SCOPES,
        redirect_uri: callbackUrl,
        access_type: 'offline',
        // Without it a person who has agreed before gives no refresh token.
        prompt: 'consent',
        state,
      })
      return { url: `${hostOf(kit, 'us', 'accounts')}/oauth/v2/auth?${query}` }
    },
    complete: (kit, completion) => complete(kit, completion, listOrganizations),
  }
}

async function complete(kit: Kit, { callbackUrl, query }: RedirectCompletion, listOrganizations: ListOrganizations): Promise<Grant[]> {
  const code = readCode(query, 'Zoho')
  const accountsAt = findDataCentre(kit, 'accounts', query['accounts-server'], query.location)
  const tokens = await requestTokens(kit, accountsAt, { grant_type: 'authorization_code', code, redirect_uri: callbackUrl })
  const { refreshToken } = tokens
  if (refreshToken === null) throw new SourceError('badData', 'Zoho answered without a refresh token')
  const organizations = await listOrganizations(kit, tokens.accessToken, tokens.apiAt)
  if (organizations.length === 0) throw new InputRefused(NO_ORGANIZATION)
  return organizations.map(({ organization_id, name }) => ({
    credentials: toCredentials(tokens, refreshToken, accountsAt),
    entity: { id: organization_id, name: name ?? '' },
    reference: organization_id,
  }))
}

/** The refresh token stays the same and does not end by time. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, accountsAt } = secretOf(credentials)
  const tokens = await requestTokens(kit, accountsAt, { grant_type: 'refresh_token', refresh_token: refreshToken })
  return toCredentials(tokens, tokens.refreshToken ?? refreshToken, accountsAt)
}

/** Ends this refresh token, which frees one of the twenty places that a person has. One that has ended already is no failure. */
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

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire & { accountsAt: DataCentre; apiAt: DataCentre } {
  const { secret } = credentials
  if (isSecret.Check(secret) && isDataCentre(secret.accountsAt) && isDataCentre(secret.apiAt)) {
    return { ...secret, accountsAt: secret.accountsAt, apiAt: secret.apiAt }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of Zoho')
}

/** NOTE Zoho answers most refusals with status 200 and `{"error": …}`. */
async function requestTokens(kit: Kit, accountsAt: DataCentre, form: Record<string, string>): Promise<Tokens> {
  const response = await postForm(kit, `${hostOf(kit, accountsAt, 'accounts')}/oauth/v2/token`, form, 'form')
  if (response.status !== 200 || wordOf(response) !== '') throw toZohoError(response, 'the request for a token', kit.now())
  const body = readToken(TokenWire, response, kit.now(), SOURCE)
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token ?? null,
    apiAt: findDataCentre(kit, 'api', body.api_domain ?? undefined, accountsAt),
    expiresAt: dueAt(kit, body.expires_in, EXPIRY_MARGIN_S, SOURCE),
  }
}

function toZohoError(response: HttpResponse, what: string, now: Date): SourceError {
  return toTokenError(response, what, now, { ...SOURCE, word: wordOf(response) })
}

/** Zoho's words are sentences, too. */
function wordOf(response: HttpResponse): string {
  return /"error"\s*:\s*"([A-Za-z_ ]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
}

function toCredentials(tokens: Tokens, refreshToken: string, accountsAt: DataCentre): Credentials {
  const { accessToken, apiAt, expiresAt } = tokens
  return { secret: { accessToken, refreshToken, accountsAt, apiAt }, expiresAt }
}
