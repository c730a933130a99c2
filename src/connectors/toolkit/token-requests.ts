import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from './answers.ts'
import { basicAuthorization } from './status-failures.ts'

/** Shorter than the engine's lease on a refresh. */
export const TOKEN_TIMEOUT_MS = 20_000

/** Words of a refusal that say that the operator's keys are wrong. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const WRONG_KEYS: readonly string[] = ['invalid_client', 'unauthorized_client']

/**
 * Where a token request carries the operator's `clientId` and `clientSecret`: in the form, by Basic authentication (`encodedHeader`: percent-encoded
 * before, as RFC 6749 has it), in a JSON body that replaces the form, the id alone in the form (a public client), or nowhere.
 */
export type ClientKeysIn = 'form' | 'header' | 'encodedHeader' | 'json' | 'idInForm' | 'nowhere'

/** Token or revocation request. Source: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
export async function postForm(kit: Kit, url: string, form: Record<string, string>, keysIn: ClientKeysIn): Promise<HttpResponse> {
  const { clientId = '', clientSecret = '' } = kit.app
  const id = ['form', 'json', 'idInForm'].includes(keysIn) ? { client_id: clientId } : {}
  const secret = keysIn === 'form' || keysIn === 'json' ? { client_secret: clientSecret } : {}
  const fields = { ...id, ...secret, ...form }
  return await kit.http({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': keysIn === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(keysIn === 'header' ? { authorization: basicAuthorization(clientId, clientSecret) } : {}),
      ...(keysIn === 'encodedHeader'
        ? { authorization: basicAuthorization(encodeURIComponent(clientId), encodeURIComponent(clientSecret)) }
        : {}),
    },
    body: keysIn === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    timeoutMs: TOKEN_TIMEOUT_MS,
  })
}

/** Token endpoint of a source, and what it means by refusing where that is not what OAuth says. */
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

/** When a refresh is due: `marginS` before the end of a token that lives `expiresIn` seconds from its issue, which is now where no time is given. */
export function dueAt(
  kit: Kit,
  expiresIn: string | number,
  { marginS, issuedAtS }: { marginS: number; issuedAtS?: number | null | undefined },
  { source }: TokenSource,
): string {
  const lifetimeS = Number(expiresIn)
  if (!Number.isFinite(lifetimeS)) throw new SourceError('badData', `${source} answered a token without a lifetime`)
  const issuedMs = Math.min(kit.now().getTime(), (issuedAtS ?? Number.POSITIVE_INFINITY) * 1000)
  return new Date(issuedMs + Math.max(0, lifetimeS - marginS) * 1000).toISOString()
}
