import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import { pageReply, type Reply, redirectReply } from '../kit/http/response.ts'
import { consentPage, refusalPage } from '../kit/oauth/consent-page.ts'
import type { FaultName } from './faults.ts'
import { LOGINS, ORGANISATIONS } from './organisations.ts'
import type { Tokens } from './tokens.ts'

/** Names of the narrow kind, those of OpenID, and the broad ones that are still in use. */
const SCOPE = /^(openid|profile|email|offline_access|accounting(\.[a-z]+)+|files(\.read)?|assets(\.read)?|projects(\.read)?)$/

const JOURNALS_SCOPE = 'accounting.journals.read'

export interface AuthorizeCall {
  request: IncomingMessage
  query: URLSearchParams
  /** Null: the page is only looked at. */
  form: URLSearchParams | null
  tokens: Tokens
  faults: Faults<FaultName>
  /** Whether the app's tier has the journals. */
  hasJournals: boolean
}

/**
 * GET and POST /identity/connect/authorize. A wrong request of the app is told on a page; a refusal by the person goes back to the app as
 * `access_denied`. One authorization connects one organisation; a person without any goes on with none.
 * Source: https://developer.xero.com/documentation/guides/oauth2/auth-flow/
 */
export function authorize(call: AuthorizeCall): Reply {
  const { query, form } = call
  const acceptLanguage = call.request.headers['accept-language']
  const refusal = findRefusal(query, call.hasJournals)
  if (refusal !== null) return pageReply(400, refusalPage(acceptLanguage, 'Xero', refusal))
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  const choices = ORGANISATIONS.filter(({ tenantId }) => login.tenantIds.includes(tenantId))
  if (form === null) {
    const labels = choices.map(({ tenantId, name, place }) => ({ id: tenantId, label: `${name} – ${place}` }))
    return pageReply(200, consentPage({ acceptLanguage, source: 'Xero', login, logins: LOGINS, choices: labels, query }))
  }
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'allow') return redirectReply(withQuery(redirectUri, { error: 'access_denied', state }))
  const picked = choices.find(({ tenantId }) => tenantId === form.get('businessId'))
  if (choices.length > 0 && !picked) {
    return pageReply(400, refusalPage(acceptLanguage, 'Xero', 'Choose one of the organisations of this sign-in.'))
  }
  const other = ORGANISATIONS.find(({ tenantId }) => tenantId !== picked?.tenantId)
  const connected = picked && call.faults.take('wrongEntity') ? other : picked
  const scope = query.get('scope') ?? ''
  const code = call.tokens.allow(
    { clientId: query.get('client_id') ?? '', redirectUri, login: login.key, scope, challenge: query.get('code_challenge') ?? '' },
    connected?.tenantId ?? null,
  )
  return redirectReply(withQuery(redirectUri, { code, scope, state, session_state: 'simulated' }))
}

function findRefusal(query: URLSearchParams, hasJournals: boolean): string | null {
  if (!query.get('client_id')) return 'unauthorized_client: Unknown client or client not enabled'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'unauthorized_client: Invalid redirect_uri'
  if (query.get('response_type') !== 'code') return 'unsupported_response_type'
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (scopes.length === 0 || scopes.some((scope) => !SCOPE.test(scope))) return 'invalid_scope'
  if (scopes.includes(JOURNALS_SCOPE) && !hasJournals) return 'invalid_scope'
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256')
    return 'invalid_request: Transform algorithm not supported'
  return null
}
