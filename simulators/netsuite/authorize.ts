import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import type { Reply } from '../kit/http/response.ts'
import { accountOfRole, COMPANIES, LOGINS } from './companies.ts'
import { consentPage, refusalPage } from './consent-page.ts'
import type { FaultName } from './faults.ts'
import { htmlReply } from './replies.ts'
import type { Tokens } from './tokens.ts'

/** A reply, or the address that the browser is sent to. */
export type Step = Reply | { location: string }

/**
 * GET and POST /app/login/oauth2/authorize.nl. An unknown app or address is told on a page, every other fault and the owner's refusal go
 * back to the app. Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/subsect_161252455245.html
 */
export function authorize(
  request: IncomingMessage,
  query: URLSearchParams,
  form: URLSearchParams | null,
  tokens: Tokens,
  faults: Faults<FaultName>,
): Step {
  const language = request.headers['accept-language']
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!query.get('client_id')) return htmlReply(400, refusalPage(language, 'Unknown integration: the client_id is missing.'))
  if (!isWebAddress(redirectUri)) return htmlReply(400, refusalPage(language, 'The redirect_uri is not one of the integration record.'))
  const state = query.get('state') ?? ''
  const fault = findFault(query)
  if (fault !== null) return { location: withQuery(redirectUri, { error: fault, state }) }
  const login = LOGINS.find(({ key }) => key === query.get('login')) ?? LOGINS[0]
  if (form === null) return htmlReply(200, consentPage(language, login, query))
  if (form.get('decision') !== 'connect') return { location: withQuery(redirectUri, { error: 'access_denied', state }) }
  const role = login.roles.find(({ key }) => key === form.get('role'))
  if (!role) return htmlReply(400, refusalPage(language, 'Choose one of the roles of this sign-in.'))
  const code = tokens.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    role: role.key,
    challenge: query.get('code_challenge'),
  })
  const accountId = accountOfRole(role.key)
  const company = faults.take('wrongEntity') ? otherThan(accountId) : accountId
  return { location: withQuery(redirectUri, { state, code, role: '1017', entity: '42', company }) }
}

/** The state has 22 to 1,024 printable letters. */
function findFault(query: URLSearchParams): string | null {
  if (query.get('response_type') !== 'code') return 'unsupported_response_type'
  if (!/^[\x20-\x7e]{22,1024}$/.test(query.get('state') ?? '')) return 'invalid_request'
  const scopes = (query.get('scope') ?? '').split(' ')
  if (scopes.some((scope) => !['rest_webservices', 'restlets', 'suite_analytics'].includes(scope))) return 'invalid_scope'
  if (query.get('code_challenge') && query.get('code_challenge_method') !== 'S256') return 'invalid_request'
  return null
}

function otherThan(accountId: string): string {
  return COMPANIES.find((company) => company.accountId !== accountId)?.accountId ?? accountId
}
