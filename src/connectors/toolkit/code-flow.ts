import { createHash, randomBytes } from 'node:crypto'
import type { Json } from '../../model/values/json.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectAuthorization, type RedirectCompletion, type RedirectRequest } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from './answers.ts'
import { type ClientKeysIn, dueAt, postForm, type TokenSource, toTokenError, wordOf } from './token-requests.ts'

/** The fields of a token response that the flow reads. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export interface TokenAnswer {
  access_token: string
  refresh_token?: string | null
  /** Seconds. */
  expires_in: string | number
}

/** The part that the secrets of all connectors with this flow share. */
export interface TokenSecret {
  accessToken: string
  refreshToken: string
}

/** What a request to the token endpoint is about: a callback that has just come, or an authorization that we hold. */
export type TokenContext<Secret> = { query: RedirectCompletion['query']; secret?: undefined } | { query?: undefined; secret: Secret }

/** Books (company, business, bank login) that a sign-in opens. */
export interface OpenedBooks {
  id: string
  name: string
  /** What the secret of these books holds beside the tokens. */
  secret?: Record<string, string>
  /** The source's own handle for the connection; the id when left out. */
  reference?: string | null
}

/** OAuth 2 authorization code flow of one source, with a refresh token. Source: https://www.rfc-editor.org/rfc/rfc6749#section-4.1 */
export interface CodeFlow<Answer extends TokenAnswer, Secret extends TokenSecret> {
  source: TokenSource
  /** The page where the owner signs in, without its query. */
  authorizeUrl(kit: Kit, request: RedirectRequest): string
  /** Left out where the source has no scopes. */
  scope?: string | ((kit: Kit) => string)
  /** Parameters of the sign-in page beyond those of OAuth. */
  parameters?: Readonly<Record<string, string>> | ((request: RedirectRequest) => Record<string, string>)
  /** PKCE, where the source knows it. Source: https://www.rfc-editor.org/rfc/rfc7636 */
  hasProof?: true
  /** OpenID Connect: a nonce is sent, and handed to `listBooks` to be compared with the one of the identity token. */
  hasNonce?: true
  /** Token endpoint. Throws for a callback that names no place of the source where the code is good. */
  tokenUrl(kit: Kit, context: TokenContext<Secret>): string
  keysIn: ClientKeysIn | ((kit: Kit) => ClientKeysIn)
  /** Fields of the token request beyond those of OAuth. */
  form?(context: TokenContext<Secret>): Record<string, string>
  /** Compiled shape of the token response. */
  token: { Check(value: unknown): value is Answer }
  /** A refresh is due this many seconds before the access token ends. */
  marginS: number
  /** When the token was issued, in seconds since 1970, where the source says so; a time to come counts as now. */
  issuedAt?(answer: Answer): number | null | undefined
  /** A sign-in without a refresh token is taken: it lasts as long as its access token. */
  mayLackRefreshToken?: true
  /** Whether an answer with status 200 refuses all the same. */
  isRefusal?(response: HttpResponse): boolean
  /** The error of a refusal, where the words of `source` are not enough. */
  toError?(response: HttpResponse, what: string, now: Date): SourceError
  secretOf(credentials: Credentials): Secret
  /** Parts of the secret that a refresh changes beside the tokens. */
  refreshed?(kit: Kit, answer: Answer, secret: Secret): Record<string, string>
  /** Books that the new token opens, and who signed in. */
  listBooks(kit: Kit, answer: Answer, completion: CodeCompletion): Promise<{ books: readonly OpenedBooks[]; email?: string | null }>
  /** Told to an owner whose sign-in opens no books. */
  noBooks?: LocalizedText
  /** The books that were connected before: a repair then takes no others, where they are among those that the sign-in opens. */
  booksOf?(secret: Secret): string
}

/** What came back with the owner. */
export interface CodeCompletion extends RedirectCompletion {
  nonce: string
}

export interface CodeFlowSteps {
  authorization: RedirectAuthorization
  /** Refresh; the newest refresh token is always kept. */
  refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials>
}

/** Both halves of an authorization, and its refresh. A sign-in gives one grant for each of the books that it opens; they share their tokens. */
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
  const answer = responseJson(response, what)
  if (!flow.token.Check(answer)) throw new SourceError('badData', `${flow.source.source} answered without a token`)
  return answer
}

/** A refresh token that the answer does not replace is kept. */
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

/** How the source takes an authorization back. Source: https://www.rfc-editor.org/rfc/rfc7009 */
export interface Revocation<Secret> {
  url(kit: Kit, secret: Secret): string
  /** Words that say that it has ended already; `invalid_grant` and `invalid_token` when left out. */
  ended?: readonly string[]
  /** Success; 200 when left out. */
  statuses?: readonly number[]
}

/** `disconnect` of a connector: revokes the refresh token. One that has ended already is no failure. */
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

/** PKCE: the verifier, and the parameters that show its hash. Source: https://www.rfc-editor.org/rfc/rfc7636#section-4 */
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

/** What `start` left in its memo. */
function readMemo(memo: Json, name: 'verifier' | 'nonce'): string {
  if (isJsonObject(memo) && typeof memo[name] === 'string') return memo[name]
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}
