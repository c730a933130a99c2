import { type HttpResponse, type Kit, SourceError } from '../../contract/contract.ts'
import { retryAfterMs } from '../http/answers.ts'
import { basicAuthorization } from '../http/status-failures.ts'

/** Shorter than the engine's refresh lease. */
export const TOKEN_TIMEOUT_MS = 20_000

/** Errors meaning that the operator's keys are wrong. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const WRONG_KEYS: readonly string[] = ['invalid_client', 'unauthorized_client']

/**
 * Client authentication of a token request with the operator's `clientId` and `clientSecret`: in the form, by Basic
 * authentication (`encodedHeader`: percent-encoded first, as in RFC 6749), in a JSON body that replaces the form, the
 * id alone in the form (a public client), or none.
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

/** Token endpoint of a source, with its error codes where they differ from OAuth's. */
export interface TokenSource {
  source: string
  /** OAuth error code. */
  word?: string
  /** Text shown for it; default: the code. */
  shown?: string
  /** Errors to be fixed by the owner; default `invalid_grant`. */
  ended?: readonly string[]
  /** Errors to be fixed by the operator; default `invalid_client` and `unauthorized_client`. */
  wrongKeys?: readonly string[]
  /** Temporary errors. */
  passing?: readonly string[]
  /** Errors meaning too many requests. */
  tooMany?: readonly string[]
  /** Wait after too many requests without `Retry-After`; default one minute. */
  waitMs?: number
  /** Minimum wait, whatever the source requests. */
  leastWaitMs?: number
}

/** An ended grant is to be fixed by the owner, rejected keys by the operator: a wrong key breaks no connection. */
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

/** OAuth `error` of a response, in lower case; empty when absent. */
export function wordOf(response: HttpResponse): string {
  return (/"error"\s*:\s*"([a-z_]{1,40})"/i.exec(startOf(response))?.[1] ?? '').toLowerCase()
}

/** Thrown when a server rejected a grant without a reason. */
export class UnexplainedRefusal extends SourceError {}

/** Words that indicate the operator's keys, in any order. */
const OF_KEYS = /client|api.?key|app.?(id|key|secret)/i

/**
 * 400 to a token request without the `error` that OAuth requires. What differs from an accepted request is the grant,
 * so an empty response, or an object that does not mention keys, asks the owner to sign in again. HTML or text is from
 * a server in front, which is temporary.
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

/**
 * Refresh time: `marginS` before the expiry of a token that lives `expiresIn` seconds from its issue (default: now).
 */
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
