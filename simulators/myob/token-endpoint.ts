import type { Faults } from '../kit/faults.ts'
import { htmlReply, jsonReply, type Reply } from '../kit/http/response.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import type { Grant } from '../kit/oauth/state.ts'
import type { FaultName } from './faults.ts'
import { getLogin } from './files.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** 20 minutes, a week, and ten minutes for a code. */
export const LIFETIMES = { accessS: 1200, refreshS: 7 * 86_400, codeS: 600 }

/** POST /oauth2/v1/authorize, as a form with the app's keys in it. Null: the connection is to be dropped without an answer. */
export function requestToken(form: URLSearchParams, grants: Grants, clients: Clients, faults: Faults<FaultName>): Reply | null {
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return jsonReply(429, { error: 'too_many_requests' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const clientId = checkClient(form, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(400, { error: 'invalid_client' })
  const grantType = form.get('grant_type')
  if (grantType === 'authorization_code') {
    const code = form.get('code') ?? ''
    const grant = grants.exchangeCode({ clientId, code, redirectUri: form.get('redirect_uri') ?? '', verifier: '' })
    return grant ? toAnswer(grant) : jsonReply(400, { error: 'invalid_grant' })
  }
  if (grantType !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
  const refreshToken = form.get('refresh_token') ?? ''
  const known = grants.findByRefresh(refreshToken)
  if (known && faults.take('revoked')) grants.end(known)
  const grant = grants.refresh(clientId, refreshToken)
  if (grant && faults.take('lostRefresh')) return null
  return grant ? toAnswer(grant) : jsonReply(400, { error: 'invalid_grant' })
}

/** `expires_in` is text. */
function toAnswer(grant: Grant): Reply {
  return jsonReply(200, {
    access_token: grant.accessToken,
    token_type: 'bearer',
    expires_in: String(LIFETIMES.accessS),
    refresh_token: grant.refreshToken,
    scope: 'sme-company-file sme-general-ledger',
    user: { uid: grant.id, username: getLogin(grant.login).email },
  })
}

function checkClient(form: URLSearchParams, clients: Clients): string | null {
  const clientId = form.get('client_id')
  const secret = form.get('client_secret')
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}
