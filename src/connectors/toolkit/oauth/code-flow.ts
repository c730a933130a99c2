import { createHash, randomBytes } from 'node:crypto'
import type { Json } from '../../../model/values/json.ts'
import type { LocalizedText } from '../../../model/values/text.ts'
import { InputRefused, type RedirectAuthorization, type RedirectCompletion, type RedirectRequest } from '../../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../../contract/contract.ts'
import { isJsonObject, responseJson } from '../http/answers.ts'
import { type ClientKeysIn, dueAt, postForm, type TokenSource, toTokenError, wordOf } from './token-requests.ts'

/** Fields of a token response that the flow reads. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export interface TokenAnswer {
  access_token: string
  refresh_token?: string | null
  /** Seconds. */
  expires_in: string | number
}

/** Common part of the secrets of all connectors with this flow. */
export interface TokenSecret {
  accessToken: string
  refreshToken: string
}

/** Subject of a request to the token endpoint: a callback just received, or an existing authorization. */
export type TokenContext<Secret> = { query: RedirectCompletion['query']; secret?: undefined } | { query?: undefined; secret: Secret }

/** Books (company, business, bank login) opened by a sign-in. */
export interface OpenedBooks {
  id: string
  name: string
  /** Members of the secret for these books, apart from the tokens. */
  secret?: Record<string, string>
  /** The source's own handle for the connection; default: the id. */
  reference?: string | null
}

/**
 * OAuth 2 authorization code flow of one source, with a refresh token.
 * Source: https://www.rfc-editor.org/rfc/rfc6749#section-4.1
 */
export interface CodeFlow<Answer extends TokenAnswer, Secret extends TokenSecret> {
  source: TokenSource
  /** Authorization endpoint, without its query. */
  authorizeUrl(kit: Kit, request: RedirectRequest): string
  /** Absent where the source has no scopes. */
  scope?: string | ((kit: Kit) => string)
  /** Parameters of the authorization request beyond those of OAuth. */
  parameters?: Readonly<Record<string, string>> | ((request: RedirectRequest) => Record<string, string>)
  /** PKCE, where the source supports it. Source: https://www.rfc-editor.org/rfc/rfc7636 */
  hasProof?: true
  /** OpenID Connect: a nonce is sent, and passed to `listBooks` for comparison with the one in the identity token. */
  hasNonce?: true
  /** Token endpoint. Throws for a callback that names no location of the source for the code. */
  tokenUrl(kit: Kit, context: TokenContext<Secret>): string
  keysIn: ClientKeysIn | ((kit: Kit) => ClientKeysIn)
  /** Fields of the token request beyond those of OAuth. */
  form?(context: TokenContext<Secret>): Record<string, string>
  /** Compiled schema of the token response. */
  token: { Check(value: unknown): value is Answer }
  /** Seconds before the expiry of the access token at which a refresh is due. */
  marginS: number
  /** Issue time of the token in seconds since 1970, where the source reports it; a future time counts as now. */
  issuedAt?(answer: Answer): number | null | undefined
  /** Accepts a sign-in without a refresh token: it lasts as long as its access token. */
  mayLackRefreshToken?: true
  /** Whether a response with status 200 is a rejection. */
  isRefusal?(response: HttpResponse): boolean
  /** Error of a rejection, where the words of `source` are not sufficient. */
  toError?(response: HttpResponse, what: string, now: Date): SourceError
  secretOf(credentials: Credentials): Secret
  /** Members of the secret that a refresh changes, apart from the tokens. */
  refreshed?(kit: Kit, answer: Answer, secret: Secret): Record<string, string>
  /** Books that the new token opens, and who signed in. */
  listBooks(kit: Kit, answer: Answer, completion: CodeCompletion): Promise<{ books: readonly OpenedBooks[]; email?: string | null }>
  /** Text for an owner whose sign-in opens no books. */
  noBooks?: LocalizedText
  /** Id of the books connected before: a repair selects them, if the sign-in opens them. */
  booksOf?(secret: Secret): string
}

/** Callback of the owner. */
export interface CodeCompletion extends RedirectCompletion {
  nonce: string
}

export interface CodeFlowSteps {
  authorization: RedirectAuthorization
  /** Refresh; the newest refresh token is always kept. */
  refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials>
}

/**
 * Authorization and refresh of a source. A sign-in yields one grant for each of the books it opens; they share their
 * tokens.
 */
export function codeFlow<Answer extends TokenAnswer, Secret extends TokenSecret>(flow: CodeFlow<Answer, Secret>): CodeFlowSteps {
  return {
    authorization: {
      step: 'redirect',
      start: async (kit, request) => start(kit, flow, request),
      complete: (kit, completion) => complete(kit, flow, completion),
    },
    refreshCredentials: async (kit, credentials) => {
      const secret = flow.secretOf(credentials)
      const form = { grant_type: 'refresh_token', refresh_token: secret.refreshToken }
      const answer = await requestTokens(kit, flow, { secret }, form)
      return toCredentials(kit, flow, answer, { ...secret, ...flow.refreshed?.(kit, answer, secret) })
    },
  }
}

function start<Answer extends TokenAnswer, Secret extends TokenSecret>(kit: Kit, flow: CodeFlow<Answer, Secret>, request: RedirectRequest) {
  const { scope, parameters = {} } = flow
  const { verifier, challenge } = createProof()
  const nonce = randomBytes(24).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: kit.app.clientId ?? '',
    redirect_uri: request.callbackUrl,
    ...(scope === undefined ? {} : { scope: typeof scope === 'string' ? scope : scope(kit) }),
    state: request.state,
    ...(flow.hasNonce ? { nonce } : {}),
    ...(flow.hasProof ? challenge : {}),
    ...(typeof parameters === 'function' ? parameters(request) : parameters),
  })
  const memo = { ...(flow.hasProof ? { verifier } : {}), ...(flow.hasNonce ? { nonce } : {}) }
  const url = `${flow.authorizeUrl(kit, request)}?${query}`
  return Object.keys(memo).length === 0 ? { url } : { url, memo }
}

async function complete<Answer extends TokenAnswer, Secret extends TokenSecret>(
  kit: Kit,
  flow: CodeFlow<Answer, Secret>,
  completion: RedirectCompletion,
): Promise<Grant[]> {
  const { callbackUrl, query, memo, reconnect } = completion
  const code = readCode(query, flow.source.source)
  const nonce = flow.hasNonce ? readMemo(memo, 'nonce') : ''
  const answer = await requestTokens(
    kit,
    flow,
    { query },
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: callbackUrl,
      ...(flow.hasProof ? { code_verifier: readMemo(memo, 'verifier') } : {}),
    },
  )
  const refreshToken = answer.refresh_token || (flow.mayLackRefreshToken ? '' : null)
  if (refreshToken === null) throw new SourceError('badData', `${flow.source.source} answered without a refresh token`)
  const { books, email = null } = await flow.listBooks(kit, answer, { ...completion, nonce })
  if (books.length === 0 && flow.noBooks) throw new InputRefused(flow.noBooks)
  const known = reconnect && flow.booksOf ? flow.booksOf(flow.secretOf(reconnect)) : null
  const chosen = books.filter(({ id }) => id === known)
  return (chosen.length > 0 ? chosen : books).map(({ id, name, secret = {}, reference = id }) => ({
    credentials: toCredentials(kit, flow, answer, { refreshToken, ...secret }),
    entity: { id, name },
    ...(reference === null ? {} : { reference }),
    ...(email === null ? {} : { email }),
  }))
}

async function requestTokens<Answer extends TokenAnswer, Secret extends TokenSecret>(
  kit: Kit,
  flow: CodeFlow<Answer, Secret>,
  context: TokenContext<Secret>,
  form: Record<string, string>,
): Promise<Answer> {
  const what = 'the request for a token'
  const url = flow.tokenUrl(kit, context)
  const keysIn = typeof flow.keysIn === 'function' ? flow.keysIn(kit) : flow.keysIn
  const response = await postForm(kit, url, { ...form, ...flow.form?.(context) }, keysIn)
  if (response.status !== 200 || flow.isRefusal?.(response)) throw toError(flow, response, what, kit.now())
  const answer = await responseJson(response, what)
  if (!flow.token.Check(answer)) throw new SourceError('badData', `${flow.source.source} answered without a token`)
  return answer
}

/** Keeps the previous refresh token unless the response replaces it. */
function toCredentials<Answer extends TokenAnswer, Secret extends TokenSecret>(
  kit: Kit,
  flow: CodeFlow<Answer, Secret>,
  answer: Answer,
  secret: Record<string, Json> & { refreshToken: string },
): Credentials {
  const { marginS, source } = flow
  return {
    secret: { ...secret, accessToken: answer.access_token, refreshToken: answer.refresh_token || secret.refreshToken },
    expiresAt: dueAt(kit, answer.expires_in, { marginS, issuedAtS: flow.issuedAt?.(answer) }, source),
  }
}

function toError<Answer extends TokenAnswer, Secret extends TokenSecret>(
  flow: CodeFlow<Answer, Secret>,
  response: HttpResponse,
  what: string,
  now: Date,
): SourceError {
  return flow.toError ? flow.toError(response, what, now) : toTokenError(response, what, now, flow.source)
}

/** Revocation endpoint of the source. Source: https://www.rfc-editor.org/rfc/rfc7009 */
export interface Revocation<Secret> {
  url(kit: Kit, secret: Secret): string
  /** Errors meaning that the grant has already ended; default `invalid_grant` and `invalid_token`. */
  ended?: readonly string[]
  /** Success statuses; default 200. */
  statuses?: readonly number[]
}

/** `disconnect` of a connector: revokes the refresh token. A grant that has already ended is not an error. */
export function revocation<Answer extends TokenAnswer, Secret extends TokenSecret>(
  flow: CodeFlow<Answer, Secret>,
  { url, ended = ['invalid_grant', 'invalid_token'], statuses = [200] }: Revocation<Secret>,
): (kit: Kit, credentials: Credentials) => Promise<void> {
  return async (kit, credentials) => {
    const secret = flow.secretOf(credentials)
    const keysIn = typeof flow.keysIn === 'function' ? flow.keysIn(kit) : flow.keysIn
    const response = await postForm(kit, url(kit, secret), { token: secret.refreshToken }, keysIn)
    if (statuses.includes(response.status) || ended.includes(wordOf(response))) return
    throw toError(flow, response, 'the revocation', kit.now())
  }
}

/** PKCE: the verifier, and the parameters with its hash. Source: https://www.rfc-editor.org/rfc/rfc7636#section-4 */
export function createProof(): { verifier: string; challenge: { code_challenge: string; code_challenge_method: 'S256' } } {
  const verifier = randomBytes(48).toString('base64url')
  return {
    verifier,
    challenge: { code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
}

/** Authorization code of a callback; throws when the owner declined or there is none. */
export function readCode({ error, code }: RedirectCompletion['query'], source: string): string {
  if (error !== undefined) throw new SourceError('reconnect', `the authorization was declined at ${source}`)
  if (!code) throw new SourceError('badData', `${source} came back without a code`)
  return code
}

/** Value that `start` stored in its memo. */
function readMemo(memo: Json, name: 'verifier' | 'nonce'): string {
  if (isJsonObject(memo) && typeof memo[name] === 'string') return memo[name]
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}
