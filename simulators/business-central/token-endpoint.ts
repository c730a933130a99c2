import type { Faults } from '../kit/faults.ts'
import type { Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import { entraError, htmlReply, jsonReply } from './replies.ts'
import type { TokenAnswer, Tokens } from './tokens.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** POST /{tenant}/oauth2/v2.0/token. Null: the connection is to be dropped without an answer. */
export function requestToken(body: string, tokens: Tokens, clients: Clients, faults: Faults<FaultName>, now: Date): Reply | null {
  if (faults.take('tokenUnavailable')) return entraError(503, 'temporarily_unavailable', 90033, 'A transient error has occurred.', now)
  if (faults.take('tokenThrottled')) return { ...jsonReply(429, { error: 'too_many_requests' }), headers: { 'retry-after': '30' } }
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const form = new URLSearchParams(body)
  const clientId = form.get('client_id') ?? ''
  const secret = form.get('client_secret') ?? ''
  const isKnown = clients === undefined ? secret !== '' : Object.hasOwn(clients, clientId) && clients[clientId] === secret
  if (!isKnown || faults.take('invalidClient')) {
    return entraError(401, 'invalid_client', 7000215, `Invalid client secret provided for app '${clientId}'.`, now)
  }
  if (form.get('grant_type') === 'authorization_code') {
    const answer = tokens.exchangeCode(clientId, form.get('code') ?? '', form.get('redirect_uri') ?? '', form.get('code_verifier') ?? '')
    return answer ? toReply(answer) : entraError(400, 'invalid_grant', 70008, 'The provided authorization code has expired.', now)
  }
  if (form.get('grant_type') !== 'refresh_token') return entraError(400, 'unsupported_grant_type', 70003, 'Unsupported grant type.', now)
  const refreshToken = form.get('refresh_token') ?? ''
  const login = tokens.loginOfRefresh(refreshToken)
  if (login !== null && faults.take('revoked')) tokens.revokeLogin(login)
  if (login !== null && faults.take('lostRefresh') && tokens.refresh(clientId, refreshToken)) return null
  const answer = tokens.refresh(clientId, refreshToken)
  return answer ? toReply(answer) : entraError(400, 'invalid_grant', 50173, 'The provided grant has expired due to it being revoked.', now)
}

function toReply(answer: TokenAnswer): Reply {
  return jsonReply(200, answer)
}
