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
  count(key: string, nowMs: number): readonly string[] {
    if (this.#perMinute === 0) return []
    const window = this.#windows.at(key, nowMs)
    window.count += 1
    const headers = this.#headersOf(window, nowMs)
    if (window.count <= this.#perMinute) return headers
    const refusal = tooManyRequests((window.endsAtMs - nowMs) / 1000)
    throw new ApiError(429, refusal.message, { headers: { ...toRecord(headers), ...refusal.headers } })
  }

  /** Whether one more request is allowed. */
  hasRoom(key: string, nowMs: number): boolean {
    return this.#perMinute === 0 || this.#windows.at(key, nowMs).count < this.#perMinute
  }

  /** Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06 */
  #headersOf(window: RequestWindow, nowMs: number): readonly string[] {
    const remaining = String(Math.max(0, this.#perMinute - window.count))
    const reset = String(Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)))
    return ['ratelimit-limit', String(this.#perMinute), 'ratelimit-remaining', remaining, 'ratelimit-reset', reset]
  }
}

function toRecord(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.flatMap((name, index) => (index % 2 === 0 ? [[name, pairs[index + 1] ?? '']] : [])))
}

/** Limits of authenticated callers. */
export class CallerLimits {
  readonly #sessions: RequestLimit
  readonly #instances: RequestLimit

  constructor(perMinute: { perSession: number; perInstance: number }) {
    this.#sessions = new RequestLimit(perMinute.perSession)
    this.#instances = new RequestLimit(perMinute.perInstance)
  }

  /** Like `RequestLimit.count`, with the headers of the limit of the session or key. */
  count(caller: Caller, nowMs: number): readonly string[] {
    this.#instances.count(caller.instanceId, nowMs)
    return this.#sessions.count(grantIdOf(caller), nowMs)
  }

  hasRoom(caller: Caller, nowMs: number): boolean {
    return this.#instances.hasRoom(caller.instanceId, nowMs) && this.#sessions.hasRoom(grantIdOf(caller), nowMs)
  }
}
