import type { Call } from '../http/front.ts'
import { isWebAddress, withQuery } from '../http/request.ts'
import { pageReply, type Reply, redirectReply } from '../http/response.ts'
import {
  type Choice,
  CONSENT_FORM,
  type ConsentForm,
  type ConsentLogin,
  type ConsentWords,
  consentPage,
  refusalPage,
} from './consent-page.ts'
import type { Grants } from './grants.ts'

/** What a user allows: all books of a login, or one of them. */
export interface Chosen<Login> {
  login: Login
  businessId: string | null
}

/** Authorization endpoint of one source. */
export interface Authorization<Login extends ConsentLogin> {
  /** Source name shown on the page. */
  source: string
  /** The first is signed in; `login` in the page's address selects another. */
  logins: readonly [Login, ...Login[]]
  form?: ConsentForm
  words?: ConsentWords
  /** Error in the app's request, shown on a page; null if there is none. */
  refuse(query: URLSearchParams): string | null
  /** Error returned to the app; null if there is none. */
  findCallbackError?(query: URLSearchParams): string | null
  /** Books to choose one from. */
  choices?(login: Login, query: URLSearchParams): readonly Choice[]
  /** Names of the books that the login gives access to. */
  opens?(login: Login): readonly string[]
  /** Replaces the user's choice while the fault `wrongEntity` is armed. */
  substituteChoice?(chosen: Chosen<Login>): Chosen<Login>
  /** Source-specific data stored with the grant. */
  notes?(query: URLSearchParams): Record<string, string>
  /** Callback parameters besides code and state. */
  callback?(chosen: Chosen<Login>, query: URLSearchParams): Record<string, string>
  /** Callback parameters if the user denies access. */
  denied?: Record<string, string>
  /** Page language, in Accept-Language format; defaults to that header. */
  language?(query: URLSearchParams, acceptLanguage: string | undefined): string | undefined
  /** Called with what is allowed, before the code is issued. */
  onAllow?(chosen: Chosen<Login>, notes: Record<string, string>, query: URLSearchParams): void
}

/**
 * GET and POST of the authorization endpoint. An invalid request of the app is shown on a page; a refusal by the owner
 * is returned to the app as `access_denied`, RFC 6749 4.1.
 */
export function authorize<Login extends ConsentLogin>(
  { query, form, headers }: Call,
  source: Authorization<Login>,
  grants: Grants,
  isWrong: () => boolean,
): Reply {
  const language = source.language ? source.language(query, headers['accept-language']) : headers['accept-language']
  const refuse = (reason: string) => pageReply(400, refusalPage(language, source.source, reason))
  const refusal = source.refuse(query)
  if (refusal !== null) return refuse(refusal)
  const redirectUri = query.get('redirect_uri') ?? ''
  const state = query.get('state') ?? ''
  const error = source.findCallbackError?.(query)
  if (error) return redirectReply(withQuery(redirectUri, { error, state }))
  const login = source.logins.find(({ key }) => key === query.get('login')) ?? source.logins[0]
  const choices = source.choices?.(login, query) ?? []
  const fields = source.form ?? CONSENT_FORM
  if (form === null) {
    const { source: name, logins, words } = source
    const opens = source.opens?.(login) ?? []
    const page = { language, source: name, login, logins, form: fields, choices, opens, query, ...(words ? { words } : {}) }
    return pageReply(200, consentPage(page))
  }
  if (form.get('decision') !== fields.allow.value) {
    return redirectReply(withQuery(redirectUri, { error: 'access_denied', ...source.denied, state }))
  }
  const picked = choices.find(({ id }) => id === form.get(fields.choice))
  if (choices.length > 0 && !picked) return refuse('Choose one of the businesses of this sign-in.')
  const asked = { login, businessId: picked?.id ?? null }
  const chosen = source.substituteChoice && isWrong() ? source.substituteChoice(asked) : asked
  const notes = source.notes?.(query) ?? {}
  source.onAllow?.(chosen, notes, query)
  const code = grants.issueCode({
    clientId: query.get('client_id') ?? '',
    redirectUri,
    login: chosen.login.key,
    businessId: chosen.businessId,
    scope: query.get('scope') ?? '',
    notes,
    challenge: query.get('code_challenge') ?? '',
  })
  return redirectReply(withQuery(redirectUri, { code, state, ...source.callback?.(chosen, query) }))
}

/** Error in a request by RFC 6749 4.1.1 and RFC 7636, in the source's wording; null if there is none. */
export function findRefusal(
  query: URLSearchParams,
  texts: { client: string; address: string; type: string; scope: string; challenge?: string },
  isScope: (scope: string) => boolean,
): string | null {
  if (!query.get('client_id')) return texts.client
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return texts.address
  if (query.get('response_type') !== 'code') return texts.type
  if (!isScope(query.get('scope') ?? '')) return texts.scope
  const isPlain = query.has('code_challenge') && query.get('code_challenge_method') !== 'S256'
  return isPlain ? (texts.challenge ?? null) : null
}

/** Whether all scopes match the pattern, and there is at least one. */
export function areScopes(form: RegExp, separator = ' '): (scope: string) => boolean {
  return (scope) => {
    const scopes = scope.split(separator).filter((each) => each !== '')
    return scopes.length > 0 && scopes.every((each) => form.test(each))
  }
}
