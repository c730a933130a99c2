import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429: the rate limit window is five minutes, and `Retry-After` is not guaranteed. */
const THROTTLE_WAIT_MS = 60_000

/**
 * Error for a response of the API. Error texts are not shown: they quote names, filters and the user.
 * Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/webservices/dynamics-error-codes and
 * https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/administration/operational-limits-online
 */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const message = describe(response, what)
  if (response.status === 429) {
    const waitMs = Math.max(1_000, retryAfterMs(response.headers, now, THROTTLE_WAIT_MS))
    return new SourceError('rateLimited', message, { retryAfterMs: waitMs })
  }
  // 408 after eight minutes of work, 503 when the queue is full, 504 from the gateway.
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  // 404: the company or the environment was deleted or renamed, and the owner has to choose again.
  if ([401, 403, 404].includes(response.status)) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}

/** Error message, which ends with the correlation id of the failed call for Microsoft's support. */
function describe(response: HttpResponse, what: string): string {
  const text = new TextDecoder().decode(response.body.subarray(0, 4096))
  const code = /"code"\s*:\s*"([A-Za-z_]{1,80})"/.exec(text)?.[1]
  const correlation = /CorrelationId:\s*([0-9a-f-]{36})\b/i.exec(text)?.[1]
  const parts = [code ?? '', correlation ? `CorrelationId ${correlation}` : ''].filter((part) => part !== '')
  return `Business Central answered ${response.status} to ${what}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}
