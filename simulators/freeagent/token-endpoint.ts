import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { htmlReply, jsonReply, type Reply, textReply } from '../kit/http/response.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import type { Grant } from '../kit/oauth/state.ts'
import type { FaultName } from './faults.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** A code lasts 15 minutes, an access token an hour, a refresh token about 20 years. */
export const LIFETIMES = { accessS: 3600, refreshS: 631_139_040, codeS: 900 }

export interface TokenCall {
  request: IncomingMessage
  form: URLSearchParams
  grants: Grants
  clients: Clients
  faults: Faults<FaultName>
  /** Counts a refresh; true when it is one too many. */
  isOver(clientId: string): boolean
}

/** POST /v2/token_endpoint with Basic client authentication. Null: the connection is to be dropped without an answer. */
export function requestToken({ request, form, grants, clients, faults, isOver }: TokenCall): Reply | null {
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
  if (faults.take('tokenThrottled')) return textReply(429, 'Rate limit exceeded', { 'retry-after': '45' })
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const clientId = checkClient(request, clients)
  if (clientId === null || faults.take('invalidClient')) return jsonReply(401, { error: 'invalid_client' })
  const grantType = form.get('grant_type')
  if (grantType === 'authorization_code') {
    const code = form.get('code') ?? ''
    const grant = grants.exchangeCode({ clientId, code, redirectUri: form.get('redirect_uri') ?? '', verifier: '' })
    return grant ? toAnswer(grant) : jsonReply(400, { error: 'invalid_grant' })
  }
  if (grantType !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
  if (isOver(clientId)) return textReply(429, 'Rate limit exceeded', { 'retry-after': '60' })
  const refreshToken = form.get('refresh_token') ?? ''
  const known = grants.findByRefresh(refreshToken)
  if (known && faults.take('revoked')) grants.end(known)
  const grant = grants.refresh(clientId, refreshToken)
  if (grant && faults.take('lostRefresh')) return null
  return grant ? toAnswer(grant) : jsonReply(400, { error: 'invalid_grant' })
}

function toAnswer(grant: Grant): Reply {
  return jsonReply(200, {
    access_token: grant.accessToken,
    token_type: 'bearer',
    expires_in: LIFETIMES.accessS,
    refresh_token: grant.refreshToken,
    refresh_token_expires_in: LIFETIMES.refreshS,
  })
}

function checkClient(request: IncomingMessage, clients: Clients): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(request.headers.authorization ?? '')?.[1]
  const [clientId, secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':')
  if (!clientId || !secret) return null
  return clients === undefined || (Object.hasOwn(clients, clientId) && clients[clientId] === secret) ? clientId : null
}
