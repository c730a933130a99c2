import { randomBytes } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { findRefusal } from '../kit/oauth/authorize.ts'
import { basicClient, type Clients } from '../kit/oauth/clients.ts'
import { type Grant, type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { jsonReply } from './api/replies.ts'
import { COMPANIES, type Company, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/**
 * Rolling: each refresh restarts it.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/faq
 */
const REFRESH_S = 8_726_400
const HARD_CAP_S = 5 * 365 * 86_400
/** A refresh token is replaced at this age; the old value is refused from then on. */
const ROTATION_MS = 24 * 3_600_000

export const RULES: GrantRules = {
  codeS: 600,
  accessS: 3600,
  refreshS: () => REFRESH_S,
  grantS: () => HARD_CAP_S,
  rotates: (_grant, used, { nowMs, isLost }) => isLost || nowMs - used.issuedAt >= ROTATION_MS,
  restartsLifetime: true,
  keepsAccessTokens: true,
  newCode: () => `XAB1${randomBytes(20).toString('hex')}`,
  newAccessToken: ({ id }) => `eyJ${id}.${randomBytes(32).toString('base64url')}`,
  newRefreshToken: ({ id }) => `RT1-${id}-${randomBytes(20).toString('hex')}`,
}

const SCOPE = 'com.intuit.quickbooks.accounting'
const REFUSALS = {
  client: 'The client_id query parameter value is missing.',
  address: 'The redirect_uri query parameter value is invalid.',
  type: 'The response_type query parameter must be "code".',
  scope: 'The scope query parameter is missing or invalid.',
}
const NO_STATE = 'The state query parameter value is missing.'

/**
 * OAuth 2 server of Intuit; the company is selected on its page.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
export function createOAuth({ faults, now }: HttpFront<FaultName>, grants: Grants, clients: Clients): OAuthServer<Login> {
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/connect\/oauth2$/, token: /^\/oauth2\/v1\/tokens\/bearer$/, revoke: /^\/v2\/oauth2\/tokens\/revoke$/ },
    authorization: {
      source: 'QuickBooks',
      logins: LOGINS,
      form: {
        allow: { value: 'connect', label: { en: 'Connect', fr: 'Connecter' } },
        deny: { value: 'cancel', label: { en: 'Cancel', fr: 'Annuler' } },
        choice: 'realmId',
      },
      refuse: (query) =>
        findRefusal(query, REFUSALS, (scope) => scope.split(' ').includes(SCOPE)) ?? (query.get('state') ? null : NO_STATE),
      choices: ({ realmIds }) => COMPANIES.filter(({ realmId }) => realmIds.includes(realmId)).map(toChoice),
      substituteChoice: ({ login, businessId }) => {
        const other = COMPANIES.find(({ realmId }) => realmId !== businessId)
        return { login, businessId: other?.realmId ?? businessId }
      },
      callback: ({ businessId }) => ({ realmId: businessId ?? '' }),
    },
    checkClient: basicClient(clients),
    down: { tokenThrottled: jsonReply(429, { error: 'too_many_requests' }) },
    acceptsJson: true,
    toReply: jsonReply,
    fail: (error, { grantType }) => {
      const description = { authorization_code: 'Invalid authorization code', refresh_token: 'Incorrect or invalid refresh token' }[
        grantType
      ]
      const about = error === 'invalid_grant' ? { error_description: description ?? 'Invalid token' } : {}
      return jsonReply(error === 'invalid_client' ? 401 : 400, { error, ...about })
    },
    withdraw: ({ businessId }) => grants.endAll((grant) => grant.businessId === businessId),
    // The hard expiry of a refresh token is returned only on request. Source: https://github.com/intuit/oauth-jsclient
    toAnswer: (grant, _type, { call }) => toAnswer(grant, now(), call.headers['x-include-refresh-token-hard-expires-in'] === 'true'),
  })
}

function toAnswer(grant: Grant, now: Date, wantsHardCap: boolean): object {
  const { accessToken, refreshToken, refreshExpiresAt } = newestTokens(grant)
  const secondsTo = (at: number) => Math.floor((at - now.getTime()) / 1000)
  return {
    token_type: 'bearer',
    access_token: accessToken,
    expires_in: RULES.accessS,
    refresh_token: refreshToken,
    x_refresh_token_expires_in: secondsTo(refreshExpiresAt),
    ...(wantsHardCap ? { x_refresh_token_hard_expires_in: secondsTo(grant.endsAt) } : {}),
  }
}

function toChoice({ realmId, name, address }: Company): { id: string; label: string } {
  return { id: realmId, label: `${name} – ${address.City}, ${address.CountrySubDivisionCode}` }
}
