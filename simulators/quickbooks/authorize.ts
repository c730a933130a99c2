import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import type { Reply } from '../kit/http/response.ts'
import { pageLanguage } from '../kit/pages/page-language.ts'
import { COMPANIES, LOGINS } from './companies.ts'
import { consentPage, refusalPage } from './consent-page.ts'
import type { FaultName } from './faults.ts'
import { htmlReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

const SCOPE = 'com.intuit.quickbooks.accounting'

/** A reply, or the address that the browser is sent to. */
export type Step = Reply | { location: string }

/**
 * GET and POST /connect/oauth2. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as `access_denied`.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
export function authorize(
  request: IncomingMessage,
  query: URLSearchParams,
  form: URLSearchParams | null,
  tokens: Tokens,
  faults: Faults<FaultName>,
): Step {
  const language = pageLanguage(request.headers['accept-language'])
  const refusal = findRefusal(query)
  if (refusal !== null) return htmlReply(400, refusalPage(language, refusal))
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  if (form === null) return htmlReply(200, consentPage(language, login, query))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'connect') return { location: withQuery(redirectUri, { error: 'access_denied', state }) }
  const chosen = form.get('realmId') ?? ''
  if (!login.realmIds.includes(chosen)) return htmlReply(400, refusalPage(language, 'Choose one of the companies of this sign-in.'))
  const realmId = faults.take('wrongEntity') ? otherThan(chosen) : chosen
  const code = tokens.issueCode(query.get('client_id') ?? '', redirectUri, realmId)
  return { location: withQuery(redirectUri, { code, state, realmId }) }
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'The client_id query parameter value is missing.'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'The redirect_uri query parameter value is invalid.'
  if (query.get('response_type') !== 'code') return 'The response_type query parameter must be "code".'
  if (!(query.get('scope') ?? '').split(' ').includes(SCOPE)) return 'The scope query parameter is missing or invalid.'
  if (!query.get('state')) return 'The state query parameter value is missing.'
  return null
}

function otherThan(realmId: string): string {
  return COMPANIES.find((company) => company.realmId !== realmId)?.realmId ?? realmId
}
