import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { htmlReply, jsonReply, type Reply, textReply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import type { Tokens } from './tokens.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** POST /connect/token. Null: the connection is to be dropped without an answer. */
export function requestToken(
  request: IncomingMessage,
  form: URLSearchParams,
  tokens: Tokens,
  clients: Clients,
  faults: Faults<FaultName>,
): Reply | null {
  if (faults.take('tokenUnavailable')) return textReply(503, 'The service is unavailable.')
  if (faults.take('tokenThrottled')) return textReply(429, '', { 'retry-after': '30' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const clientId = checkClient(request, form, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(400, { error: 'invalid_client' })
  const grantType = form.get('grant_type')
  if (grantType === 'authorization_code') {
    const code = form.get('code') ?? ''
    const answer = tokens.exchangeCode({
      clientId,
      code,
      redirectUri: form.get('redirect_uri') ?? '',
      verifier: form.get('code_verifier') ?? '',
    })
    return answer ? jsonReply(200, answer) : jsonReply(400, { error: 'invalid_grant' })
  }
  if (grantType !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
  const refreshToken = form.get('refresh_token') ?? ''
  const grant = tokens.findByRefresh(refreshToken)
  if (grant && faults.take('revoked')) tokens.endGrant(grant)
  const answer = tokens.refresh(clientId, refreshToken)
  if (answer && faults.take('lostRefresh')) return null
  return answer ? jsonReply(200, answer) : jsonReply(400, { error: 'invalid_grant' })
}

/** POST /connect/revocation. What is no token is no failure, as RFC 7009 has it. */
export function revokeToken(request: IncomingMessage, form: URLSearchParams, tokens: Tokens, clients: Clients): Reply {
  if (checkClient(request, form, clients) === null) return jsonReply(400, { error: 'invalid_client' })
  const grant = tokens.findByRefresh(form.get('token') ?? '')
  if (grant) tokens.endLogin(grant)
  return { status: 200, type: '', body: '' }
}

/** By the Basic header, or in the form. */
function checkClient(request: IncomingMessage, form: URLSearchParams, clients: Clients): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(request.headers.authorization ?? '')?.[1]
  const pair = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString().split(':')
  const [clientId, secret] = pair.length === 2 ? pair : [form.get('client_id'), form.get('client_secret')]
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}
