import { randomBytes } from 'node:crypto'
import type { Call, HttpFront } from '../kit/http/front.ts'
import { htmlReply, jsonReply } from '../kit/http/response.ts'
import { areScopes, findRefusal } from '../kit/oauth/authorize.ts'
import type { ClientCheck, Clients } from '../kit/oauth/clients.ts'
import { type Grant, type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/** A person has this many refresh tokens for an app; one more ends the oldest. Source: https://www.zoho.com/books/api/v3/oauth/ */
const MOST_GRANTS = 20
/** This many access tokens are given for a refresh token within the window. */
const MOST_ACCESS = 10
const WINDOW_MS = 10 * 60_000
const ACCESS_S = 3600

/** Refresh tokens stay as they are. */
export const RULES: GrantRules = {
  codeS: 120,
  accessS: ACCESS_S,
  refreshS: () => 1e9,
  hasRefreshToken: ({ notes }) => notes.access === 'offline',
  rotates: () => false,
  keepsAccessTokens: true,
  newCode: newToken,
  newAccessToken: newToken,
  newRefreshToken: newToken,
  atNewGrant: (before, grants) => {
    if (before.length >= MOST_GRANTS && before[0]) grants.end(before[0])
  },
}

const REFUSALS = {
  client: 'Invalid Client: Client ID passed does not exist',
  address: 'Invalid Redirect Uri',
  type: 'Invalid response type',
  scope: 'Invalid OAuth Scope: Scope does not exist',
}
const isScope = areScopes(/^ZohoBooks\.[a-z]+\.(CREATE|READ|UPDATE|DELETE|ALL)$/, ',')

const TOO_MANY = {
  error_description: 'You have made too many requests continuously. Please try again after some time.',
  error: 'Access Denied',
  status: 'failure',
}

/** Where the data of persons lies. */
export interface DataCentres {
  /** Public address of the person's data centre, for sign-in and API. */
  addressOf(loginKey: string): string
  /** Whether a request came to the data centre of the person. */
  isAtHome(call: Call, grant: Grant): boolean
}

/**
 * Zoho's OAuth 2: no organization is chosen, the callback says where the person lives, and refusals have status 200.
 * Source: https://www.zoho.com/accounts/protocol/oauth/multi-dc.html
 */
export function createOAuth(
  { faults, now }: HttpFront<FaultName>,
  grants: Grants,
  { clients, centres }: { clients: Clients; centres: DataCentres },
): OAuthServer<Login> {
  const checkClient: ClientCheck = (_call, fields) =>
    findClientFault(clients, fields) === null ? { id: fields.get('client_id') ?? '', isPublic: false } : null
  const isTooMany = (refreshToken: string) => {
    const given = grants.findByRefresh(refreshToken)?.accessTokens ?? []
    return given.filter(({ issuedAt }) => issuedAt > now().getTime() - WINDOW_MS).length >= MOST_ACCESS
  }
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/oauth\/v2\/auth$/, token: /^\/oauth\/v2\/token$/, revoke: /^\/oauth\/v2\/token\/revoke$/ },
    authorization: {
      source: 'Zoho Books',
      logins: LOGINS,
      refuse: (query) => findRefusal(query, REFUSALS, isScope),
      notes: (query) => ({ access: query.get('prompt') === 'consent' ? (query.get('access_type') ?? '') : '' }),
      callback: ({ login }) => ({ location: login.location, 'accounts-server': centres.addressOf(login.key) }),
    },
    checkClient,
    down: {
      tokenUnavailable: jsonReply(503, { error: 'general_error' }),
      tokenThrottled: jsonReply(400, TOO_MANY),
      tokenHtml: htmlReply(200, '<html><body>Maintenance</body></html>'),
    },
    fail: (error, { fields }) => {
      const invalidClient = findClientFault(clients, fields) ?? 'invalid_client'
      const words = { invalid_client: invalidClient, invalid_grant: 'invalid_code', unsupported_grant_type: error }
      return jsonReply(200, { error: words[error] })
    },
    refuse: ({ fields }) => {
      const isRefresh = fields.get('grant_type') === 'refresh_token'
      return isRefresh && isTooMany(fields.get('refresh_token') ?? '') ? jsonReply(400, TOO_MANY) : null
    },
    toAnswer: (grant, type, { call }) => {
      const { accessToken, refreshToken } = newestTokens(grant)
      if (!centres.isAtHome(call, grant)) return null
      return {
        access_token: accessToken,
        ...(type === 'refresh_token' || refreshToken === '' ? {} : { refresh_token: refreshToken }),
        scope: grant.scope.replaceAll(',', ' '),
        api_domain: centres.addressOf(grant.login),
        token_type: 'Bearer',
        expires_in: ACCESS_S,
      }
    },
    // POST /oauth/v2/token/revoke?token=, without the app's keys.
    revoke: (_token, _client, call) => {
      const grant = grants.findByRefresh(call.query.get('token') ?? '')
      if (grant) grants.end(grant)
      return jsonReply(200, grant ? { status: 'success' } : { error: 'invalid_code' })
    },
  })
}

/** Null when the keys are good. */
function findClientFault(clients: Clients, fields: ReadonlyMap<string, string>): 'invalid_client' | 'invalid_client_secret' | null {
  const [id = '', secret = ''] = [fields.get('client_id'), fields.get('client_secret')]
  if (id === '' || (clients !== undefined && !Object.hasOwn(clients, id))) return 'invalid_client'
  return secret === '' || (clients !== undefined && clients[id] !== secret) ? 'invalid_client_secret' : null
}

function newToken(): string {
  return `1000.${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`
}
