import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { dueAt, postForm, readCode, readToken, type TokenSource } from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** "Tax, Accounting & Users": the level that opens the ledger. Source: https://dev.freeagent.com/docs/introduction#about-access-levels */
const LEDGER_LEVEL = 7

const NO_COMPANY = {
  en: 'This FreeAgent sign-in belongs to no company. Sign in as the owner or accountant of the company, then try again.',
  'fr-CA':
    'Ce compte FreeAgent n’est lié à aucune entreprise. Connectez-vous en tant que propriétaire ou comptable de l’entreprise, puis réessayez.',
}

const TOO_LOW = {
  en: 'This FreeAgent user may not see the accounts. Sign in as a user with the access level “Tax, Accounting & Users” or higher.',
  'fr-CA':
    'Cet utilisateur FreeAgent n’a pas accès à la comptabilité. Connectez-vous avec un utilisateur dont le niveau d’accès est « Tax, Accounting & Users » ou plus élevé.',
}

/** The person who authorized and the company of the token; null when there is none. */
export interface Identity {
  email: string | null
  /** From 0, no access, to 8, full; null when FreeAgent does not say. */
  level: number | null
  company: { id: string; name: string } | null
}

type ReadIdentity = (kit: Kit, accessToken: string) => Promise<Identity>

const SOURCE: TokenSource = { source: 'FreeAgent' }

export const secretOf = secretReader(SecretWire, 'FreeAgent')

/**
 * OAuth 2 authorization code with a secret, without scopes: the token can do what the person can. One token opens one company.
 * FreeAgent has no call that ends an authorization. Source: https://dev.freeagent.com/docs/oauth
 */
export function authorization(readIdentity: ReadIdentity): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const query = new URLSearchParams({ client_id: kit.app.clientId ?? '', response_type: 'code', redirect_uri: callbackUrl, state })
      return { url: `${kit.hosts.api}/v2/approve_app?${query}` }
    },
    complete: async (kit, completion) => [await complete(kit, completion, readIdentity)],
  }
}

async function complete(kit: Kit, { callbackUrl, query }: RedirectCompletion, readIdentity: ReadIdentity): Promise<Grant> {
  const code = readCode(query, 'FreeAgent')
  const credentials = await requestToken(kit, { grant_type: 'authorization_code', code, redirect_uri: callbackUrl }, null)
  const { company, email, level } = await readIdentity(kit, secretOf(credentials).accessToken)
  if (company === null) throw new InputRefused(NO_COMPANY)
  if (level !== null && level < LEDGER_LEVEL) throw new InputRefused(TOO_LOW)
  return { credentials, entity: company, reference: company.id, ...(email === null ? {} : { email }) }
}

/** Refresh tokens last about 20 years; a refresh may give a new one, and the newest is always kept. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken } = secretOf(credentials)
  return await requestToken(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }, refreshToken)
}

async function requestToken(kit: Kit, form: Record<string, string>, keptRefreshToken: string | null): Promise<Credentials> {
  const answer = readToken(TokenWire, await postForm(kit, `${kit.hosts.api}/v2/token_endpoint`, form, 'header'), kit.now(), SOURCE)
  const refreshToken = answer.refresh_token ?? keptRefreshToken
  if (refreshToken === null) throw new SourceError('badData', 'FreeAgent answered without a refresh token')
  return {
    secret: { accessToken: answer.access_token, refreshToken },
    expiresAt: dueAt(kit, answer.expires_in, EXPIRY_MARGIN_S, SOURCE),
  }
}
