import type { HttpFront } from '../kit/http/front.ts'
import { jsonReply } from '../kit/http/response.ts'
import { areScopes, findRefusal } from '../kit/oauth/authorize.ts'
import { type Clients, formClient } from '../kit/oauth/clients.ts'
import { type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { getLogin, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

/** Access tokens 20 minutes, refresh tokens a week, codes ten minutes. */
export const RULES = { codeS: 600, accessS: 1200, refreshS: () => 7 * 86_400 }

const REFUSALS = {
  client: 'The client_id is missing.',
  address: 'The redirect_uri does not match the one that was registered.',
  type: 'The response_type must be "code".',
  scope: 'The scope is not known.',
}
const isScope = areScopes(/^(?:sme-[a-z-]+|offline_access|openid|email|profile)$/)

/**
 * OAuth 2 server of MYOB; the selected business is returned as `businessId`.
 * Source: https://apisupport.myob.com/hc/en-us/articles/360001459455
 */
export function createOAuth(
  { faults }: HttpFront<FaultName>,
  grants: Grants,
  { clients, picksBusiness }: { clients: Clients; picksBusiness: boolean },
): OAuthServer<Login> {
  const choicesOf = (login: Login) => (picksBusiness ? login.files.map(({ id, name }) => ({ id, label: name })) : [])
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/oauth2\/account\/authorize\/?$/, token: /^\/oauth2\/v1\/authorize\/?$/ },
    authorization: {
      source: 'MYOB',
      logins: LOGINS,
      refuse: (query) => findRefusal(query, REFUSALS, isScope),
      choices: choicesOf,
      substituteChoice: ({ login, businessId }) => {
        const other = choicesOf(login).find(({ id }) => id !== businessId)
        return { login, businessId: other?.id ?? businessId }
      },
      callback: ({ businessId }) => (businessId === null ? {} : { businessId }),
    },
    checkClient: formClient(clients),
    down: { tokenThrottled: jsonReply(429, { error: 'too_many_requests' }) },
    fail: (error) => jsonReply(400, { error }),
    // `expires_in` is a string.
    toAnswer: (grant) => ({
      access_token: newestTokens(grant).accessToken,
      token_type: 'bearer',
      expires_in: String(RULES.accessS),
      refresh_token: newestTokens(grant).refreshToken,
      scope: 'sme-company-file sme-general-ledger',
      user: { uid: grant.id, username: getLogin(grant.login).email },
    }),
  })
}
