import { createHash, randomBytes } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import type { RedirectCompletion } from '../contract/authorization.ts'
import { type Credentials, type Grant, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson, retryAfterMs } from './answers.ts'
import { basicAuthorization } from './status-failures.ts'

/** Shorter than the engine's lease on a refresh. */
export const TOKEN_TIMEOUT_MS = 20_000

/** Words of a refusal that say that the operator's keys are wrong. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const WRONG_KEYS: readonly string[] = ['invalid_client', 'unauthorized_client']

/** A verifier and what the source is told of it before. Source: https://www.rfc-editor.org/rfc/rfc7636#section-4 */
export function createProof(): { verifier: string; challenge: { code_challenge: string; code_challenge_method: 'S256' } } {
  const verifier = randomBytes(48).toString('base64url')
  return {
    verifier,
    challenge: { code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
}

/** The code that came back with the owner; throws when they declined or there is none. */
export function readCode({ error, code }: RedirectCompletion['query'], source: string): string {
  if (error !== undefined) throw new SourceError('reconnect', `the authorization was declined at ${source}`)
  if (!code) throw new SourceError('badData', `${source} came back without a code`)
  return code
}

/** The verifier that `start` left in its memo. */
export function readVerifier(memo: Json): string {
  if (isJsonObject(memo) && typeof memo.verifier === 'string') return memo.verifier
  throw new SourceError('badData', 'the memo of this authorization holds no verifier')
}

/** Posts a form with the operator's `clientId` and `clientSecret` in it or in `Authorization`, as the source wants them, or without. */
export async function postForm(
  kit: Kit,
  url: string,
  form: Record<string, string>,
  keysIn: 'form' | 'header' | 'nowhere',
): Promise<HttpResponse> {
  const { clientId = '', clientSecret = '' } = kit.app
  const keys: Record<string, string> = keysIn === 'form' ? { client_id: clientId, client_secret: clientSecret } : {}
  return await kit.http({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(keysIn === 'header' ? { authorization: basicAuthorization(clientId, clientSecret) } : {}),
    },
    body: new URLSearchParams({ ...keys, ...form }).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

/** A source that gives tokens, and what it means by refusing one where that is not what OAuth says. */
export interface TokenSource {
  source: string
  /** OAuth's word for it. */
  word?: string
  /** What is shown of it; the word when left out. */
  shown?: string
  /** Words for what the owner has to mend; `invalid_grant` when left out. */
  ended?: readonly string[]
  /** Words for what the operator has to mend; `invalid_client` and `unauthorized_client` when left out. */
  wrongKeys?: readonly string[]
  /** Words for what time mends. */
  passing?: readonly string[]
  /** Words for too many requests. */
  tooMany?: readonly string[]
  /** How long to wait after too many requests without `Retry-After`; a minute when left out. */
  waitMs?: number
  /** What it waits at least, whatever the source says. */
  leastWaitMs?: number
}

/** An ended grant is for the owner to mend, refused keys for the operator: connections are not broken by a wrong key. */
export function toTokenError(response: HttpResponse, what: string, now: Date, from: TokenSource): SourceError {
  const { source, word = wordOf(response), shown = word, ended = ['invalid_grant'], wrongKeys = WRONG_KEYS } = from
  const { passing = [], tooMany = [] } = from
  const message = `${source} answered ${response.status} to ${what}${shown === '' ? '' : ` (${shown})`}`
  if (response.status === 429 || tooMany.includes(word)) {
    const waitMs = retryAfterMs(response.headers, now, from.waitMs ?? 60_000)
    return new SourceError('rateLimited', message, { retryAfterMs: Math.max(waitMs, from.leastWaitMs ?? 0) })
  }
  if (response.status >= 500 || response.status === 408 || passing.includes(word)) return new SourceError('unavailable', message)
  if (ended.includes(word)) return new SourceError('reconnect', message)
  if (wrongKeys.includes(word.toLowerCase()) || response.status === 401) {
    return new SourceError('unavailable', `${message}: the operator's clientId or clientSecret was refused`, { isClientRefused: true })
  }
  if (response.status === 400 && word === '') return refuseWithoutWord(response, message)
  return new SourceError('badData', message)
}

/** OAuth's `error` of an answer, in lower case; empty when it names none. */
export function wordOf(response: HttpResponse): string {
  return (/"error"\s*:\s*"([a-z_]{1,40})"/i.exec(startOf(response))?.[1] ?? '').toLowerCase()
}

/** A server refused a grant and said no reason for it. */
export class UnexplainedRefusal extends SourceError {}

/** Words by which a refusal is about the operator's keys, whatever their order. */
const OF_KEYS = /client|api.?key|app.?(id|key|secret)/i

/**
 * 400 to a request for tokens that lacks the word which OAuth demands. What differs from a request that was taken before is the grant, so an empty
 * answer, or an object that speaks of no keys, asks the owner to sign in again. A page or a text is that of a server in front, which passes.
 * Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export function refuseWithoutWord(response: HttpResponse, message: string): SourceError {
  const text = startOf(response).trim()
  if (text !== '' && !/^[{[]/.test(text)) return new SourceError('unavailable', message)
  if (OF_KEYS.test(text)) return new SourceError('unavailable', `${message}: it speaks of the operator's keys`, { isClientRefused: true })
  return new UnexplainedRefusal('reconnect', message)
}

function startOf({ body }: HttpResponse): string {
  return new TextDecoder().decode(body.subarray(0, 4096))
}

/** A pair of tokens. */
export interface Tokens {
  accessToken: string
  refreshToken: string
  /** When a refresh is due. */
  expiresAt: string
}

/** A token of the shape that the source gives; anything else throws. */
export function readToken<Schema extends TSchema>(schema: Schema, response: HttpResponse, now: Date, from: TokenSource): Static<Schema> {
  const what = 'the request for a token'
  if (response.status !== 200) throw toTokenError(response, what, now, from)
  const answer = responseJson(response, what)
  if (!Check(schema, answer)) throw new SourceError('badData', `${from.source} answered without a token`)
  return answer
}

/** When a refresh is due: so many seconds before the end of a token that lives `expiresIn` seconds from now on. */
export function dueAt(kit: Kit, expiresIn: string | number, marginS: number, { source }: TokenSource): string {
  const lifetimeS = Number(expiresIn)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', `${source} answered a token without a lifetime`)
  return new Date(kit.now().getTime() + Math.max(0, lifetimeS - marginS) * 1000).toISOString()
}

/** The pair of an answer that holds both. */
export function toTokens(
  kit: Kit,
  answer: { access_token: string; refresh_token: string; expires_in: string | number },
  marginS: number,
  from: TokenSource,
): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: dueAt(kit, answer.expires_in, marginS, from),
  }
}

/** A grant for each of the books that a sign-in opens; for a repair those that were connected before, where they are among them. */
export function toGrants<Book extends { id: string; name: string }>(
  books: readonly Book[],
  { known, email, toCredentials }: { known: string | null; email: string | null; toCredentials(book: Book): Credentials },
): Grant[] {
  const chosen = books.filter(({ id }) => id === known)
  return (chosen.length > 0 ? chosen : books).map((book) => ({
    credentials: toCredentials(book),
    entity: { id: book.id, name: book.name },
    reference: book.id,
    ...(email === null ? {} : { email }),
  }))
}
