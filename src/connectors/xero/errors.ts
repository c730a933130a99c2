import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429 without Retry-After. */
const THROTTLE_WAIT_MS = 60_000

/** First word of `Detail`, which names the error; the rest stays out of messages. */
const DETAIL = /"(?:Detail|detail)"\s*:\s*"(TokenExpired|AuthorizationUnsuccessful|AuthenticationUnsuccessful|[A-Z][A-Za-z]{3,40})\b/

/**
 * Error for a response of Xero's APIs. Gateway errors are `{Type, Title, Status, Detail, Instance}`, those of the
 * accounting service `{ErrorNumber, Type, Message}`; a rate limit is recognized by the status and
 * `X-Rate-Limit-Problem`.
 * Source: https://developer.xero.com/documentation/guides/oauth2/limits/ and
 * https://developer.xero.com/documentation/api/accounting/responsecodes
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const message = describe(response, what)
  if (response.status === 429) {
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, THROTTLE_WAIT_MS) })
  }
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (response.status === 401 || response.status === 403) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/**
 * Whether the token is valid but the app's tier, its scopes or the person's role lack the permission. An expired token
 * is `TokenExpired`, a disconnected organisation `AuthenticationUnsuccessful`.
 * Source: https://github.com/XeroAPI/xero-node/issues/344 and https://github.com/XeroAPI/Xero-Net/issues/347
 */
export function isNotPermitted(response: HttpResponse): boolean {
  if (response.status !== 401 && response.status !== 403) return false
  const text = textOf(response)
  return DETAIL.exec(text)?.[1] === 'AuthorizationUnsuccessful' || /without the \w+ role or higher privileges/.test(text)
}

/** Codes and words only, never Xero's sentences, which can quote names and tokens. */
function describe(response: HttpResponse, what: string): string {
  const text = textOf(response)
  const problem = /^[a-z]{1,20}$/i.exec(response.headers['x-rate-limit-problem'] ?? '')?.[0]
  const parts = [
    DETAIL.exec(text)?.[1],
    /"Type"\s*:\s*"([A-Za-z]{1,40})"/.exec(text)?.[1],
    problem && `limit: ${problem}`,
    prefixed('error ', /"ErrorNumber"\s*:\s*(\d{1,6})\b/.exec(text)?.[1]),
    prefixed('instance ', /"Instance"\s*:\s*"([0-9a-f-]{36})"/.exec(text)?.[1]),
  ].filter((part) => part !== undefined && part !== '')
  return `Xero answered ${response.status} to ${what}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${prefix}${text}`
}

function textOf(response: HttpResponse): string {
  return new TextDecoder().decode(response.body.subarray(0, 4096))
}
