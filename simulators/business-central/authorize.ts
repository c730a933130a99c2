import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import type { Reply } from '../kit/http/response.ts'
import { findLogin, LOGINS } from './companies.ts'
import { consentPage, refusalPage } from './consent-page.ts'
import type { FaultName } from './faults.ts'
import { htmlReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

/** A reply, or the address that the browser is sent to. */
export type Step = Reply | { location: string }

/**
 * GET and POST /{tenant}/oauth2/v2.0/authorize. A wrong request of the app is told on a page; a refusal by the owner goes back to the app as
 * `access_denied`. Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow
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
  const login = findLogin(query.get('login')) ?? LOGINS[0]
  if (form === null) return htmlReply(200, consentPage(language, login, query))
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  if (form.get('decision') !== 'connect') {
    const description = 'AADSTS65004: User declined to consent to access the app.'
    return { location: withQuery(redirectUri, { error: 'access_denied', error_description: description, state }) }
  }
  const signedIn = faults.take('wrongEntity') ? (LOGINS.find(({ key }) => key !== login.key) ?? login) : login
  const code = tokens.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    login: signedIn.key,
    challenge: query.get('code_challenge'),
  })
  return { location: withQuery(redirectUri, { code, state, session_state: '0b5a9d3e-7c14-4e11-8f6e-6045bd9dec5b' }) }
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'AADSTS900144: The request must contain the parameter client_id.'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'AADSTS50011: The redirect URI does not match those of the application.'
  if (query.get('response_type') !== 'code') return 'AADSTS900144: The request must contain the parameter response_type.'
  if (!/\/(Financials\.ReadWrite\.All|\.default)(\s|$)/.test(query.get('scope') ?? ''))
    return 'AADSTS70011: The provided scope is not valid.'
  if (!query.get('state')) return 'AADSTS900144: The request must contain the parameter state.'
  if (query.get('code_challenge') && query.get('code_challenge_method') !== 'S256') return 'AADSTS501491: Invalid code_challenge_method.'
  return null
}
