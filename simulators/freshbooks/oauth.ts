import { randomBytes } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { findRefusal } from '../kit/oauth/authorize.ts'
import { type Clients, formClient } from '../kit/oauth/clients.ts'
import { type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { jsonReply } from './api/replies.ts'
import { findBusiness, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/**
 * Refresh tokens never expire. A user and app have only one at a time.
 * Source: https://www.freshbooks.com/api/authentication
 */
export const RULES: GrantRules = {
  codeS: 300,
  accessS: 43_200,
  refreshS: () => 1e9,
  newCode: () => randomBytes(32).toString('hex'),
  newAccessToken: () => `eyJ${randomBytes(60).toString('base64url')}`,
  newRefreshToken: () => randomBytes(32).toString('hex'),
  onNewGrant: (before, grants) => {
    for (const grant of before) grants.dropRefreshTokens(grant)
  },
}

const REFUSALS = {
  client: 'Client authentication failed due to unknown client.',
  address: 'The redirect uri included is not valid.',
  type: 'The authorization server does not support this response type.',
  scope: 'The requested scope is invalid, unknown, or malformed.',
  challenge: 'The code challenge method must be S256.',
}
/** Scopes with a `:read` form. Source: https://www.freshbooks.com/api/scopes */
const SCOPE = /^user:(profile|business|journal_entries|reports|bills|clients|expenses|invoices|other_income|payments|taxes):read$/

const DESCRIPTIONS = {
  invalid_client: REFUSALS.client,
  unsupported_grant_type: 'Unsupported grant type.',
  invalid_grant: 'The provided authorization grant is invalid, expired or revoked.',
}

/** OAuth 2 server of FreshBooks: a login grants all its businesses, so none is selected. */
export function createOAuth({ faults, now }: HttpFront<FaultName>, grants: Grants, clients: Clients): OAuthServer<Login> {
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/oauth\/authorize\/?$/, token: /^\/auth\/oauth\/token$/, revoke: /^\/auth\/oauth\/revoke$/ },
    authorization: {
      source: 'FreshBooks',
      logins: LOGINS,
      form: {
        allow: { value: 'connect', label: { en: 'Authorize', fr: 'Autoriser' } },
        deny: { value: 'cancel', label: { en: 'Deny', fr: 'Refuser' } },
        choice: '',
      },
      refuse: (query) => findRefusal(query, REFUSALS, areReadable) ?? (hasParameters(query) ? REFUSALS.address : null),
      opens: ({ businessUuids }) => businessUuids.map((uuid) => findBusiness(uuid)?.name ?? uuid),
      substituteChoice: ({ login }) => ({ login: LOGINS.find(({ key }) => key === 'load') ?? login, businessId: null }),
    },
    checkClient: formClient(clients),
    down: { tokenThrottled: jsonReply(429, { message: 'API rate limit exceeded' }) },
    acceptsJson: true,
    toReply: jsonReply,
    fail: (error) => jsonReply(error === 'invalid_client' ? 401 : 400, { error, error_description: DESCRIPTIONS[error] }),
    withdraw: ({ login }) => grants.endAll((grant) => grant.login === login),
    toAnswer: (grant) => ({
      access_token: newestTokens(grant).accessToken,
      token_type: 'Bearer',
      expires_in: RULES.accessS,
      refresh_token: newestTokens(grant).refreshToken,
      scope: 'user:profile:read user:business:read user:journal_entries:read user:reports:read',
      created_at: Math.floor(now().getTime() / 1000),
      direct_buy_tokens: {},
    }),
  })
}

function areReadable(scope: string): boolean {
  return scope.split(' ').every((each) => each === '' || SCOPE.test(each))
}

/** A redirect URI with query parameters of its own is refused. */
function hasParameters(query: URLSearchParams): boolean {
  return new URL(query.get('redirect_uri') ?? '').search !== ''
}
