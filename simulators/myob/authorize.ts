import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import { pageReply, type Reply, redirectReply } from '../kit/http/response.ts'
import { consentPage, refusalPage } from '../kit/oauth/consent-page.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import type { FaultName } from './faults.ts'
import { LOGINS } from './files.ts'

const SCOPE = /^(?:sme-[a-z-]+|offline_access|openid|email|profile)$/

export interface AuthorizeCall {
  request: IncomingMessage
  query: URLSearchParams
  /** Null: the page is only looked at. */
  form: URLSearchParams | null
  grants: Grants
  faults: Faults<FaultName>
  /** Whether the administrator picks one business, which comes back as `businessId`. */
  picksBusiness: boolean
}

/**
 * GET and POST /oauth2/account/authorize. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as
 * `access_denied`. Source: https://apisupport.myob.com/hc/en-us/articles/360001459455
 */
export function authorize({ request, query, form, grants, faults, picksBusiness }: AuthorizeCall): Reply {
  const acceptLanguage = request.headers['accept-language']
  const refusal = findRefusal(query)
  if (refusal !== null) return pageReply(400, refusalPage(acceptLanguage, 'MYOB', refusal))
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  const choices = picksBusiness ? login.files.map(({ id, name }) => ({ id, label: name })) : []
  if (form === null) return pageReply(200, consentPage({ acceptLanguage, source: 'MYOB', login, logins: LOGINS, choices, query }))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'allow') return redirectReply(withQuery(redirectUri, { error: 'access_denied', state }))
  const picked = form.get('businessId')
  if (choices.length > 0 && !choices.some(({ id }) => id === picked)) {
    return pageReply(400, refusalPage(acceptLanguage, 'MYOB', 'Choose one of the businesses of this sign-in.'))
  }
  const chosen = choices.length > 0 ? picked : null
  const businessId = chosen !== null && faults.take('wrongEntity') ? (choices.find(({ id }) => id !== chosen)?.id ?? chosen) : chosen
  const code = grants.issueCode({ clientId: query.get('client_id') ?? '', redirectUri, login: login.key, businessId, challenge: '' })
  return redirectReply(withQuery(redirectUri, { code, state, ...(businessId === null ? {} : { businessId }) }))
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'The client_id is missing.'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'The redirect_uri does not match the one that was registered.'
  if (query.get('response_type') !== 'code') return 'The response_type must be "code".'
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (scopes.length === 0 || scopes.some((scope) => !SCOPE.test(scope))) return 'The scope is not known.'
  return null
}
