import type { Faults } from '../kit/faults.ts'
import { htmlReply, jsonReply, type Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import type { GrantState } from './state.ts'
import type { TokenOutcome, Tokens } from './tokens.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

export interface TokenCall {
  form: URLSearchParams
  tokens: Tokens
  clients: Clients
  faults: Faults<FaultName>
  /** Whether the request came to the data centre of the person. */
  isAtHome(grant: GrantState): boolean
  apiDomainOf(grant: GrantState): string
}

const TOO_MANY = {
  error_description: 'You have made too many requests continuously. Please try again after some time.',
  error: 'Access Denied',
  status: 'failure',
}

/** POST /oauth/v2/token, as a form with the app's keys in it; refusals have status 200. Null: the connection is to be dropped. */
export function requestToken(call: TokenCall): Reply | null {
  const { form, tokens, faults } = call
  if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'general_error' })
  if (faults.take('tokenThrottled')) return jsonReply(400, TOO_MANY)
  if (faults.take('tokenHtml')) return htmlReply(200, '<html><body>Maintenance</body></html>')
  const refusal = checkClient(form, call.clients)
  if (refusal !== null || faults.take('invalidClient')) return jsonReply(200, { error: refusal ?? 'invalid_client' })
  const clientId = form.get('client_id') ?? ''
  const grantType = form.get('grant_type')
  if (grantType === 'authorization_code') {
    const outcome = tokens.exchangeCode(clientId, form.get('code') ?? '', form.get('redirect_uri') ?? '')
    return toReply(call, outcome, typeof outcome === 'string' ? '' : outcome.grant.refreshToken)
  }
  if (grantType !== 'refresh_token') return jsonReply(200, { error: 'unsupported_grant_type' })
  const refreshToken = form.get('refresh_token') ?? ''
  const grant = tokens.findByRefresh(refreshToken)
  if (grant && faults.take('revoked')) tokens.endGrant(grant)
  const outcome = tokens.refresh(clientId, refreshToken)
  return typeof outcome !== 'string' && faults.take('lostRefresh') ? null : toReply(call, outcome, '')
}

/** POST /oauth/v2/token/revoke?token=. */
export function revokeToken(token: string, tokens: Tokens): Reply {
  return tokens.revokeToken(token) ? jsonReply(200, { status: 'success' }) : jsonReply(200, { error: 'invalid_code' })
}

function toReply(call: TokenCall, outcome: TokenOutcome, refreshToken: string): Reply {
  if (outcome === 'tooMany') return jsonReply(400, TOO_MANY)
  if (outcome === 'refused' || !call.isAtHome(outcome.grant)) return jsonReply(200, { error: 'invalid_code' })
  return jsonReply(200, {
    access_token: outcome.accessToken,
    ...(refreshToken === '' ? {} : { refresh_token: refreshToken }),
    scope: outcome.grant.scope.replaceAll(',', ' '),
    api_domain: call.apiDomainOf(outcome.grant),
    token_type: 'Bearer',
    expires_in: outcome.expiresIn,
  })
}

/** Null when the keys are good. */
function checkClient(form: URLSearchParams, clients: Clients): string | null {
  const [clientId, secret] = [form.get('client_id'), form.get('client_secret')]
  if (!clientId || (clients !== undefined && !Object.hasOwn(clients, clientId))) return 'invalid_client'
  return !secret || (clients !== undefined && clients[clientId] !== secret) ? 'invalid_client_secret' : null
}
