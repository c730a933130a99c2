import { randomBytes } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { findRefusal } from '../kit/oauth/authorize.ts'
import { type Clients, formClient } from '../kit/oauth/clients.ts'
import { type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { jsonReply } from './api/replies.ts'
import { findBusiness, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

const REFRESH_S = 2_678_400

/** A refresh token can be used once; access tokens stay valid for their five minutes. */
export const RULES: GrantRules = {
  codeS: 60,
  accessS: 300,
  refreshS: () => REFRESH_S,
  keepsAccessTokens: true,
  newCode: () => `CA/${randomBytes(24).toString('hex')}`,
  newAccessToken: ({ id }) => `eyJ${id}.${randomBytes(48).toString('base64url')}`,
  newRefreshToken: ({ id }) => `eyR${id}.${randomBytes(48).toString('base64url')}`,
}

const REFUSALS = {
  client: 'unauthorized_client: the client_id is missing',
  address: 'invalid_request: the redirect_uri is invalid',
  type: 'unsupported_response_type: it must be code',
  scope: 'invalid_scope: it must be readonly or full_access',
  challenge: 'invalid_request: use S256',
}

/**
 * OAuth 2 server of Sage: a login grants access to all its businesses, so none is selected.
 * Source: https://developer.sage.com/accounting/guides/authenticating/authentication/
 */
export function createOAuth({ faults }: HttpFront<FaultName>, grants: Grants, clients: Clients): OAuthServer<Login> {
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/oauth2\/auth\/central$/, token: /^\/token$/, revoke: /^\/revoke$/ },
    authorization: {
      source: 'Sage Accounting',
      logins: LOGINS,
      form: {
        allow: { value: 'connect', label: { en: 'Allow', fr: 'Autoriser' } },
        deny: { value: 'cancel', label: { en: 'Deny', fr: 'Refuser' } },
        choice: '',
      },
      language: (query, acceptLanguage) => query.get('locale') ?? acceptLanguage,
      refuse: (query) => findRefusal(query, REFUSALS, () => ['readonly', 'full_access', null].includes(query.get('scope'))),
      opens: ({ businessIds }) => businessIds.map((id) => findBusiness(id)?.name ?? id),
      substituteChoice: ({ login }) => ({ login: LOGINS.find(({ key }) => key === 'load') ?? login, businessId: null }),
      callback: () => ({ country: 'CA' }),
    },
    checkClient: formClient(clients),
    down: { tokenThrottled: jsonReply(429, { message: 'Too Many Requests' }) },
    toReply: jsonReply,
    refuse: ({ call }) => {
      const isForm = call.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
      return isForm ? null : jsonReply(400, { error: 'invalid_request' })
    },
    withdraw: ({ login }) => grants.endAll((grant) => grant.login === login),
    toAnswer: (grant) => ({
      access_token: newestTokens(grant).accessToken,
      scope: 'readonly',
      token_type: 'bearer',
      expires_in: RULES.accessS,
      refresh_token: newestTokens(grant).refreshToken,
      refresh_token_expires_in: REFRESH_S,
      requested_by_id: `${grant.id.slice(0, 8)}-41ba-483f-a3ff-49fdb57b9c38`,
    }),
    // Access tokens cannot be revoked and stay valid.
    revoke: (token, client) => {
      if (client === null) return jsonReply(401, { error: 'invalid_client' })
      const grant = grants.findByRefresh(token)
      if (grant?.clientId !== client.id) return jsonReply(400, { error: 'invalid_grant' })
      grants.dropRefreshTokens(grant)
      return jsonReply(200, { success: 'ok' })
    },
  })
}
