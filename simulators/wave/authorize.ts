import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import { pageReply, type Reply, redirectReply } from '../kit/http/response.ts'
import { consentPage, refusalPage } from '../kit/oauth/consent-page.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import { LOGINS, type Login } from './businesses.ts'
import type { FaultName } from './faults.ts'

const SCOPE = /^(?:[a-z_]+:(?:read|write|send|\*)|offline_access)$/

export interface AuthorizeCall {
  request: IncomingMessage
  query: URLSearchParams
  /** Null: the page is only looked at. */
  form: URLSearchParams | null
  grants: Grants
  faults: Faults<FaultName>
  /** Whether a token opens only the business that was picked. */
  picksBusiness: boolean
}

/**
 * GET and POST /oauth2/authorize/. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as `access_denied`.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019493652-OAuth-Guide
 */
export function authorize(call: AuthorizeCall): Reply {
  const { query, form } = call
  const acceptLanguage = call.request.headers['accept-language']
  const refusal = findRefusal(query)
  if (refusal !== null) return pageReply(400, refusalPage(acceptLanguage, 'Wave', refusal))
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  const choices = call.picksBusiness ? listChoices(login, query.get('businessId')) : []
  if (form === null) return pageReply(200, consentPage({ acceptLanguage, source: 'Wave', login, logins: LOGINS, choices, query }))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'allow') return redirectReply(withQuery(redirectUri, { error: 'access_denied', state }))
  const picked = form.get('businessId')
  if (choices.length > 0 && !choices.some(({ id }) => id === picked)) {
    return pageReply(400, refusalPage(acceptLanguage, 'Wave', 'Choose one of the businesses of this sign-in.'))
  }
  const chosen = choices.length > 0 ? picked : null
  const code = call.grants.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    login: login.key,
    businessId: chosen !== null && call.faults.take('wrongEntity') ? (choices.find(({ id }) => id !== chosen)?.id ?? chosen) : chosen,
    challenge: query.get('code_challenge') ?? '',
  })
  return redirectReply(withQuery(redirectUri, { code, state }))
}

/** The recommended business comes first. */
function listChoices(login: Login, recommended: string | null): { id: string; label: string }[] {
  return login.businesses
    .filter(({ isArchived }) => !isArchived)
    .sort((a, b) => Number(b.id === recommended) - Number(a.id === recommended))
    .map(({ id, name, place }) => ({ id, label: `${name} – ${place}` }))
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'invalid_request: Missing client_id parameter.'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'invalid_request: Mismatching redirect URI.'
  if (query.get('response_type') !== 'code') return 'unsupported_response_type'
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (scopes.length === 0 || scopes.some((scope) => !SCOPE.test(scope))) return 'invalid_scope'
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256')
    return 'invalid_request: Transform algorithm not supported.'
  return null
}
