import type { IncomingMessage } from 'node:http'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import { pageReply, type Reply, redirectReply } from '../kit/http/response.ts'
import { consentPage, refusalPage } from '../kit/oauth/consent-page.ts'
import { LOGINS, type Login } from './organizations.ts'
import type { Tokens } from './tokens.ts'

const SCOPE = /^ZohoBooks\.[a-z]+\.(CREATE|READ|UPDATE|DELETE|ALL)$/

export interface AuthorizeCall {
  request: IncomingMessage
  query: URLSearchParams
  /** Null: the page is only looked at. */
  form: URLSearchParams | null
  tokens: Tokens
  /** Address of the sign-in of a person's data centre. */
  accountsServerOf(login: Login): string
}

/**
 * GET and POST /oauth/v2/auth. A wrong request of the app is told on a page; a refusal by the person goes back to the app as
 * `access_denied`. No organization is chosen here: the tokens open all of the person's. The callback says where the person lives.
 * Source: https://www.zoho.com/accounts/protocol/oauth/multi-dc.html
 */
export function authorize(call: AuthorizeCall): Reply {
  const { query, form } = call
  const acceptLanguage = call.request.headers['accept-language']
  const refusal = findRefusal(query)
  if (refusal !== null) return pageReply(400, refusalPage(acceptLanguage, 'Zoho Books', refusal))
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  if (form === null) return pageReply(200, consentPage({ acceptLanguage, source: 'Zoho Books', login, logins: LOGINS, choices: [], query }))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'allow') return redirectReply(withQuery(redirectUri, { error: 'access_denied', state }))
  const code = call.tokens.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    login: login.key,
    scope: query.get('scope') ?? '',
    isOffline: query.get('access_type') === 'offline' && query.get('prompt') === 'consent',
  })
  return redirectReply(withQuery(redirectUri, { state, code, location: login.location, 'accounts-server': call.accountsServerOf(login) }))
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'Invalid Client: Client ID passed does not exist'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'Invalid Redirect Uri'
  if (query.get('response_type') !== 'code') return 'Invalid response type'
  const scopes = (query.get('scope') ?? '').split(',')
  return scopes.some((scope) => !SCOPE.test(scope)) ? 'Invalid OAuth Scope: Scope does not exist' : null
}
