import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { peekJson, property, retryAfterMs } from '../toolkit/http/answers.ts'

/** Wave publishes no limit and no wait. */
const THROTTLE_WAIT_MS = 60_000

/** Kinds of `errors[].extensions.code`; Wave may add others. */
const KINDS: readonly (readonly [kind: SourceError['kind'], codes: RegExp])[] = [
  ['reconnect', /^(UNAUTHENTICATED|UNAUTHORIZED|FORBIDDEN|NOT_FOUND|PERMISSION_DENIED|EXPIRED_TOKEN)$/],
  ['rateLimited', /THROTTLED|RATE_?LIMIT|TOO_MANY_REQUESTS/],
  ['unavailable', /^(INTERNAL_SERVER_ERROR|INTERNAL_ERROR|SERVICE_UNAVAILABLE|UPSTREAM_ERROR|TIMEOUT)$/],
  ['badData', /^(GRAPHQL_PARSE_FAILED|GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT|BAD_REQUEST)$/],
]

/**
 * Error for a response. The body decides: GraphQL errors have any status, mostly 200. Without a known code the status
 * decides, and an error under status 200 is bad data, since a partial response must not be taken for a whole one.
 */
export function toSourceError(response: HttpResponse, what: string, now: Date, body = peekJson(response)): SourceError {
  const codes = listCodes(body)
  const message = `Wave answered ${response.status} to ${what}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}`
  const kind = KINDS.find(([, pattern]) => codes.some((code) => pattern.test(code)))?.[0] ?? kindOfStatus(response.status)
  if (kind !== 'rateLimited') return new SourceError(kind, message)
  return new SourceError(kind, message, { retryAfterMs: Math.max(1_000, retryAfterMs(response.headers, now, THROTTLE_WAIT_MS)) })
}

/** Whether a response with status 200 reports an error nevertheless. */
export function hasErrors(body: Json): boolean {
  const errors = property(body, 'errors') ?? []
  return !Array.isArray(errors) || errors.length > 0
}

function kindOfStatus(status: number): SourceError['kind'] {
  if (status === 429) return 'rateLimited'
  if (status >= 500 || status === 408) return 'unavailable'
  return status === 401 || status === 403 ? 'reconnect' : 'badData'
}

/** Error codes only: the texts quote ids and names. A throttled call may be recognizable by its text alone. */
function listCodes(body: Json): string[] {
  const errors = property(body, 'errors')
  if (!Array.isArray(errors)) return []
  const codes = errors.flatMap((error) => {
    const code = property(property(error, 'extensions'), 'code')
    if (typeof code === 'string' && /^[A-Z][A-Z_]{1,59}$/.test(code)) return [code]
    return /throttled|rate limit|too many requests/i.test(String(property(error, 'message') ?? '')) ? ['THROTTLED'] : []
  })
  return [...new Set(codes)].slice(0, 3)
}
