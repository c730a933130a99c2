import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import type { Reply } from '../kit/http/response.ts'
import { type PageLanguage, pageLanguage } from '../kit/pages/page-language.ts'
import { LOGINS } from './businesses.ts'
import { consentPage, refusalPage } from './consent-page.ts'
import type { FaultName } from './faults.ts'
import { htmlReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

/** A reply, or the address that the browser is sent to. */
export type Step = Reply | { location: string }

/**
 * GET and POST /oauth2/auth/central. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as
 * `access_denied`. No business is chosen here: the sign-in opens all of them.
 * Source: https://developer.sage.com/accounting/guides/authenticating/authentication/
 */
export function authorize(
  request: IncomingMessage,
  query: URLSearchParams,
  form: URLSearchParams | null,
  tokens: Tokens,
  faults: Faults<FaultName>,
): Step {
  const language = languageOf(request, query)
  const refusal = findRefusal(query)
  if (refusal !== null) return htmlReply(400, refusalPage(language, refusal))
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  if (form === null) return htmlReply(200, consentPage(language, login, query))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'connect') return { location: withQuery(redirectUri, { error: 'access_denied', state }) }
  const person = faults.take('wrongEntity') ? (LOGINS.find(({ key }) => key === 'load') ?? login) : login
  const code = tokens.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    login: person.key,
    challenge: query.get('code_challenge') ?? '',
  })
  return { location: withQuery(redirectUri, { code, country: 'CA', state }) }
}

/** `locale` decides, then the browser. */
function languageOf(request: IncomingMessage, query: URLSearchParams): PageLanguage {
  return pageLanguage(query.get('locale') ?? request.headers['accept-language'])
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'unauthorized_client: the client_id is missing'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'invalid_request: the redirect_uri is invalid'
  if (query.get('response_type') !== 'code') return 'unsupported_response_type: it must be code'
  if (!['readonly', 'full_access', null].includes(query.get('scope'))) return 'invalid_scope: it must be readonly or full_access'
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256') return 'invalid_request: use S256'
  return null
}
