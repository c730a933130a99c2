import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { isJsonObject, retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429 without Retry-After: FreshBooks publishes no limit. */
const THROTTLE_WAIT_MS = 60_000

/**
 * Error for a response of the API. There are three formats: `{"errors":{"status","details"}}` of the business routes,
 * `{"response":{"errors":[{"errno"}]}}` of the account routes and `{"error"}` of sign-in; only their codes are shown,
 * never their texts.
 * Source: https://github.com/freshbooks/freshbooks-nodejs-sdk and https://github.com/amcintosh/freshbooks-python-sdk
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const word = findWord(response)
  const message = `FreshBooks answered ${response.status} to ${what}${word === '' ? '' : ` (${word})`}`
  const { status } = response
  if (status === 429 || word === 'errno 429') {
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, THROTTLE_WAIT_MS) })
  }
  if (status >= 500 || status === 408) return new SourceError('unavailable', message)
  if (status === 401 || word === 'unauthenticated') return new SourceError('reconnect', message)
  if (status === 403) return new SourceError('reconnect', `${message}: a scope is missing, or the business is closed to this person`)
  return new SourceError('badData', message)
}

/** Whether a response with status 200 reports an error nevertheless, in any of the three formats. */
export function hasErrors(body: Json): boolean {
  if (!isJsonObject(body)) return false
  return hasValue(body.errors) || hasValue(body.error) || (isJsonObject(body.response) && hasValue(body.response.errors))
}

function findWord(response: HttpResponse): string {
  const text = new TextDecoder().decode(response.body.subarray(0, 4096))
  const errno = /"errno"\s*:\s*"?(\d{1,6})/.exec(text)?.[1]
  return errno === undefined ? (/"error"\s*:\s*"([a-z_]{1,40})"/.exec(text)?.[1] ?? '') : `errno ${errno}`
}

function hasValue(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}
