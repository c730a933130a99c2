import type { Faults } from '../kit/faults.ts'
import { htmlReply, jsonReply, type Reply } from '../kit/http/response.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import type { Grant } from '../kit/oauth/state.ts'
import type { FaultName } from './faults.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

export const LIFETIMES = { accessS: 7200, refreshS: 365 * 86_400, codeS: 600 }

/** POST /oauth2/token/, as a form with the app's keys in it. Null: the connection is to be dropped without an answer. */
export function requestToken(form: URLSearchParams, grants: Grants, clients: Clients, faults: Faults<FaultName>): Reply | null {
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return jsonReply(429, { detail: 'Request was throttled.' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const clientId = checkClient(form, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(401, { error: 'invalid_client' })
  if (faults.take('lapsed')) return jsonReply(403, { error: 'access_denied' })
  const grantType = form.get('grant_type')
  if (grantType === 'authorization_code') {
    const grant = grants.exchangeCode({
      clientId,
      code: form.get('code') ?? '',
      redirectUri: form.get('redirect_uri') ?? '',
      verifier: form.get('code_verifier') ?? '',
    })
    return grant ? toAnswer(grant) : jsonReply(400, { error: 'invalid_grant' })
  }
  if (grantType !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
  if (!form.get('redirect_uri')) return jsonReply(400, { error: 'invalid_request' })
  const refreshToken = form.get('refresh_token') ?? ''
  const known = grants.findByRefresh(refreshToken)
  if (known && faults.take('revoked')) grants.end(known)
  const grant = grants.refresh(clientId, refreshToken)
  if (grant && faults.take('lostRefresh')) return null
  return grant ? toAnswer(grant) : jsonReply(400, { error: 'invalid_grant' })
}

/** POST /oauth2/token-revoke/. What is no token is no failure, as RFC 7009 has it. */
export function revokeToken(form: URLSearchParams, grants: Grants, clients: Clients): Reply {
  const clientId = checkClient(form, clients)
  if (clientId === null) return jsonReply(401, { error: 'invalid_client' })
  grants.revokeToken(clientId, form.get('token') ?? '')
  return jsonReply(200, {})
}

function toAnswer(grant: Grant): Reply {
  return jsonReply(200, {
    access_token: grant.accessToken,
    expires_in: LIFETIMES.accessS,
    token_type: 'Bearer',
    scope: 'user:read business:read account:read offline_access',
    refresh_token: grant.refreshToken,
    userId: Buffer.from(`User:${grant.login}`).toString('base64'),
    ...(grant.businessId === null ? {} : { businessId: grant.businessId }),
  })
}

function checkClient(form: URLSearchParams, clients: Clients): string | null {
  const clientId = form.get('client_id')
  const secret = form.get('client_secret')
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}
