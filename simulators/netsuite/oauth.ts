import { randomBytes } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { isWebAddress } from '../kit/http/request.ts'
import { htmlReply } from '../kit/http/response.ts'
import { basicPair, type Client, type ClientCheck } from '../kit/oauth/clients.ts'
import { type Grant, type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { accountOfRole, COMPANIES, findCompany, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/**
 * Client ids with their secrets, null for a public client; undefined accepts any id, as a public client if it has no
 * secret.
 */
export type Clients = Readonly<Record<string, string | null>> | undefined

/** Settings of an integration record for public clients: lifetime of one refresh token, and of a chain of them. */
export interface PublicClientLimits {
  refreshHours: number
  chainHours: number
}

const ACCESS_S = 3600
/** Lifetime for clients with a secret; not renewed. */
const REFRESH_S = 7 * 86_400

/** Only public clients get a new refresh token with each refresh. */
export function rulesFor(limits: PublicClientLimits): GrantRules {
  return {
    codeS: 600,
    accessS: ACCESS_S,
    refreshS: ({ isPublic }) => (isPublic ? limits.refreshHours * 3600 : REFRESH_S),
    grantS: ({ isPublic }) => (isPublic ? limits.chainHours * 3600 : REFRESH_S),
    rotates: ({ isPublic }) => isPublic,
    keepsAccessTokens: true,
    newCode: () => randomBytes(32).toString('hex'),
    newAccessToken: (grant, nowMs) => toJwt(grant, 'a', nowMs),
    newRefreshToken: (grant, nowMs) => toJwt(grant, 'r', nowMs),
  }
}

/**
 * OAuth 2 server of NetSuite; the user selects a role. An unknown app or redirect URI is shown on a page, any other
 * error is returned to the app.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/subsect_161252455245.html
 */
export function createOAuth({ faults }: HttpFront<FaultName>, grants: Grants, clients: Clients): OAuthServer<Login> {
  const checkClient: ClientCheck = ({ headers }, fields) => findClient(headers.authorization, fields.get('client_id') ?? '', clients)
  const oauthReply = (status: number, body: object) => ({ status, type: 'application/json', body: JSON.stringify(body) })
  return new OAuthServer(faults, grants, {
    paths: {
      authorize: /^\/app\/login\/oauth2\/authorize\.nl$/,
      token: /^\/services\/rest\/auth\/oauth2\/v1\/token$/,
      revoke: /^\/services\/rest\/auth\/oauth2\/v1\/revoke$/,
    },
    authorization: {
      source: 'NetSuite',
      logins: LOGINS,
      form: {
        allow: { value: 'connect', label: { en: 'Allow', fr: 'Autoriser' } },
        deny: { value: 'cancel', label: { en: 'Deny', fr: 'Refuser' } },
        choice: 'role',
      },
      refuse: (query) => {
        if (!query.get('client_id')) return 'Unknown integration: the client_id is missing.'
        return isWebAddress(query.get('redirect_uri') ?? '') ? null : 'The redirect_uri is not one of the integration record.'
      },
      findCallbackError,
      choices: ({ roles }) => roles.map(({ key, name }) => ({ id: key, label: toLabel(key, name) })),
      callback: ({ businessId }) => {
        const accountId = accountOfRole(businessId ?? '')
        const other = COMPANIES.find((company) => company.accountId !== accountId)?.accountId ?? accountId
        return { role: '1017', entity: '42', company: faults.take('wrongEntity') ? other : accountId }
      },
    },
    checkClient,
    down: {
      tokenThrottled: oauthReply(429, { error: 'too_many_requests' }),
      tokenHtml: htmlReply(200, '<html><body>Scheduled maintenance</body></html>'),
    },
    toReply: oauthReply,
    withdraw: ({ businessId }) => {
      const accountId = accountOfRole(businessId ?? '')
      grants.endAll((grant) => accountOfRole(grant.businessId ?? '') === accountId)
    },
    // Seconds as a string; a client with a secret keeps its refresh token.
    toAnswer: (grant, type) => ({
      access_token: newestTokens(grant).accessToken,
      expires_in: String(ACCESS_S),
      token_type: 'bearer',
      ...(type === 'authorization_code' || grant.isPublic ? { refresh_token: newestTokens(grant).refreshToken } : {}),
    }),
    revoke: (token, client) => {
      if (client === null) return oauthReply(401, { error: 'invalid_client' })
      const grant = grants.findByRefresh(token)
      if (grant?.clientId !== client.id) return oauthReply(400, { error: 'invalid_grant' })
      grants.end(grant)
      return oauthReply(200, {})
    },
  })
}

/** The state must have 22 to 1,024 printable characters. */
function findCallbackError(query: URLSearchParams): string | null {
  if (query.get('response_type') !== 'code') return 'unsupported_response_type'
  if (!/^[\x20-\x7e]{22,1024}$/.test(query.get('state') ?? '')) return 'invalid_request'
  const scopes = (query.get('scope') ?? '').split(' ')
  if (scopes.some((scope) => !['rest_webservices', 'restlets', 'suite_analytics'].includes(scope))) return 'invalid_scope'
  return query.get('code_challenge') && query.get('code_challenge_method') !== 'S256' ? 'invalid_request' : null
}

function toLabel(roleKey: string, roleName: string): string {
  const accountId = accountOfRole(roleKey)
  return `${findCompany(accountId)?.name ?? accountId} – ${roleName} (${accountId})`
}

/** A client with a secret uses Basic, a public one names itself in the form; neither may use the other way. */
function findClient(authorization: string | undefined, formId: string, clients: Clients): Client | null {
  const pair = basicPair(authorization)
  const [id, secret] = pair ?? [formId, null]
  const isKnown = clients === undefined || (Object.hasOwn(clients, id) && clients[id] === secret)
  return isKnown && id !== '' && secret !== '' ? { id, isPublic: pair === null } : null
}

/**
 * In the format of NetSuite's tokens: `aud` holds the application with the account, and the client. The signature is a
 * placeholder.
 */
function toJwt({ id, businessId, clientId }: Grant, kind: 'a' | 'r', nowMs: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const payload = {
    sub: '1017;42',
    aud: [`1A111AA1-AA11-1A11-1111-A1A1111111A1;${accountOfRole(businessId ?? '')}`, clientId],
    scope: ['rest_webservices'],
    iss: 'https://system.netsuite.com',
    iat: Math.floor(nowMs / 1000),
    jti: `${id}.${kind}.${randomBytes(12).toString('hex')}`,
  }
  return `${encode({ kid: 's.SYSTEM.2026_1', typ: 'JWT', alg: 'PS256' })}.${encode(payload)}.${randomBytes(32).toString('base64url')}`
}
