import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'

/** Wait after a 429 without Retry-After. */
const RATE_LIMIT_WAIT_MS = 60_000

/** Codes for an expired or insufficient consent: customer not found, not authorized, not authenticated. */
const NEEDS_OWNER: ReadonlySet<number> = new Set([601, 602, 603])
/** Code for too many requests. */
const TOO_MANY = 1207
/** Transient codes: internal error, subsystem not available, planned maintenance. */
const PASSES: ReadonlySet<number> = new Set([500, 501, 503])
/** Codes about one account only: not found, closed, locked, unsupported kind, no data. The others are still read. */
const OF_ONE_ACCOUNT: ReadonlySet<number> = new Set([701, 704, 705, 706, 707, 1107])

/**
 * FDX error with its code; null when the response has none.
 * Source: https://plaid.com/core-exchange/docs/reference/6.4/ (Error responses)
 */
export class FdxError extends SourceError {
  readonly code: number | null

  constructor(kind: SourceError['kind'], message: string, code: number | null, waitMs?: number) {
    super(kind, message, waitMs === undefined ? {} : { retryAfterMs: waitMs })
    this.code = code
  }

  /** True when the error says nothing about the other accounts. */
  get isOfOneAccount(): boolean {
    return this.code !== null && OF_ONE_ACCOUNT.has(this.code)
  }
}

/** Error for an unsuccessful response. Its message contains only numbers: banks quote names and ids in their texts. */
export function toFdxError(response: HttpResponse, what: string, now: Date): FdxError {
  const code = readCode(response)
  const kind = toKind(response.status, code)
  const waitMs = kind === 'rateLimited' ? retryAfterMs(response.headers, now, RATE_LIMIT_WAIT_MS) : undefined
  return new FdxError(kind, `${what}: ${code === null ? 'no FDX code' : `FDX ${code}`} (HTTP ${response.status})`, code, waitMs)
}

/** `toFdxError` for calls made without an owner's consent, which no owner can fix. */
export function toOwnFault(response: HttpResponse, what: string, now: Date): SourceError {
  const { kind, message, retryAfterMs: waitMs } = toFdxError(response, what, now)
  if (kind !== 'reconnect')
    return waitMs === null ? new SourceError(kind, message) : new SourceError(kind, message, { retryAfterMs: waitMs })
  return new SourceError('unavailable', message, { isClientRefused: true })
}

function toKind(status: number, code: number | null): SourceError['kind'] {
  if (status === 429 || code === TOO_MANY) return 'rateLimited'
  if (code !== null && NEEDS_OWNER.has(code)) return 'reconnect'
  if (code !== null && OF_ONE_ACCOUNT.has(code)) return 'badData'
  if (status === 401 || status === 403) return 'reconnect'
  return status >= 500 || status === 408 || (code !== null && PASSES.has(code)) ? 'unavailable' : 'badData'
}

/** Error code: versions 4 to 6 send a number, some banks its text. */
function readCode(response: HttpResponse): number | null {
  const text = new TextDecoder().decode(response.body.subarray(0, 4_096))
  const digits = /"code"\s*:\s*"?(\d{3,4})"?\s*[,}]/.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}
