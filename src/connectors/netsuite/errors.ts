import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429: NetSuite limits concurrent requests and sends no Retry-After. */
const THROTTLE_WAIT_MS = 60_000

/** Codes for too many concurrent requests; seen with status 400 and 403 as well as 429. */
const THROTTLE_CODES = ['CONCURRENCY_LIMIT_EXCEEDED', 'SSS_REQUEST_LIMIT_EXCEEDED', 'WS_REQUEST_BLOCKED', 'REQUEST_LIMIT_EXCEEDED']

/**
 * Error for a response of the REST services. Its texts are not shown: they quote the query and names.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156570709583.html
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const code = codeOf(response)
  const message = `NetSuite answered ${response.status} to ${what}${code === '' ? '' : ` (${code})`}`
  if (response.status === 429 || THROTTLE_CODES.includes(code)) {
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, THROTTLE_WAIT_MS) })
  }
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (response.status === 401 || response.status === 403 || isHidden(response)) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/** Whether the response reports a missing record or field: the feature is off, or the role has no access. */
export function isHidden(response: HttpResponse): boolean {
  return response.status === 400 && /(Record|Field) '[^']{1,80}'[^.]{0,120} was not found/.test(textOf(response))
}

function codeOf(response: HttpResponse): string {
  return /"o:errorCode"\s*:\s*"([A-Z_]{1,80})"/.exec(textOf(response))?.[1] ?? ''
}

function textOf(response: HttpResponse): string {
  return new TextDecoder().decode(response.body.subarray(0, 4096))
}
