import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429 without Retry-After: FreeAgent counts calls by the minute. */
const THROTTLE_WAIT_MS = 60_000

/**
 * Error for a response of the API. Errors have texts and no codes, as `{"errors":{"error":{"message"}}}` or
 * `{"errors":[{"message"}]}`, throttled calls plain text: so the status decides, and nothing of the body is shown.
 * Source: https://dev.freeagent.com/docs/introduction
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const { status } = response
  const message = `FreeAgent answered ${status} to ${what}`
  if (status === 429) {
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, THROTTLE_WAIT_MS) })
  }
  if (status >= 500 || status === 408) return new SourceError('unavailable', message)
  if (status === 401) return new SourceError('reconnect', message)
  if (status === 403) return new SourceError('reconnect', `${message}: the person's access level no longer reaches it`)
  return new SourceError('badData', message)
}

/** Whether a response with status 200 reports an error nevertheless. */
export function hasErrors(body: Json): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && (body.errors ?? null) !== null
}
