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
  toTokenError,
  toTokens,
  wordOf,
} from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { type ConnectionWire, SecretWire, TokenWire } from './wire.ts'

/** Reading only, by the narrow names: apps of today cannot ask for the broad ones. Source: https://developer.xero.com/documentation/guides/oauth2/scopes/ */
const SCOPES = 'offline_access accounting.settings.read accounting.manualjournals.read'

/** Asked for only where the operator says that the app has it: Xero refuses the whole request of an app that has not. */
const JOURNALS_SCOPE = 'accounting.journals.read'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

const NO_ORGANISATION = {
  en: 'This Xero sign-in shared no organisation. Sign in with a user who may connect apps to your organisation, then try again.',
  'fr-CA':
    'Ce compte Xero n’a partagé aucune organisation. Connectez-vous avec un utilisateur qui peut relier des applications à votre organisation, puis réessayez.',
}

type ListConnections = (kit: Kit, accessToken: string, authEventId: string | null) => Promise<ConnectionWire[]>

/** Whether the operator says that the app may read /Journals. */
export function mayReadJournals(kit: Kit): boolean {
  return kit.app.journals === 'yes'
}

const SOURCE: TokenSource = { source: 'Xero' }

export const secretOf = secretReader(SecretWire, 'Xero')

/**
 * OAuth 2 authorization code with a secret and PKCE. Which organisation was shared is asked with the new token: a sign-in may have
 * connected others before, so only those of this very authorization count.
 * Source: https://developer.xero.com/documentation/guides/oauth2/auth-flow/
 */
export function authorization(listConnections: ListConnections): RedirectAuthorization {
  return {
    step: 'redirect',
    start: async (kit, { callbackUrl, state }) => {
      const { verifier, challenge } = createProof()
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: kit.app.clientId ?? '',
        redirect_uri: callbackUrl,
        scope: mayReadJournals(kit) ? `${SCOPES} ${JOURNALS_SCOPE}` : SCOPES,
        state,
        ...challenge,
      })
      return { url: `${kit.hosts.authorize}/identity/connect/authorize?${query}`, memo: { verifier } }
    },
    complete: (kit, completion) => complete(kit, completion, listConnections),
  }
}

async function complete(kit: Kit, { callbackUrl, query, memo }: RedirectCompletion, listConnections: ListConnections): Promise<Grant[]> {
  const code = readCode(query, 'Xero')
  const tokens = await requestTokens(kit, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: readVerifier(memo),
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
  throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

async function requestTokens(kit: Kit, form: Record<string, string>): Promise<Tokens> {
  const answer = readToken(TokenWire, await post(kit, 'token', form), kit.now(), SOURCE)
  return toTokens(kit, answer, EXPIRY_MARGIN_S, SOURCE)
}

async function post(kit: Kit, endpoint: 'token' | 'revocation', form: Record<string, string>): Promise<HttpResponse> {
  return await postForm(kit, `${kit.hosts.token}/connect/${endpoint}`, form, 'header')
}

function toCredentials({ accessToken, refreshToken, expiresAt }: Tokens, connectionId: string): Credentials {
  return { secret: { accessToken, refreshToken, connectionId }, expiresAt }
}

/** The claim needs no check: the token came from Xero itself a moment ago. Source: https://developer.xero.com/documentation/guides/oauth2/tenants/ */
function authEventOf(accessToken: string): string | null {
  const claims = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()
  return /"authentication_event_id"\s*:\s*"([0-9a-f-]{36})"/.exec(claims)?.[1] ?? null
}
