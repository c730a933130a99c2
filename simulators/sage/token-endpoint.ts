import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import type { Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import { htmlReply, jsonReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** POST /token, a form. Null: the connection is to be dropped without an answer. */
export function requestToken(
  request: IncomingMessage,
  body: string,
  tokens: Tokens,
  clients: Clients,
  faults: Faults<FaultName>,
): Reply | null {
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return jsonReply(429, { message: 'Too Many Requests' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  if (!isForm(request)) return jsonReply(400, { error: 'invalid_request' })
  const form = new URLSearchParams(body)
  const clientId = checkClient(form, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(401, { error: 'invalid_client' })
  const grantType = form.get('grant_type')
  if (grantType === 'authorization_code') {
    const answer = tokens.exchangeCode(clientId, form.get('code') ?? '', form.get('redirect_uri') ?? '', form.get('code_verifier') ?? '')
    return jsonReply(answer ? 200 : 400, answer ?? { error: 'invalid_grant' })
  }
  if (grantType !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
  const refreshToken = form.get('refresh_token') ?? ''
  const login = tokens.loginOfRefresh(refreshToken)
  if (login !== null && faults.take('revoked')) tokens.revokeLogin(login)
  const answer = tokens.refresh(clientId, refreshToken)
  if (answer && faults.take('lostRefresh')) return null
  return jsonReply(answer ? 200 : 400, answer ?? { error: 'invalid_grant' })
}

/** POST /revoke, a form. */
export function revokeToken(request: IncomingMessage, body: string, tokens: Tokens, clients: Clients): Reply {
  if (!isForm(request)) return jsonReply(400, { error: 'invalid_request' })
  const form = new URLSearchParams(body)
  const clientId = checkClient(form, clients)
  if (clientId === null) return jsonReply(401, { error: 'invalid_client' })
  return tokens.revokeToken(clientId, form.get('token') ?? '')
    ? jsonReply(200, { success: 'ok' })
    : jsonReply(400, { error: 'invalid_grant' })
}

function isForm(request: IncomingMessage): boolean {
  return (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
}

function checkClient(form: URLSearchParams, clients: Clients): string | null {
  const clientId = form.get('client_id')
  const secret = form.get('client_secret')
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}
