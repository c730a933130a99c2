import { type RequestWindow, RequestWindows } from '../../model/request-windows.ts'
import { type Caller, grantIdOf } from '../access/caller.ts'
import { ApiError, tooManyRequests } from '../errors/errors.ts'

/**
 * Request limit: fixed one-minute windows per key, in this process only; keeps one caller from using a whole process.
 * Limits that must hold across processes (password guesses) are in the database.
 */
export class RequestLimit {
  readonly #perMinute: number
  readonly #windows = new RequestWindows(60_000)

  /** 0: no limit. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** Counts one request and throws a 429 above the limit; returns rate limit headers, names and values in turn. */
  count(key: string, nowMs: number, perMinute = this.#perMinute, message?: string): readonly string[] {
    if (perMinute === 0) return []
    const window = this.#windows.at(key, nowMs)
    window.count += 1
    const headers = headersOf(window, nowMs, perMinute)
    if (window.count <= perMinute) return headers
    const refusal = tooManyRequests((window.endsAtMs - nowMs) / 1000, message)
    throw new ApiError(429, refusal.message, { headers: { ...toRecord(headers), ...refusal.headers } })
  }

  /** Whether one more request is allowed. */
  hasRoom(key: string, nowMs: number, perMinute = this.#perMinute): boolean {
    return perMinute === 0 || this.#windows.at(key, nowMs).count < perMinute
  }
}

/** Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06 */
function headersOf(window: RequestWindow, nowMs: number, perMinute: number): readonly string[] {
  const remaining = String(Math.max(0, perMinute - window.count))
  const reset = String(Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)))
  return ['ratelimit-limit', String(perMinute), 'ratelimit-remaining', remaining, 'ratelimit-reset', reset]
}

function toRecord(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.flatMap((name, index) => (index % 2 === 0 ? [[name, pairs[index + 1] ?? '']] : [])))
}

const QUOTA_MESSAGE = 'Too many requests: the quota requestsPerMinute of the instance is reached.'

/** Limits of authenticated callers. */
export class CallerLimits {
  readonly #sessions: RequestLimit
  readonly #instances: RequestLimit

  readonly #quotaOf: (instanceId: string) => number | undefined

  /** `quotaOf`: requests per minute that operators have set for an instance; undefined: the general limit. */
  constructor(perMinute: { perSession: number; perInstance: number }, quotaOf: (instanceId: string) => number | undefined) {
    this.#quotaOf = quotaOf
    this.#sessions = new RequestLimit(perMinute.perSession)
    this.#instances = new RequestLimit(perMinute.perInstance)
  }

  /** Like `RequestLimit.count`, with the headers of the limit of the session or key. */
  count(caller: Caller, nowMs: number): readonly string[] {
    this.#instances.count(caller.instanceId, nowMs, this.#quotaOf(caller.instanceId), QUOTA_MESSAGE)
    return this.#sessions.count(grantIdOf(caller), nowMs)
  }

  hasRoom(caller: Caller, nowMs: number): boolean {
    return (
      this.#instances.hasRoom(caller.instanceId, nowMs, this.#quotaOf(caller.instanceId)) &&
      this.#sessions.hasRoom(grantIdOf(caller), nowMs)
    )
  }
}
