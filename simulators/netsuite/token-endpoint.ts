import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import type { Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import { htmlReply } from './replies.ts'
import type { TokenAnswer, Tokens } from './tokens.ts'

/** Client ids with their secrets, null for a public client; undefined takes any id, as public when it comes without a secret. */
export type Clients = Readonly<Record<string, string | null>> | undefined

interface Client {
  id: string
  isPublic: boolean
}

/** POST /services/rest/auth/oauth2/v1/token. Null: the connection is to be dropped without an answer. */
export function requestToken(
  request: IncomingMessage,
  body: string,
  tokens: Tokens,
  clients: Clients,
  faults: Faults<FaultName>,
): Reply | null {
  if (faults.take('tokenUnavailable')) return oauthReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return oauthReply(429, { error: 'too_many_requests' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Scheduled maintenance</body></html>')
  const form = new URLSearchParams(body)
  const client = findClient(request, form, clients)
  if (client === null || faults.take('invalidClient')) return oauthReply(401, { error: 'invalid_client' })
  if (form.get('grant_type') === 'authorization_code') {
    const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) => form.get(name) ?? '')
    return toReply(tokens.exchangeCode(client.id, client.isPublic, code ?? '', redirectUri ?? '', verifier ?? ''))
  }
  if (form.get('grant_type') !== 'refresh_token') return oauthReply(400, { error: 'unsupported_grant_type' })
  const refreshToken = form.get('refresh_token') ?? ''
  if (tokens.roleOfRefresh(refreshToken) !== null && faults.take('revoked')) tokens.revokeToken(client.id, refreshToken)
  if (tokens.roleOfRefresh(refreshToken) !== null && faults.take('lostRefresh') && tokens.refresh(client.id, refreshToken)) return null
  return toReply(tokens.refresh(client.id, refreshToken))
}

/** POST /services/rest/auth/oauth2/v1/revoke. */
export function revokeToken(request: IncomingMessage, body: string, tokens: Tokens, clients: Clients): Reply {
  const form = new URLSearchParams(body)
  const client = findClient(request, form, clients)
  if (client === null) return oauthReply(401, { error: 'invalid_client' })
  return tokens.revokeToken(client.id, form.get('token') ?? '') ? oauthReply(200, {}) : oauthReply(400, { error: 'invalid_grant' })
}

function toReply(answer: TokenAnswer | null): Reply {
  return answer ? oauthReply(200, answer) : oauthReply(400, { error: 'invalid_grant' })
}

function oauthReply(status: number, body: object): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

/** A client with a secret proves it by Basic, a public one names itself in the form; neither may do as the other. */
function findClient(request: IncomingMessage, form: URLSearchParams, clients: Clients): Client | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (encoded === undefined) {
    const id = form.get('client_id') ?? ''
    const isKnown = clients === undefined ? id !== '' : Object.hasOwn(clients, id) && clients[id] === null
    return isKnown ? { id, isPublic: true } : null
  }
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  const isKnown = clients === undefined ? id !== '' && secret !== '' : Object.hasOwn(clients, id) && clients[id] === secret
  return isKnown && secret !== '' ? { id, isPublic: false } : null
}
