import { randomBytes } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { findRefusal } from '../kit/oauth/authorize.ts'
import { type Clients, formClient } from '../kit/oauth/clients.ts'
import { type GrantRules, type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { entraError, jsonReply } from './api/replies.ts'
import { ENVIRONMENTS, findCompany, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/** Entra chooses a lifetime between 60 and 90 minutes. */
const ACCESS_S = 4_500

/**
 * Refresh tokens rotate, and a refresh leaves the earlier ones valid.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens
 */
export const RULES: GrantRules = {
  codeS: 600,
  accessS: ACCESS_S,
  refreshS: () => 90 * 86_400,
  graceS: 90 * 86_400,
  maxRefreshTokens: 20,
  keepsAccessTokens: true,
  newCode: () => `1.AX${randomBytes(24).toString('base64url')}`,
  newAccessToken: ({ id }) => `eyJ${id}.${randomBytes(32).toString('base64url')}`,
  newRefreshToken: ({ id }) => `1.AR${id}.${randomBytes(40).toString('base64url')}`,
}

const REFUSALS = {
  client: 'AADSTS900144: The request must contain the parameter client_id.',
  address: 'AADSTS50011: The redirect URI does not match those of the application.',
  type: 'AADSTS900144: The request must contain the parameter response_type.',
  scope: 'AADSTS70011: The provided scope is not valid.',
  challenge: 'AADSTS501491: Invalid code_challenge_method.',
}
const NO_STATE = 'AADSTS900144: The request must contain the parameter state.'

/**
 * OAuth 2 server of Microsoft Entra.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow
 */
export function createOAuth({ faults, now }: HttpFront<FaultName>, grants: Grants, clients: Clients): OAuthServer<Login> {
  const fail = (status: number, error: string, code: number, text: string) => entraError(status, error, code, text, now())
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/[^/]+\/oauth2\/v2\.0\/authorize$/, token: /^\/[^/]+\/oauth2\/v2\.0\/token$/ },
    authorization: {
      source: 'Business Central',
      logins: LOGINS,
      form: {
        allow: { value: 'connect', label: { en: 'Accept', fr: 'Accepter' } },
        deny: { value: 'cancel', label: { en: 'Cancel', fr: 'Annuler' } },
        choice: '',
      },
      refuse: (query) => findRefusal(query, REFUSALS, isScope) ?? (query.get('state') ? null : NO_STATE),
      opens: listCompanies,
      substituteChoice: ({ login }) => ({ login: LOGINS.find(({ key }) => key !== login.key) ?? login, businessId: null }),
      callback: () => ({ session_state: '0b5a9d3e-7c14-4e11-8f6e-6045bd9dec5b' }),
      denied: { error_description: 'AADSTS65004: User declined to consent to access the app.' },
    },
    checkClient: formClient(clients),
    get down() {
      return {
        tokenUnavailable: fail(503, 'temporarily_unavailable', 90033, 'A transient error has occurred.'),
        tokenThrottled: jsonReply(429, { error: 'too_many_requests' }, { 'retry-after': '30' }),
      }
    },
    toReply: jsonReply,
    fail: (error, { grantType, fields }) => {
      if (error === 'invalid_client')
        return fail(401, error, 7000215, `Invalid client secret provided for app '${fields.get('client_id') ?? ''}'.`)
      if (error === 'unsupported_grant_type') return fail(400, error, 70003, 'Unsupported grant type.')
      if (grantType === 'authorization_code') return fail(400, error, 70008, 'The provided authorization code has expired.')
      return fail(400, error, 50173, 'The provided grant has expired due to it being revoked.')
    },
    withdraw: ({ login }) => grants.endAll((grant) => grant.login === login),
    toAnswer: (grant) => ({
      token_type: 'Bearer',
      scope: 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All',
      expires_in: ACCESS_S,
      ext_expires_in: ACCESS_S,
      access_token: newestTokens(grant).accessToken,
      refresh_token: newestTokens(grant).refreshToken,
    }),
  })
}

function isScope(scope: string): boolean {
  return /\/(Financials\.ReadWrite\.All|\.default)(\s|$)/.test(scope)
}

/** Names of the companies, each with its environment. */
function listCompanies({ tenantId, closed }: Login): string[] {
  const open = ENVIRONMENTS.filter((environment) => environment.tenantId === tenantId && !closed.includes(environment.name))
  return open.flatMap(({ companyIds, name }) => companyIds.map((id) => `${findCompany(id)?.name ?? id} (${name})`))
}
