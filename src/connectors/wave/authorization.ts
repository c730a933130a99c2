import { Compile } from 'typebox/compile'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'
import { type CodeFlow, codeFlow, revocation } from '../toolkit/oauth/code-flow.ts'
import { refuseWithoutWord, wordOf } from '../toolkit/oauth/token-requests.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { readIdentity } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/**
 * Read-only scopes; without `offline_access` there is no refresh token.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360032818132-OAuth-Scopes
 */
const SCOPES = ['user:read', 'business:read', 'account:read', 'offline_access']

const NO_BUSINESS = {
  en: 'This Wave sign-in opens no business that can be shared. Wave shares only businesses with a Pro plan or a Wave Advisor; check the plan, then try again.',
  'fr-CA':
    'Ce compte Wave ne donne accès à aucune entreprise qui puisse être partagée. Wave ne partage que les entreprises abonnées au forfait Pro ou suivies par un conseiller Wave; vérifiez le forfait, puis réessayez.',
}

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'Wave')

/**
 * OAuth 2 authorization code flow with a client secret and PKCE. The owner selects the business on Wave's page, and the
 * token names the one it covers, or covers all of the sign-in. Each refresh returns a new pair and invalidates the old
 * access token, so the old refresh token is not relied on either.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019493652-OAuth-Guide
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'Wave' },
  authorizeUrl: (kit) => `${kit.hosts.oauth}/oauth2/authorize/`,
  scope: SCOPES.join(' '),
  parameters: ({ reconnect }) => ({
    // Without it Wave skips its page, and with it the choice of the business, for a person who has been there before.
    approval_prompt: 'force',
    ...(reconnect ? { businessId: secretOf(reconnect).businessId } : {}),
  }),
  hasProof: true,
  tokenUrl: (kit) => `${kit.hosts.oauth}/oauth2/token/`,
  keysIn: 'form',
  form: ({ secret }) => (secret ? { redirect_uri: secret.redirectUri } : {}),
  token: isToken,
  marginS: 120,
  toError,
  secretOf,
  listBooks: async (kit, { access_token, businessId }, { callbackUrl }) => {
    const { email, businesses } = await readIdentity(kit, access_token)
    const open = businesses.filter(({ id }) => !businessId || isSameBusiness(id, businessId))
    return { email, books: open.map(({ id, name }) => ({ id, name, secret: { businessId: id, redirectUri: callbackUrl } })) }
  },
  noBooks: NO_BUSINESS,
  booksOf: ({ businessId }) => businessId,
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

export const revoke = revocation(FLOW, { url: (kit) => `${kit.hosts.oauth}/oauth2/token-revoke/`, statuses: [200, 204] })

/**
 * Error of the token endpoint. `invalid_grant` is for the owner to fix, `invalid_client` for the operator: a wrong key
 * breaks no connection. 403 means that the business no longer pays for the plan that permits sharing.
 */
function toError(response: HttpResponse, what: string, now: Date): SourceError {
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

/** Business by its full id, base64 of `Business:<uuid>`, or by the UUID alone. */
function isSameBusiness(id: string, named: string): boolean {
  return id === named || Buffer.from(id, 'base64').toString() === `Business:${named}`
}
