import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait for the limit per second; the daily limit resets hours later. */
const SECOND_WAIT_MS = 1_000
const DAY_WAIT_MS = 3_600_000

/**
 * Error for a response of the API: `{"Errors":[{"Name","Message","AdditionalDetails","ErrorCode","Severity"}]}`. A
 * throttled call has status 429, or 403 with a corresponding name, and its message distinguishes the limit per second
 * from the daily one. Only names and codes are shown, never texts.
 * Source: https://developer.myob.com/api/myob-business-api/api-overview/error-messages
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const { name, code, isDay } = findError(response)
  const message = describe(response, what, name, code)
  const { status } = response
  if (status === 429 || /Over(Qps|Rate)|RateLimit|TooManyRequests/i.test(name)) {
    const usualMs = isDay ? DAY_WAIT_MS : SECOND_WAIT_MS
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, usualMs) })
  }
  if (status >= 500 || status === 408) return new SourceError('unavailable', message)
  if (name === 'DeveloperInactive')
    return new SourceError('unavailable', `${message}: the operator's clientId was refused`, { isClientRefused: true })
  if (status === 401 || status === 403) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/** Whether a response with status 200 reports an error nevertheless. */
export function hasErrors(body: Json): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  return Array.isArray(body.Errors) && body.Errors.length > 0
}

function findError(response: HttpResponse): { name: string; code: string; isDay: boolean } {
  const text = new TextDecoder().decode(response.body.subarray(0, 4096))
  if (!/"Errors"\s*:\s*\[/.test(text)) return { name: '', code: '', isDay: false }
  return {
    name: /"Name"\s*:\s*"([A-Za-z_]{1,60})"/.exec(text)?.[1] ?? '',
    code: /"ErrorCode"\s*:\s*"?(\d{1,8})\b/.exec(text)?.[1] ?? '',
    isDay: /daily rate limit|OverRate/i.test(text),
  }
}

/** Error message with the request id of the failed call, for MYOB's support. */
function describe(response: HttpResponse, what: string, name: string, code: string): string {
  const trace = /^[\w-]{1,80}$/.exec(response.headers['x-myobapi-requestid'] ?? '')?.[0]
  const parts = [name, code === '' ? '' : `code ${code}`, trace ? `request ${trace}` : ''].filter((part) => part !== '')
  return `MYOB answered ${response.status} to ${what}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}
