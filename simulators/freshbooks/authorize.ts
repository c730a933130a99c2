import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import type { Reply } from '../kit/http/response.ts'
import { LOGINS } from './businesses.ts'
import { consentPage, refusalPage } from './consent-page.ts'
import type { FaultName } from './faults.ts'
import { htmlReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

/** A reply, or the address that the browser is sent to. */
export type Step = Reply | { location: string }

/** Scopes that exist with `:read`. Source: https://www.freshbooks.com/api/scopes */
const SCOPE = /^user:(profile|business|journal_entries|reports|bills|clients|expenses|invoices|other_income|payments|taxes):read$/

/**
 * GET and POST /oauth/authorize. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as `access_denied`.
 * No business is chosen here: the sign-in opens all of them. Source: https://www.freshbooks.com/api/authentication
 */
export function authorize(
  request: IncomingMessage,
  query: URLSearchParams,
  form: URLSearchParams | null,
  tokens: Tokens,
  faults: Faults<FaultName>,
): Step {
  const language = request.headers['accept-language']
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
  return { location: withQuery(redirectUri, { code, state }) }
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'Client authentication failed due to unknown client.'
  if (!isPlainAddress(query.get('redirect_uri') ?? '')) return 'The redirect uri included is not valid.'
  if (query.get('response_type') !== 'code') return 'The authorization server does not support this response type.'
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (scopes.some((scope) => !SCOPE.test(scope))) return 'The requested scope is invalid, unknown, or malformed.'
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256') return 'The code challenge method must be S256.'
  return null
}

/** An address that carries parameters of its own is refused. */
function isPlainAddress(text: string): boolean {
  return isWebAddress(text) && new URL(text).search === ''
}
