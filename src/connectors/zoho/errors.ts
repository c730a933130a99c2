import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/**
 * Limits by the code in the body, and the wait of each. Zoho sends no `Retry-After`.
 * Source: https://www.zoho.com/books/api/v3/introduction/#api-call-limit
 */
const LIMITS: Readonly<Record<string, { word: string; waitMs: number }>> = {
  44: { word: 'minute', waitMs: 60_000 },
  45: { word: 'day', waitMs: 3_600_000 },
  1070: { word: 'concurrent', waitMs: 5000 },
}

/** `14`: invalid token. `57`: the token has expired, or its scopes or the person's role lack the permission. */
const REFUSALS: readonly string[] = ['14', '57']

/** Code for a missing resource, requested by its id. */
const GONE = '1002'

const THROTTLE_WAIT_MS = 60_000

/**
 * Error for a response of the API. The body `{code, message}` decides; limits have been seen under other statuses than
 * 429, and refusals under 400.
 * Source: https://www.zoho.com/books/api/v3/errors/
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const code = codeOf(response)
  const limit = code === null ? undefined : LIMITS[code]
  const message = describe(response, what, code, limit?.word)
  if (limit || response.status === 429) {
    const fallbackMs = limit?.word === 'day' ? untilReset(response, limit.waitMs) : (limit?.waitMs ?? THROTTLE_WAIT_MS)
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, fallbackMs) })
  }
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (response.status === 401 || response.status === 403 || isRefusal(response)) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/** Whether a response with status 200 reports an error nevertheless: success is code 0. */
export function hasFault(response: HttpResponse): boolean {
  return response.status !== 200 || (codeOf(response) ?? '0') !== '0'
}

/** Whether this token was refused for the request; another request shows whether it is valid at all. */
export function isRefusal(response: HttpResponse): boolean {
  return REFUSALS.includes(codeOf(response) ?? '')
}

/** Whether the resource requested by its id does not exist (any more). */
export function isGone(response: HttpResponse): boolean {
  return response.status === 404 || codeOf(response) === GONE
}

/** Only the code: the message can quote names. */
function describe(response: HttpResponse, what: string, code: string | null, limit: string | undefined): string {
  const parts = [code === null ? '' : `code ${code}`, limit === undefined ? '' : `limit: ${limit}`].filter((part) => part !== '')
  return `Zoho answered ${response.status} to ${what}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}

/** Wait in milliseconds until the daily limit resets; `x-rate-limit-reset` is in seconds. */
function untilReset(response: HttpResponse, fallbackMs: number): number {
  const seconds = /^\d{1,6}$/.exec(response.headers['x-rate-limit-reset'] ?? '')?.[0]
  return seconds === undefined ? fallbackMs : Number(seconds) * 1000
}

/** The `code` at the front of the body. */
function codeOf(response: HttpResponse): string | null {
  const text = new TextDecoder().decode(response.body.subarray(0, 512))
  return /^\s*\{\s*"(?:message"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*")?code"\s*:\s*"?(\d{1,9})"?\s*[,}]/.exec(text)?.[1] ?? null
}
