import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import type { Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import { htmlReply, jsonReply } from './replies.ts'
import type { TokenAnswer, Tokens } from './tokens.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** POST /oauth2/v1/tokens/bearer. Null: the connection is to be dropped without an answer. */
export function requestToken(
  request: IncomingMessage,
  body: string,
  tokens: Tokens,
  clients: Clients,
  faults: Faults<FaultName>,
): Reply | null {
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return jsonReply(429, { error: 'too_many_requests' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const clientId = checkClient(request, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(401, { error: 'invalid_client' })
  const form = new URLSearchParams(body)
  const wantsHardCap = request.headers['x-include-refresh-token-hard-expires-in'] === 'true'
  if (form.get('grant_type') === 'authorization_code') {
    const answer = tokens.exchangeCode(clientId, form.get('code') ?? '', form.get('redirect_uri') ?? '')
    return answer
      ? tokenReply(answer, wantsHardCap)
      : jsonReply(400, { error: 'invalid_grant', error_description: 'Invalid authorization code' })
  }
  if (form.get('grant_type') !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
  const refreshToken = form.get('refresh_token') ?? ''
  const realmId = tokens.realmOfRefresh(refreshToken)
  if (realmId !== null && faults.take('revoked')) tokens.revokeRealm(realmId)
  if (realmId !== null && faults.take('lostRefresh') && tokens.rotateNow(refreshToken)) return null
  const answer = tokens.refresh(clientId, refreshToken)
  return answer
    ? tokenReply(answer, wantsHardCap)
    : jsonReply(400, { error: 'invalid_grant', error_description: 'Incorrect or invalid refresh token' })
}

/** POST /v2/oauth2/tokens/revoke, as JSON or as a form. */
export function revokeToken(request: IncomingMessage, body: string, tokens: Tokens, clients: Clients): Reply {
  const clientId = checkClient(request, clients)
  if (clientId === null) return jsonReply(401, { error: 'invalid_client' })
  const token = readToken(body, request.headers['content-type'] ?? '')
  return tokens.revokeToken(clientId, token)
    ? jsonReply(200, {})
    : jsonReply(400, { error: 'invalid_grant', error_description: 'Invalid token' })
}

/** The hard end of a refresh token is told only to those who ask. Source: https://github.com/intuit/oauth-jsclient */
function tokenReply(answer: TokenAnswer, wantsHardCap: boolean): Reply {
  const { x_refresh_token_hard_expires_in, ...usual } = answer
  return jsonReply(200, wantsHardCap ? { ...usual, x_refresh_token_hard_expires_in } : usual)
}

function checkClient(request: IncomingMessage, clients: Clients): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(request.headers.authorization ?? '')?.[1]
  const [clientId, secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':')
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}

function readToken(body: string, contentType: string): string {
  if (!contentType.includes('json')) return new URLSearchParams(body).get('token') ?? ''
  const token = /"token"\s*:\s*"([^"\\]+)"/.exec(body)?.[1]
  return token ?? ''
}
