import { Compile } from 'typebox/compile'
import { parseJsonOrNull } from '../../model/values/json.ts'
import { InputRefused } from '../contract/authorization.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { property } from '../toolkit/http/answers.ts'
import { type CodeFlow, codeFlow, revocation } from '../toolkit/oauth/code-flow.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { accountUrl, countAccounts, findCompanyName } from './request.ts'
import { SecretWire, TokenWire } from './wire.ts'

/** Scope: SuiteQL by REST. The role decides the readable data and must not permit writing. */
const SCOPE = 'rest_webservices'

/** `1234567`, `1234567_SB1`, `TSTDRV1234567`: it becomes part of a host name, so nothing else passes. */
const ACCOUNT_ID = /^[A-Z0-9]{3,30}([_-][A-Z0-9]{1,10})?$/i

const NO_ACCESS = {
  en: 'This NetSuite role does not open the chart of accounts. Ask your NetSuite administrator for a role with the permissions REST Web Services, Log in using OAuth 2.0 Access Tokens and Accounts (view), then try again.',
  'fr-CA':
    'Ce rôle NetSuite ne donne pas accès au plan comptable. Demandez à votre administrateur NetSuite un rôle avec les autorisations Services web REST, Connexion avec jetons d’accès OAuth 2.0 et Comptes (consultation), puis réessayez.',
}

const isToken = Compile(TokenWire)

export const secretOf = secretReader(SecretWire, 'NetSuite')

/**
 * OAuth 2 authorization code flow with PKCE. The owner signs in at a central page, selects account and role there, and
 * returns with the account's id as `company`; the code is valid at that account only. A repair uses the account's own
 * sign-in page. Public clients receive a new refresh token each time, which invalidates the previous one; others keep
 * theirs for its seven days.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158081944642.html
 */
const FLOW: CodeFlow<TokenWire, SecretWire> = {
  source: { source: 'NetSuite' },
  authorizeUrl: (kit, { reconnect }) => {
    const host = reconnect ? accountUrl(kit.hosts.accountLogin ?? '', secretOf(reconnect).accountId) : kit.hosts.authorize
    return `${host}/app/login/oauth2/authorize.nl`
  },
  scope: SCOPE,
  hasProof: true,
  tokenUrl: (kit, { query, secret }) => oauthUrl(kit, secret ? secret.accountId : accountIdOf(query), 'token'),
  // Client authentication: Basic for a client with a secret; a public one sends its id only.
  keysIn: (kit) => (kit.app.clientSecret ? 'header' : 'idInForm'),
  token: isToken,
  marginS: 120,
  secretOf,
  listBooks: async (kit, { access_token, refresh_token }, { query }) => {
    const accountId = accountIdOf(query)
    const secret = { accessToken: access_token, refreshToken: refresh_token ?? '', accountId }
    if (!isOfAccount(secret)) throw new SourceError('reconnect', 'the token is not one of the NetSuite account that was named')
    await requireAccounts(kit, secret)
    const name = (await findCompanyName(kit, secret)) ?? `NetSuite ${accountId}`
    return { books: [{ id: accountId, name, secret: { accountId } }] }
  },
}

export const { authorization, refreshCredentials } = codeFlow(FLOW)

export const revoke = revocation(FLOW, {
  url: (kit, { accountId }) => oauthUrl(kit, accountId, 'revoke'),
  ended: ['invalid_grant', 'invalid_token', 'invalid_request'],
})

function oauthUrl(kit: Kit, accountId: string, endpoint: 'token' | 'revoke'): string {
  return `${accountUrl(kit.hosts.account ?? '', accountId)}/services/rest/auth/oauth2/v1/${endpoint}`
}

function accountIdOf({ company = '' }: Record<string, string>): string {
  if (!ACCOUNT_ID.test(company)) throw new SourceError('badData', 'NetSuite came back without an account')
  return company.toUpperCase().replaceAll('-', '_')
}

/** Throws `InputRefused` for a role without access to the chart. */
async function requireAccounts(kit: Kit, secret: SecretWire): Promise<void> {
  const count = await countAccounts(kit, secret).catch((error: unknown) => {
    if (error instanceof SourceError && error.kind === 'reconnect') return 0
    throw error
  })
  if (count === 0) throw new InputRefused(NO_ACCESS)
}

/**
 * Whether the access token is for the account that the callback named: `aud` holds `application;account`. A token
 * without an account was verified by the host that issued it.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158255317571.html
 */
function isOfAccount({ accessToken, accountId }: SecretWire): boolean {
  const audience = property(parseJsonOrNull(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()), 'aud')
  const entries = (Array.isArray(audience) ? audience : [audience]).filter((entry) => typeof entry === 'string')
  const accounts = entries.flatMap((entry) => (entry.includes(';') ? [entry.split(';').at(-1) ?? ''] : []))
  return accounts.length === 0 || accounts.some((account) => account.toUpperCase().replaceAll('-', '_') === accountId)
}
