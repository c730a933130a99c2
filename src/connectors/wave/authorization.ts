import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/answers.ts'
import {
  createProof,
  postForm,
  readCode,
  readToken,
  readVerifier,
  refuseWithoutWord,
  type TokenSource,
  type Tokens,
  toGrants,
  toTokens,
  wordOf,
} from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** Reading only; without `offline_access` there would be no refresh token. Source: https://developer.waveapps.com/hc/en-us/articles/360032818132-OAuth-Scopes */
const SCOPES = ['user:read', 'business:read', 'account:read', 'offline_access']

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

const NO_BUSINESS = {
  en: 'This Wave sign-in opens no business that can be shared. Wave shares only businesses with a Pro plan or a Wave Advisor; check the plan, then try again.',
  'fr-CA':
    'Ce compte Wave ne donne accès à aucune entreprise qui puisse être partagée. Wave ne partage que les entreprises abonnées au forfait Pro ou suivies par un conseiller Wave; vérifiez le forfait, puis réessayez.',
}

/** The person who authorized and the businesses that the token opens. */
export interface Identity {
  email: string | null
  businesses: { id: string; name: string }[]
}

type ReadIdentity = (kit: Kit, accessToken: string) => Promise<Identity>

interface WaveTokens extends Tokens {
  /** Null when the token opens all businesses of the sign-in. */
  businessId: string | null
}

const SOURCE: TokenSource = { source: 'Wave' }

export const secretOf = secretReader(SecretWire, 'Wave')

/**
 * OAuth 2 authorization code with a secret and PKCE. The owner picks the business on Wave's page, and the token says which one it opens. Where
 * it opens all of the sign-in there is one grant for each, and they share their tokens, so that only one of them can live.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019493652-OAuth-Guide
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state, reconnect }) => {
      const { verifier, challenge } = createProof()
      const query = new URLSearchParams({
        client_id: kit.app.clientId ?? '',
        response_type: 'code',
        scope: SCOPES.join(' '),
        redirect_uri: callbackUrl,
        state,
        // Without it Wave skips its page for those who have been there before, and with it the choice of the business.
        approval_prompt: 'force',
        ...challenge,
        ...(reconnect ? { businessId: secretOf(reconnect).businessId } : {}),
      })
      return { url: `${kit.hosts.oauth}/oauth2/authorize/?${query}`, memo: { verifier } }
    },
    complete: (kit, completion) => complete(kit, completion, readIdentity),
  }
}

async function complete(kit: Kit, completion: RedirectCompletion, readIdentity: ReadIdentity): Promise<Grant[]> {
  const { callbackUrl, query, memo, reconnect } = completion
  const code = readCode(query, 'Wave')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: readVerifier(memo),
  })
  const { email, businesses } = await readIdentity(kit, tokens.accessToken)
  const open = businesses.filter(({ id }) => tokens.businessId === null || isSameBusiness(id, tokens.businessId))
  if (open.length === 0) throw new InputRefused(NO_BUSINESS)
  const known = reconnect ? secretOf(reconnect).businessId : null
  return toGrants(open, { known, email, toCredentials: ({ id }) => toCredentials(tokens, id, callbackUrl) })
}

/** Each refresh gives a new pair; the old access token is dead from then on, so the old refresh token is not counted on either. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, businessId, redirectUri } = secretOf(credentials)
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, redirect_uri: redirectUri }
  return toCredentials(await requestTokens(kit, form), businessId, redirectUri)
}

/** Ends the authorization at Wave; one that has ended already is no failure. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const response = await post(kit, 'token-revoke', { token: secretOf(credentials).refreshToken })
  if (response.status === 200 || response.status === 204 || ['invalid_grant', 'invalid_token'].includes(wordOf(response))) return
  throw toTokenError(response, 'the revocation', kit.now())
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<WaveTokens> {
  const response = await post(kit, 'token', form)
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  const answer = readToken(TokenWire, response, kit.now(), SOURCE)
  return { ...toTokens(kit, answer, EXPIRY_MARGIN_S, SOURCE), businessId: answer.businessId || null }
}

async function post(kit: Kit, endpoint: 'token' | 'token-revoke', form: Record<string, string>): Promise<HttpResponse> {
  return await postForm(kit, `${kit.hosts.oauth}/oauth2/${endpoint}/`, form, 'form')
}

/**
 * `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. 403 says that the
 * business no longer pays for the plan that lets it be shared.
 */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `Wave answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  if (word === 'invalid_grant' || response.status === 403) return new SourceError('reconnect', message)
  if (response.status === 400 && word === '') return refuseWithoutWord(response, message)
  return new SourceError('badData', message)
}

/** A business goes by its whole id, base64 of `Business:<uuid>`, or by the uuid alone. */
function isSameBusiness(id: string, named: string): boolean {
  return id === named || Buffer.from(id, 'base64').toString() === `Business:${named}`
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, businessId: string, redirectUri: string): Credentials {
  return { secret: { accessToken, refreshToken, businessId, redirectUri }, expiresAt }
}
