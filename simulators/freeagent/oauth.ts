import type { HttpFront } from '../kit/http/front.ts'
import { textReply } from '../kit/http/response.ts'
import { findRefusal } from '../kit/oauth/authorize.ts'
import { basicClient, type Clients } from '../kit/oauth/clients.ts'
import type { ConsentLogin } from '../kit/oauth/consent-page.ts'
import { type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { OAuthServer } from '../kit/oauth/server.ts'
import { getCompany, LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

const REFRESH_S = 631_139_040
/** A code expires after 15 minutes, an access token after an hour, a refresh token after about 20 years. */
export const RULES = { codeS: 900, accessS: 3600, refreshS: () => REFRESH_S }

const REFUSALS = {
  client: 'Invalid OAuth Request: client_id is missing.',
  address: 'Invalid OAuth Request: redirect_uri mismatch.',
  type: 'Invalid OAuth Request: response_type must be "code".',
  scope: '',
}

/**
 * OAuth 2 server of FreeAgent; a login belongs to one company, so there is nothing to select.
 * Source: https://dev.freeagent.com/docs/oauth
 */
export function createOAuth(
  { faults }: HttpFront<FaultName>,
  grants: Grants,
  { clients, isOver }: { clients: Clients; isOver(clientId: string): boolean },
): OAuthServer<ConsentLogin> {
  const [first, ...others] = LOGINS
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/v2\/approve_app$/, token: /^\/v2\/token_endpoint$/ },
    authorization: {
      source: 'FreeAgent',
      logins: [withCompany(first), ...others.map(withCompany)],
      refuse: (query) => findRefusal(query, REFUSALS, () => true),
      substituteChoice: ({ login }) => ({ login: LOGINS.find(({ key }) => key !== login.key) ?? login, businessId: null }),
    },
    checkClient: basicClient(clients),
    down: { tokenThrottled: textReply(429, 'Rate limit exceeded', { 'retry-after': '45' }) },
    refuse: ({ fields, client }) => {
      const isTooMany = fields.get('grant_type') === 'refresh_token' && isOver(client.id)
      return isTooMany ? textReply(429, 'Rate limit exceeded', { 'retry-after': '60' }) : null
    },
    toAnswer: (grant) => ({
      access_token: newestTokens(grant).accessToken,
      token_type: 'bearer',
      expires_in: RULES.accessS,
      refresh_token: newestTokens(grant).refreshToken,
      refresh_token_expires_in: REFRESH_S,
    }),
  })
}

/** The login as shown on the consent page. */
function withCompany(login: Login): ConsentLogin {
  return { ...login, email: login.companyId === null ? login.email : `${login.email}, ${getCompany(login.companyId).name}` }
}
