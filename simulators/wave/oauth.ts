import type { HttpFront } from '../kit/http/front.ts'
import { jsonReply } from '../kit/http/response.ts'
import { areScopes, findRefusal } from '../kit/oauth/authorize.ts'
import { type Clients, formClient } from '../kit/oauth/clients.ts'
import { type Grants, newestTokens } from '../kit/oauth/grants.ts'
import { endToken, OAuthServer } from '../kit/oauth/server.ts'
import { LOGINS, type Login } from './data/companies.ts'
import type { FaultName } from './faults.ts'

export const RULES = { codeS: 600, accessS: 7200, refreshS: () => 365 * 86_400 }

const REFUSALS = {
  client: 'invalid_request: Missing client_id parameter.',
  address: 'invalid_request: Mismatching redirect URI.',
  type: 'unsupported_response_type',
  scope: 'invalid_scope',
  challenge: 'invalid_request: Transform algorithm not supported.',
}
const isScope = areScopes(/^(?:[a-z_]+:(?:read|write|send|\*)|offline_access)$/)

/** OAuth 2 server of Wave. Source: https://developer.waveapps.com/hc/en-us/articles/360019493652-OAuth-Guide */
export function createOAuth(
  { faults }: HttpFront<FaultName>,
  grants: Grants,
  { clients, picksBusiness }: { clients: Clients; picksBusiness: boolean },
): OAuthServer<Login> {
  const choicesOf = (login: Login, recommended: string | null) => (picksBusiness ? listChoices(login, recommended) : [])
  return new OAuthServer(faults, grants, {
    paths: { authorize: /^\/oauth2\/authorize\/?$/, token: /^\/oauth2\/token\/?$/, revoke: /^\/oauth2\/token-revoke\/?$/ },
    authorization: {
      source: 'Wave',
      logins: LOGINS,
      refuse: (query) => findRefusal(query, REFUSALS, isScope),
      choices: (login, query) => choicesOf(login, query.get('businessId')),
      substituteChoice: ({ login, businessId }) => {
        const other = choicesOf(login, null).find(({ id }) => id !== businessId)
        return { login, businessId: other?.id ?? businessId }
      },
    },
    checkClient: formClient(clients),
    down: { tokenThrottled: jsonReply(429, { detail: 'Request was throttled.' }) },
    refuse: ({ fields }) => {
      if (faults.take('lapsed')) return jsonReply(403, { error: 'access_denied' })
      const lacksAddress = fields.get('grant_type') === 'refresh_token' && !fields.get('redirect_uri')
      return lacksAddress ? jsonReply(400, { error: 'invalid_request' }) : null
    },
    toAnswer: (grant) => ({
      access_token: newestTokens(grant).accessToken,
      expires_in: RULES.accessS,
      token_type: 'Bearer',
      scope: 'user:read business:read account:read offline_access',
      refresh_token: newestTokens(grant).refreshToken,
      userId: Buffer.from(`User:${grant.login}`).toString('base64'),
      ...(grant.businessId === null ? {} : { businessId: grant.businessId }),
    }),
    // An unknown token is not an error, RFC 7009 2.2.
    revoke: (token, client) => {
      if (client === null) return jsonReply(401, { error: 'invalid_client' })
      endToken(grants, client, token)
      return jsonReply(200, {})
    },
  })
}

/** The recommended business comes first. */
function listChoices(login: Login, recommended: string | null): { id: string; label: string }[] {
  return login.businesses
    .filter(({ isArchived }) => !isArchived)
    .sort((a, b) => Number(b.id === recommended) - Number(a.id === recommended))
    .map(({ id, name, place }) => ({ id, label: `${name} – ${place}` }))
}
