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
import { type ConnectionWire, SecretWire, TokenWire } from './wire.ts'

/** Reading only, by the narrow names: apps of today cannot ask for the broad ones. Source: https://developer.xero.com/documentation/guides/oauth2/scopes/ */
const SCOPES = 'offline_access accounting.settings.read accounting.manualjournals.read'

/** Asked for only where the operator says that the app has it: Xero refuses the whole request of an app that has not. */
const JOURNALS_SCOPE = 'accounting.journals.read'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

const NO_ORGANISATION = {
  en: 'This Xero sign-in shared no organisation. Sign in with a user who may connect apps to your organisation, then try again.',
  'fr-CA':
    'Ce compte Xero n’a partagé aucune organisation. Connectez-vous avec un utilisateur qui peut relier des applications à votre organisation, puis réessayez.',
}

interface Tokens {
  accessToken: string
  refreshToken: string
  expiresAt: string
}

type ListConnections = (kit: Kit, accessToken: string, authEventId: string | null) => Promise<ConnectionWire[]>

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/** Whether the operator says that the app may read /Journals. */
export function mayReadJournals(kit: Kit): boolean {
  return kit.app.journals === 'yes'
}

/**
 * OAuth 2 authorization code with a secret and PKCE. Which organisation was shared is asked with the new token: a sign-in may have
 * connected others before, so only those of this very authorization count.
 * Source: https://developer.xero.com/documentation/guides/oauth2/auth-flow/
 */
export function authorization(listConnections: ListConnections): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const verifier = randomBytes(48).toString('base64url')
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: kit.app.clientId ?? '',
        redirect_uri: callbackUrl,
        scope: mayReadJournals(kit) ? `${SCOPES} ${JOURNALS_SCOPE}` : SCOPES,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
      return { url: `${kit.hosts.authorize}/identity/connect/authorize?${query}`, memo: { verifier } }
    },
    complete: (kit, completion) => complete(kit, completion, listConnections),
  }
}

async function complete(kit: Kit, { callbackUrl, query, memo }: RedirectCompletion, listConnections: ListConnections): Promise<Grant[]> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at Xero')
  if (!query.code) throw new SourceError('badData', 'Xero came back without a code')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code: query.code,
    redirect_uri: callbackUrl,
    code_verifier: verifierOf(memo),
  })
  const connections = await listConnections(kit, tokens.accessToken, authEventOf(tokens.accessToken))
  const organisations = connections.filter(({ tenantType }) => tenantType === 'ORGANISATION')
  if (organisations.length === 0) throw new InputRefused(NO_ORGANISATION)
  return organisations.map(({ id, tenantId, tenantName }) => ({
    credentials: toCredentials(tokens, id),
    entity: { id: tenantId, name: tenantName ?? '' },
    reference: tenantId,
  }))
}

/** Each refresh token works once and ends after 60 days; Xero takes the one before for half an hour more, should the answer be lost. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, connectionId } = secretOf(credentials)
  return toCredentials(await requestTokens(kit, { grant_type: 'refresh_token', refresh_token: refreshToken }), connectionId)
}

/** Ends every authorization that this person gave the app, for all organisations: only for the last of them. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const response = await post(kit, 'revocation', { token: secretOf(credentials).refreshToken })
  if (response.status === 200 || wordOf(response) === 'invalid_grant') return
  throw toTokenError(response, 'the revocation', kit.now())
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of Xero')
  return credentials.secret
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<Tokens> {
  const response = await post(kit, 'token', form)
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  const body = responseJson(response, 'the request for a token')
  if (!isToken.Check(body)) throw new SourceError('badData', 'Xero answered without a token')
  const lifetimeS = Number(body.expires_in)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', 'Xero answered a token without a lifetime')
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifetimeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
  }
}

async function post(kit: Kit, endpoint: 'token' | 'revocation', form: Record<string, string>): Promise<HttpResponse> {
  const keys = Buffer.from(`${kit.app.clientId ?? ''}:${kit.app.clientSecret ?? ''}`).toString('base64')
  return await kit.http({
    method: 'POST',
    url: `${kit.hosts.token}/connect/${endpoint}`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${keys}` },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `Xero answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  if (response.status === 429) return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, 60_000) })
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (word === 'invalid_grant') return new SourceError('reconnect', message)
  if (word === 'invalid_client' || word === 'unauthorized_client' || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  return new SourceError('badData', message)
}

function wordOf(response: HttpResponse): string {
  return /"error"\s*:\s*"([a-z_]{1,40})"/.exec(new TextDecoder().decode(response.body.subarray(0, 4096)))?.[1] ?? ''
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, connectionId: string): Credentials {
  return { secret: { accessToken, refreshToken, connectionId }, expiresAt }
}

/** The claim needs no check: the token came from Xero itself a moment ago. Source: https://developer.xero.com/documentation/guides/oauth2/tenants/ */
function authEventOf(accessToken: string): string | null {
  const claims = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()
  return /"authentication_event_id"\s*:\s*"([0-9a-f-]{36})"/.exec(claims)?.[1] ?? null
}

function verifierOf(memo: Json): string {
  if (typeof memo === 'object' && memo !== null && !Array.isArray(memo) && typeof memo.verifier === 'string') return memo.verifier
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}
