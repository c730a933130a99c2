import { type Json, parseJson } from '../../model/values/json.ts'
import { InputRefused, type RedirectAuthorization, type RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { property } from '../toolkit/answers.ts'
import {
  createProof,
  dueAt,
  postForm,
  readCode,
  readToken,
  readVerifier,
  type TokenSource,
  toTokenError,
  wordOf,
} from '../toolkit/code-flow.ts'
import { secretReader } from '../toolkit/secrets.ts'
import { accountUrl, countAccounts, findCompanyName } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** SuiteQL by REST. What can be read, and that nothing can be written, is a matter of the role. */
const SCOPE = 'rest_webservices'

/** A refresh is due this long before the access token ends. */
const EXPIRY_MARGIN_S = 120

/** `1234567`, `1234567_SB1`, `TSTDRV1234567`: it becomes part of a host name, so nothing else passes. */
const ACCOUNT_ID = /^[A-Z0-9]{3,30}([_-][A-Z0-9]{1,10})?$/i

const NO_ACCESS = {
  en: 'This NetSuite role does not open the chart of accounts. Ask your NetSuite administrator for a role with the permissions REST Web Services, Log in using OAuth 2.0 Access Tokens and Accounts (view), then try again.',
  'fr-CA':
    'Ce rôle NetSuite ne donne pas accès au plan comptable. Demandez à votre administrateur NetSuite un rôle avec les autorisations Services web REST, Connexion avec jetons d’accès OAuth 2.0 et Comptes (consultation), puis réessayez.',
}

const SOURCE: TokenSource = { source: 'NetSuite' }

export const secretOf = secretReader(SecretWire, 'NetSuite')

/**
 * OAuth 2 authorization code with PKCE. The owner signs in where every account is known, chooses account and role there, and comes back with
 * the account's id as `company`; the code is only good at that account. A repair goes to the account's own sign-in page.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158081944642.html
 */
export const authorization: RedirectAuthorization = {
  step: 'redirect',
  start: async (kit, { callbackUrl, state, reconnect }) => {
    const { verifier, challenge } = createProof()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: kit.app.clientId ?? '',
      redirect_uri: callbackUrl,
      scope: SCOPE,
      state,
      ...challenge,
    })
    const host = reconnect ? accountUrl(kit.hosts.accountLogin ?? '', secretOf(reconnect).accountId) : kit.hosts.authorize
    return { url: `${host}/app/login/oauth2/authorize.nl?${query}`, memo: { verifier } }
  },
  complete: async (kit, completion) => [await complete(kit, completion)],
}

async function complete(kit: Kit, { callbackUrl, query, memo }: RedirectCompletion): Promise<Grant> {
  const code = readCode(query, 'NetSuite')
  const { company = '' } = query
  if (!ACCOUNT_ID.test(company)) throw new SourceError('badData', 'NetSuite came back without an account')
  const accountId = company.toUpperCase().replaceAll('-', '_')
  const form = { grant_type: 'authorization_code', code, redirect_uri: callbackUrl, code_verifier: readVerifier(memo) }
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
  throw toTokenError(response, 'the revocation', kit.now(), SOURCE)
}

async function requestTokens(
  kit: Kit,
  accountId: string,
  form: Record<string, string>,
  keptRefreshToken: string | null,
): Promise<Credentials> {
  const answer = readToken(TokenWire, await post(kit, accountId, 'token', form), kit.now(), SOURCE)
  const refreshToken = answer.refresh_token ?? keptRefreshToken
  if (refreshToken === null) throw new SourceError('badData', 'NetSuite answered without a refresh token')
  return {
    secret: { accessToken: answer.access_token, refreshToken, accountId },
    expiresAt: dueAt(kit, answer.expires_in, EXPIRY_MARGIN_S, SOURCE),
  }
}

/** A client with a secret proves it by Basic; a public one only names itself. */
async function post(kit: Kit, accountId: string, endpoint: 'token' | 'revoke', form: Record<string, string>): Promise<HttpResponse> {
  const { clientId = '', clientSecret = '' } = kit.app
  const url = `${accountUrl(kit.hosts.account ?? '', accountId)}/services/rest/auth/oauth2/v1/${endpoint}`
  if (clientSecret !== '') return await postForm(kit, url, form, 'header')
  return await postForm(kit, url, { client_id: clientId, ...form }, 'nowhere')
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
