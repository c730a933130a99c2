import { createHash, randomBytes } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { type Json, parseJson } from '../../model/json.ts'
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
import { accountUrl, countAccounts, findCompanyName } from './requests.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** SuiteQL by REST. What can be read, and that nothing can be written, is a matter of the role. */
const SCOPE = 'rest_webservices'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** Shorter than the engine's lease on a refresh. */
const TOKEN_TIMEOUT_MS = 20_000

/** `1234567`, `1234567_SB1`, `TSTDRV1234567`: it becomes part of a host name, so nothing else passes. */
const ACCOUNT_ID = /^[A-Z0-9]{3,30}([_-][A-Z0-9]{1,10})?$/i

const NO_ACCESS = {
  en: 'This NetSuite role does not open the chart of accounts. Ask your NetSuite administrator for a role with the permissions REST Web Services, Log in using OAuth 2.0 Access Tokens and Accounts (view), then try again.',
  'fr-CA':
    'Ce rôle NetSuite ne donne pas accès au plan comptable. Demandez à votre administrateur NetSuite un rôle avec les autorisations Services web REST, Connexion avec jetons d’accès OAuth 2.0 et Comptes (consultation), puis réessayez.',
}

const isToken = Compile(TokenWire)
const isSecret = Compile(SecretWire)

/**
 * OAuth 2 authorization code with PKCE. The owner signs in where every account is known, chooses account and role there, and comes back with
 * the account's id as `company`; the code is only good at that account. A repair goes to the account's own sign-in page.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158081944642.html
 */
export const authorization: RedirectAuthorization = {
  step: 'redirect',
  start: async (kit, { callbackUrl, state, reconnect }) => {
    const verifier = randomBytes(48).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: kit.app.clientId ?? '',
      redirect_uri: callbackUrl,
      scope: SCOPE,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const host = reconnect ? accountUrl(kit.hosts.accountLogin ?? '', secretOf(reconnect).accountId) : kit.hosts.authorize
    return { url: `${host}/app/login/oauth2/authorize.nl?${query}`, memo: { verifier } }
  },
  complete: async (kit, completion) => [await complete(kit, completion)],
}

async function complete(kit: Kit, { callbackUrl, query, memo }: RedirectCompletion): Promise<Grant> {
  if (query.error !== undefined) throw new SourceError('reconnect', 'the authorization was declined at NetSuite')
  const { code, company = '' } = query
  if (!code || !ACCOUNT_ID.test(company)) throw new SourceError('badData', 'NetSuite came back without a code or an account')
  const accountId = company.toUpperCase().replaceAll('-', '_')
  const form = { grant_type: 'authorization_code', code, redirect_uri: callbackUrl, code_verifier: verifierOf(memo) }
  const credentials = await requestTokens(kit, accountId, form, null)
  const secret = secretOf(credentials)
  if (!isOfAccount(secret)) throw new SourceError('reconnect', 'the token is not one of the NetSuite account that was named')
  await requireAccounts(kit, secret)
  const name = (await findCompanyName(kit, secret)) ?? `NetSuite ${accountId}`
  return { credentials, entity: { id: accountId, name }, reference: accountId }
}

/** Throws `InputRefused` for a role that does not see the chart. */
async function requireAccounts(kit: Kit, secret: SecretWire): Promise<void> {
  const count = await countAccounts(kit, secret).catch((error: unknown) => {
    if (error instanceof SourceError && error.kind === 'reconnect') return 0
    throw error
  })
  if (count === 0) throw new InputRefused(NO_ACCESS)
}

/** Public clients get a new refresh token each time, and the one before is dead; the others keep theirs for its seven days. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const { refreshToken, accountId } = secretOf(credentials)
  return await requestTokens(kit, accountId, { grant_type: 'refresh_token', refresh_token: refreshToken }, refreshToken)
}

/** Ends the authorization at NetSuite; one that has ended already is no failure. */
export async function revoke(kit: Kit, credentials: Credentials): Promise<void> {
  const { refreshToken, accountId } = secretOf(credentials)
  const response = await post(kit, accountId, 'revoke', { token: refreshToken })
  if (response.status === 200 || ['invalid_grant', 'invalid_token', 'invalid_request'].includes(wordOf(response))) return
  throw toTokenError(response, 'the revocation', kit.now())
}

/** The sealed secret, checked; another shape is our own fault. */
export function secretOf(credentials: Credentials): SecretWire {
  if (!isSecret.Check(credentials.secret)) throw new SourceError('reconnect', 'the stored credentials are not those of NetSuite')
  return credentials.secret
}

async function requestTokens(
  kit: Kit,
  accountId: string,
  form: Record<string, string>,
  keptRefreshToken: string | null,
): Promise<Credentials> {
  const response = await post(kit, accountId, 'token', form)
  if (response.status !== 200) throw toTokenError(response, 'the request for a token', kit.now())
  const answer = responseJson(response, 'the request for a token')
  const refreshToken = isToken.Check(answer) ? (answer.refresh_token ?? keptRefreshToken) : null
  if (!isToken.Check(answer) || refreshToken === null) throw new SourceError('badData', 'NetSuite answered without a token')
  const lifetimeS = Number(answer.expires_in)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', 'NetSuite answered a token without a lifetime')
  return {
    secret: { accessToken: answer.access_token, refreshToken, accountId },
    expiresAt: new Date(kit.now().getTime() + Math.max(0, lifetimeS - EXPIRY_MARGIN_S) * 1000).toISOString(),
  }
}

/** A client with a secret proves it by Basic; a public one only names itself. */
async function post(kit: Kit, accountId: string, endpoint: 'token' | 'revoke', form: Record<string, string>): Promise<HttpResponse> {
  const { clientId = '', clientSecret = '' } = kit.app
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  return await kit.http({
    method: 'POST',
    url: `${accountUrl(kit.hosts.account ?? '', accountId)}/services/rest/auth/oauth2/v1/${endpoint}`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientSecret === '' ? {} : { authorization: basic }),
    },
    body: new URLSearchParams({ ...(clientSecret === '' ? { client_id: clientId } : {}), ...form }).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

/** `invalid_grant` is for the owner to mend, `invalid_client` for the operator: connections are not broken by a wrong key. */
function toTokenError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = wordOf(response)
  const message = `NetSuite answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
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

/**
 * Whether the access token says the account that the callback named: `aud` holds `application;account`. A token that says no account was
 * proven by the host that gave it. Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158255317571.html
 */
function isOfAccount({ accessToken, accountId }: SecretWire): boolean {
  const audience = property(payloadOf(accessToken), 'aud')
  const entries = (Array.isArray(audience) ? audience : [audience]).filter((entry) => typeof entry === 'string')
  const accounts = entries.flatMap((entry) => (entry.includes(';') ? [entry.split(';').at(-1) ?? ''] : []))
  return accounts.length === 0 || accounts.some((account) => account.toUpperCase().replaceAll('-', '_') === accountId)
}

function payloadOf(token: string): Json {
  try {
    return parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function verifierOf(memo: Json): string {
  const verifier = property(memo, 'verifier')
  if (typeof verifier === 'string') return verifier
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}

function property(value: Json, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined
}
