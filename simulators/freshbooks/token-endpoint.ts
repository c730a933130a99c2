import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import type { Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import { htmlReply, jsonReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

const INVALID_CLIENT = { error: 'invalid_client', error_description: 'Client authentication failed due to unknown client.' }

/** POST /auth/oauth/token, as JSON or as a form. Null: the connection is to be dropped without an answer. */
export function requestToken(
  request: IncomingMessage,
  body: string,
  tokens: Tokens,
  clients: Clients,
  faults: Faults<FaultName>,
): Reply | null {
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return jsonReply(429, { message: 'API rate limit exceeded' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const fields = readFields(request, body)
  const clientId = checkClient(fields, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(401, INVALID_CLIENT)
  const grantType = fields.get('grant_type')
  if (grantType === 'authorization_code') {
    const answer = tokens.exchangeCode(
      clientId,
      fields.get('code') ?? '',
      fields.get('redirect_uri') ?? '',
      fields.get('code_verifier') ?? '',
    )
    return answer ? jsonReply(200, answer) : invalidGrant()
  }
  if (grantType !== 'refresh_token')
    return jsonReply(400, { error: 'unsupported_grant_type', error_description: 'Unsupported grant type.' })
  const refreshToken = fields.get('refresh_token') ?? ''
  const login = tokens.loginOfRefresh(refreshToken)
  if (login !== null && faults.take('revoked')) tokens.revokeLogin(login)
  const answer = tokens.refresh(clientId, refreshToken)
  if (answer && faults.take('lostRefresh')) return null
  return answer ? jsonReply(200, answer) : invalidGrant()
}

/** POST /auth/oauth/revoke. */
export function revokeToken(request: IncomingMessage, body: string, tokens: Tokens, clients: Clients): Reply {
  const fields = readFields(request, body)
  const clientId = checkClient(fields, clients)
  if (clientId === null) return jsonReply(401, INVALID_CLIENT)
  return tokens.revokeToken(clientId, fields.get('token') ?? '') ? jsonReply(200, {}) : invalidGrant()
}

function invalidGrant(): Reply {
  return jsonReply(400, { error: 'invalid_grant', error_description: 'The provided authorization grant is invalid, expired or revoked.' })
}

function checkClient(fields: ReadonlyMap<string, string>, clients: Clients): string | null {
  const clientId = fields.get('client_id')
  const secret = fields.get('client_secret')
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}

function readFields(request: IncomingMessage, body: string): ReadonlyMap<string, string> {
  if (!(request.headers['content-type'] ?? '').includes('json')) return new Map(new URLSearchParams(body))
  try {
    const parsed: unknown = JSON.parse(body)
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
    return new Map(entries.map(([name, value]) => [name, String(value)]))
  } catch (error) {
    if (error instanceof SyntaxError) return new Map()
    throw error
  }
}
