import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import { pageReply, type Reply, redirectReply } from '../kit/http/response.ts'
import { consentPage, refusalPage } from '../kit/oauth/consent-page.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import { getCompany, LOGINS } from './companies.ts'
import type { FaultName } from './faults.ts'

/**
 * GET and POST /v2/approve_app. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as `access_denied`.
 * A sign-in belongs to one company, so there is nothing to choose. Source: https://dev.freeagent.com/docs/oauth
 */
export function authorize(
  request: IncomingMessage,
  query: URLSearchParams,
  form: URLSearchParams | null,
  grants: Grants,
  faults: Faults<FaultName>,
): Reply {
  const acceptLanguage = request.headers['accept-language']
  const refusal = findRefusal(query)
  if (refusal !== null) return pageReply(400, refusalPage(acceptLanguage, 'FreeAgent', refusal))
  const logins = LOGINS.map((login) => ({
    ...login,
    email: login.companyId === null ? login.email : `${login.email}, ${getCompany(login.companyId).name}`,
  }))
  const login = logins.find(({ key }) => key === query.get('login')) ?? logins[0]
  if (!login) throw new Error('no sign-ins')
  if (form === null) return pageReply(200, consentPage({ acceptLanguage, source: 'FreeAgent', login, logins, choices: [], query }))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'allow') return redirectReply(withQuery(redirectUri, { error: 'access_denied', state }))
  const person = faults.take('wrongEntity') ? (logins.find(({ key }) => key !== login.key) ?? login) : login
  const code = grants.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    login: person.key,
    businessId: null,
    challenge: '',
  })
  return redirectReply(withQuery(redirectUri, { code, state }))
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'Invalid OAuth Request: client_id is missing.'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'Invalid OAuth Request: redirect_uri mismatch.'
  if (query.get('response_type') !== 'code') return 'Invalid OAuth Request: response_type must be "code".'
  return null
}
