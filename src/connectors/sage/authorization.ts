import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import type { Credentials, Grant, HttpResponse, Kit } from '../contract/contract.ts'
import {
  createProof,
  postForm,
  readCode,
  readToken,
  readVerifier,
  type TokenSource,
  type Tokens,
  toGrants,
  toTokenError,
  toTokens,
  wordOf,
} from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** The other one, `full_access`, could write. */
const SCOPE = 'readonly'

/** Languages of Sage's own pages. */
const LOCALES = { en: 'en-CA', 'fr-CA': 'fr-CA' } as const

/** Access tokens last five minutes, so a refresh is due only shortly before they end. */
const EXPIRY_MARGIN_S = 15

const NO_BUSINESS = {
  en: 'This Sage sign-in opens no business. Sign in as the owner or accountant of the business, then try again.',
  'fr-CA':
    'Ce compte Sage ne donne accès à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

/** The person who authorized and the businesses that this person can open. */
export interface Identity {
  email: string | null
  businesses: { id: string; name: string }[]
}

type ReadIdentity = (kit: Kit, accessToken: string) => Promise<Identity>

const SOURCE: TokenSource = { source: 'Sage' }

export const secretOf = secretReader(SecretWire, 'Sage')

/**
 * OAuth 2 authorization code with a secret and PKCE. The sign-in opens every business of the person: there is one grant for each, and they
 * share their tokens, so that only one of them can live. A repair names the business that was connected before.
 * Source: https://developer.sage.com/accounting/guides/authenticating/authentication/
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state, locale }) => {
      const { verifier, challenge } = createProof()
      const query = new URLSearchParams({
        filter: 'apiv3.1',
        response_type: 'code',
        client_id: kit.app.clientId ?? '',
        redirect_uri: callbackUrl,
        scope: SCOPE,
        state,
        locale: LOCALES[locale],
        ...challenge,
      })
      return { url: `${kit.hosts.authorize}/oauth2/auth/central?${query}`, memo: { verifier } }
    },
    complete: (kit, completion) => complete(kit, completion, readIdentity),
  }
}

async function complete(
  kit: Kit,
  { callbackUrl, query, memo, reconnect }: RedirectCompletion,
  readIdentity: ReadIdentity,
): Promise<Grant[]> {
  const code = readCode(query, 'Sage')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: readVerifier(memo),
  })
  const { email, businesses } = await readIdentity(kit, tokens.accessToken)
  if (businesses.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessId : null
  return toGrants(businesses, { known, email, toCredentials: ({ id }) => toCredentials(tokens, id) })
}

/** Each refresh token works once, within 31 days. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, businessId } = secretOf(credentials)
  return toCredentials(await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), businessId)
}

/** Ends the refresh token; the access token lives on for its five minutes. One that has ended already is no failure. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const response = await post(kit, 'revoke', { token: secretOf(credentials).refreshToken })
  if (response.status === 200 || ['invalid_grant', 'invalid_token'].includes(wordOf(response))) return
  throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<Tokens> {
  const answer = readToken(TokenWire, await post(kit, 'token', form), kit.now(), SOURCE)
  return toTokens(kit, answer, EXPIRY_MARGIN_S, SOURCE)
}

async function post(kit: Kit, endpoint: 'token' | 'revoke', form: Record<string, string>): Promise<HttpResponse> {
  return await postForm(kit, `${kit.hosts.token}/${endpoint}`, form, 'form')
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessId: string): Credentials {
  return { secret: { accessToken, refreshToken, businessId }, expiresAt }
}
