import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/**
 * Intuit asks for this wait and sends no `Retry-After`.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features
 */
const THROTTLE_WAIT_MS = 60_000

/** Reportable part of an error response: codes, never its texts, which can quote tokens and names. */
interface Fault {
  type: string
  code: string
}

/**
 * Error for a response of the accounting API. Faults are in `Fault` or `fault`, in JSON or (whatever was requested) in
 * XML; a throttled call is recognized by its code, since it has been seen with 403 as well as 429.
 * Source: https://github.com/routablehq/python-quickbooks/issues/43 and https://github.com/routablehq/python-quickbooks/issues/250
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const fault = findFault(response)
  const message = describe(response, what, fault)
  const isAuthFault = /^authenticat|^authoriz/i.test(fault?.type ?? '')
  if (response.status === 429 || fault?.code === '3001') {
    const waitMs = Math.max(THROTTLE_WAIT_MS, retryAfterMs(response.headers, now, THROTTLE_WAIT_MS))
    return new SourceError('rateLimited', message, { retryAfterMs: waitMs })
  }
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (response.status === 401 || response.status === 403 || isAuthFault) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/** Whether a response with status 200 reports an error nevertheless. */
export function hasFault(body: Json): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const fault = body.Fault ?? body.fault ?? null
  return fault !== null
}

function findFault(response: HttpResponse): Fault | null {
  const text = new TextDecoder().decode(response.body.subarray(0, 4096))
  if (!/"[Ff]ault"\s*:\s*\{|<Fault\b/.test(text)) return null
  const type = /"type"\s*:\s*"([A-Za-z]{1,40})"|<Fault[^>]*\btype="([A-Za-z]{1,40})"/.exec(text)
  const code = /"code"\s*:\s*"(\d{1,6})"|<Error[^>]*\bcode="(\d{1,6})"/.exec(text)
  return { type: type?.[1] ?? type?.[2] ?? '', code: (code?.[1] ?? code?.[2] ?? '').replace(/^0+/, '') }
}

/** Error message with the `intuit_tid` of the failed call, for Intuit's support. */
function describe(response: HttpResponse, what: string, fault: Fault | null): string {
  const trace = /^[\w-]{1,80}$/.exec(response.headers.intuit_tid ?? '')?.[0]
  const parts = [fault?.code ? `code ${fault.code}` : '', fault?.type ?? '', trace ? `intuit_tid ${trace}` : ''].filter(
    (part) => part !== '',
  )
  return `QuickBooks answered ${response.status} to ${what}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}
