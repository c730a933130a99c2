import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { emptyReply, jsonReply, textReply } from '../kit/http/response.ts'
import { areScopes, findRefusal } from '../kit/oauth/authorize.ts'
import { anyClient, type Clients } from '../kit/oauth/clients.ts'
import { type Grant, type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import type { Connections } from './api/connections.ts'
import { type Identity, ISSUER, subjectOf } from './api/identity.ts'
import { LOGINS, type Login, ORGANISATIONS } from './data/companies.ts'
import type { FaultName } from './faults.ts'

const ACCESS_S = 1800

/**
 * A replaced refresh token works for another half an hour and returns the current one again.
 * Source: https://developer.xero.com/faq/oauth2
 */
export const RULES: GrantRules = {
  codeS: 300,
  accessS: ACCESS_S,
  refreshS: () => 60 * 86_400,
  graceS: 1800,
  rotates: (grant, used) => used === grant.refreshTokens.at(-1),
  keepsAccessTokens: true,
  newCode: () => randomBytes(32).toString('base64url'),
  newAccessToken: toJwt,
  newRefreshToken: () => randomBytes(32).toString('base64url'),
}

const REFUSALS = {
  client: 'unauthorized_client: Unknown client or client not enabled',
  address: 'unauthorized_client: Invalid redirect_uri',
  type: 'unsupported_response_type',
  scope: 'invalid_scope',
  challenge: 'invalid_request: Transform algorithm not supported',
}
/** Granular scopes, OpenID scopes, and the broad scopes that are still in use. */
const isScope = areScopes(/^(openid|profile|email|offline_access|accounting(\.[a-z]+)+|files(\.read)?|assets(\.read)?|projects(\.read)?)$/)
const JOURNALS_SCOPE = 'accounting.journals.read'

/**
 * OAuth 2 server of Xero: one authorization connects one organisation; a user without any continues with none.
 * Source: https://developer.xero.com/documentation/guides/oauth2/auth-flow/
 */
export function createOAuth(
  { faults }: HttpFront<FaultName>,
  grants: Grants,
  parts: { clients: Clients; connections: Connections; identity: Identity; hasJournals: boolean },
): OAuthServer<Login> {
  const { connections, identity } = parts
  const mayAsk = (scope: string) => isScope(scope) && (parts.hasJournals || !scope.split(' ').includes(JOURNALS_SCOPE))
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/identity\/connect\/authorize$/, token: /^\/connect\/token$/, revoke: /^\/connect\/revocation$/ },
    authorization: {
      source: 'Xero',
      logins: LOGINS,
      refuse: (query) => findRefusal(query, REFUSALS, mayAsk),
      choices: ({ tenantIds }) => {
        const own = ORGANISATIONS.filter(({ tenantId }) => tenantIds.includes(tenantId))
        return own.map(({ tenantId, name, place }) => ({ id: tenantId, label: `${name} – ${place}` }))
      },
      substituteChoice: ({ login, businessId }) => {
        const other = ORGANISATIONS.find(({ tenantId }) => tenantId !== businessId)
        return { login, businessId: businessId === null ? null : (other?.tenantId ?? null) }
      },
      notes: () => ({ authEventId: randomUUID() }),
      onAllow: ({ login, businessId }, { authEventId = '' }, query) => {
        if (businessId !== null) connections.connect(query.get('client_id') ?? '', login.key, businessId, authEventId)
      },
      callback: (_chosen, query) => ({ scope: query.get('scope') ?? '', session_state: 'simulated' }),
    },
    checkClient: anyClient(parts.clients),
    down: {
      tokenUnavailable: textReply(503, 'The service is unavailable.'),
      tokenThrottled: textReply(429, '', { 'retry-after': '30' }),
    },
    fail: (error) => jsonReply(400, { error }),
    toAnswer: (grant, type) => {
      const { accessToken, refreshToken } = newestTokens(grant)
      const isOpenId = type === 'authorization_code' && grant.scope.split(' ').includes('openid')
      return {
        access_token: accessToken,
        expires_in: ACCESS_S,
        token_type: 'Bearer',
        refresh_token: refreshToken,
        scope: grant.scope,
        ...(isOpenId ? { id_token: identity.toIdToken(grant, accessToken) } : {}),
      }
    },
    // An unknown token is not an error, RFC 7009 2.2. Revocation ends everything that the user allowed the app, for
    // every organisation.
    revoke: (token, client) => {
      if (client === null) return jsonReply(400, { error: 'invalid_client' })
      const ended = grants.findByRefresh(token)
      const isTheirs = ({ login, clientId }: { login: string; clientId: string }) => login === ended?.login && clientId === ended.clientId
      grants.endAll(isTheirs)
      if (ended) connections.remove(isTheirs)
      return emptyReply(200)
    },
  })
}

/** In the format of Xero's access tokens; the signature is a placeholder. */
function toJwt(grant: Grant, nowMs: number): string {
  const nowS = Math.floor(nowMs / 1000)
  const claims = {
    nbf: nowS,
    exp: nowS + ACCESS_S,
    iss: ISSUER,
    aud: `${ISSUER}/resources`,
    client_id: grant.clientId,
    sub: subjectOf(grant.login),
    authentication_event_id: grant.notes.authEventId,
    scope: grant.scope.split(' '),
    jti: randomBytes(16).toString('hex'),
  }
  const parts = [{ alg: 'RS256', kid: 'simulator', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return [...parts, randomBytes(64).toString('base64url')].join('.')
}
