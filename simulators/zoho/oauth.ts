import { randomBytes } from 'node:crypto'
import type { Call, HttpFront } from '../kit/http/front.ts'
import { jsonReply } from '../kit/http/response.ts'
import { areScopes, findRefusal } from '../kit/oauth/authorize.ts'
import type { ClientCheck, Clients } from '../kit/oauth/clients.ts'
import { type Grant, type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/**
 * Maximum number of refresh tokens per user and app; one more ends the oldest.
 * Source: https://www.zoho.com/books/api/v3/oauth/
 */
const MOST_GRANTS = 20
/** Maximum number of access tokens per refresh token within the window. */
const MOST_ACCESS = 10
const WINDOW_MS = 10 * 60_000
const ACCESS_S = 3600

/** Refresh tokens do not rotate. */
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
  onNewGrant: (before, grants) => {
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

/** Data centres of users. */
export interface DataCentres {
  /** Public address of the user's data centre, for sign-in and API. */
  addressOf(loginKey: string): string
  /** Whether a request was sent to the user's data centre. */
  isAtHome(call: Call, grant: Grant): boolean
}

/**
 * OAuth 2 server of Zoho: no organization is selected, the callback names the user's data centre, and errors have
 * status 200.
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
    // POST /oauth/v2/token/revoke?token=, without client credentials.
    revoke: (_token, _client, call) => {
      const grant = grants.findByRefresh(call.query.get('token') ?? '')
      if (grant) grants.end(grant)
      return jsonReply(200, grant ? { status: 'success' } : { error: 'invalid_code' })
    },
  })
}

/** Null if the client credentials are valid. */
function findClientFault(clients: Clients, fields: ReadonlyMap<string, string>): 'invalid_client' | 'invalid_client_secret' | null {
  const [id = '', secret = ''] = [fields.get('client_id'), fields.get('client_secret')]
  if (id === '' || (clients !== undefined && !Object.hasOwn(clients, id))) return 'invalid_client'
  return secret === '' || (clients !== undefined && clients[id] !== secret) ? 'invalid_client_secret' : null
}

function newToken(): string {
  return `1000.${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`
}
