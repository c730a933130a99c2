import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429 without Retry-After: Sage counts calls by the minute. */
const THROTTLE_WAIT_MS = 60_000

/**
 * Error for a response of the API. The API returns `[{"$severity","$dataCode","$message","$source"}]`, its gateway and
 * the sign-in an object; only codes are shown, never their texts.
 * Source: https://developer.sage.com/accounting/guides/concepts/response_codes/ and …/frequently_raised_errors/
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = findWord(response)
  const message = `Sage answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  const { status } = response
  if (status === 429) {
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, THROTTLE_WAIT_MS) })
  }
  if (status >= 500 || status === 408) return new SourceError('unavailable', message)
  // An ended subscription is reported as 401, too: a refresh does not help, only the owner can renew it.
  if (status === 401 || status === 403 || /^(Authorization|Authentication)Failure$/.test(word)) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/** Whether a response with status 200 reports an error nevertheless: a list of messages instead of the envelope. */
export function hasErrors(body: Json): boolean {
  return Array.isArray(body) && body.some((item) => typeof item === 'object' && item !== null && '$severity' in item)
}

function findWord(response: HttpResponse): string {
  const text = new TextDecoder().decode(response.body.subarray(0, 4096))
  return /"\$dataCode"\s*:\s*"([A-Za-z]{1,60})"/.exec(text)?.[1] ?? /"error"\s*:\s*"([a-z_]{1,40})"/.exec(text)?.[1] ?? ''
}
