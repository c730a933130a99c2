import { RequestWindows } from '../../model/request-windows.ts'
import { type Caller, grantIdOf } from '../access/caller.ts'
import { ApiError, tooManyRequests } from '../errors/errors.ts'

/**
 * Request limit: fixed one-minute windows per key, in this process only; keeps one caller from using a whole process.
 * Limits that must hold across processes (password guesses) are in the database.
 */
export class RequestLimit {
  readonly #perMinute: number
  readonly #windows: RequestWindows
  /** Most requests within a window since they were last taken, by key; null: not asked for. */
  readonly #peaks: Map<string, number> | null

  /** `perMinute` 0: no limit. */
  constructor(perMinute: number, options: { hasPeaks?: boolean } = {}) {
    this.#perMinute = perMinute
    const peaks = options.hasPeaks ? new Map<string, number>() : null
    this.#peaks = peaks
    this.#windows = new RequestWindows(60_000, peaks ? (key, count) => raise(peaks, key, count) : undefined)
  }

  /** Counts one request and throws a 429 above the limit; returns rate limit headers, names and values in turn. */
  count(key: string, nowMs: number): readonly string[] {
    const counted = this.admit(key, nowMs)
    return counted ? headersOf(counted, nowMs) : []
  }

  /** Like `count`, but returns what is left; null: no limit. */
  admit(key: string, nowMs: number, perMinute = this.#perMinute, message?: string): Counted | null {
    if (perMinute === 0 && this.#peaks === null) return null
    const window = this.#windows.at(key, nowMs)
    window.count += 1
    if (perMinute === 0) return null
    const counted = { perMinute, remaining: perMinute - window.count, endsAtMs: window.endsAtMs }
    if (counted.remaining >= 0) return counted
    const refusal = tooManyRequests((window.endsAtMs - nowMs) / 1000, message)
    throw new ApiError(429, refusal.message, { headers: { ...toRecord(headersOf(counted, nowMs)), ...refusal.headers } })
  }

  /** Most requests within a minute since the last call, by key; only keys with requests. */
  takePeaks(nowMs: number): ReadonlyMap<string, number> {
    const windows = this.#windows.current(nowMs)
    const peaks = new Map(this.#peaks)
    this.#peaks?.clear()
    for (const [key, { count }] of windows) raise(peaks, key, count)
    return peaks
  }

  /** Whether one more request is allowed. */
  hasRoom(key: string, nowMs: number, perMinute = this.#perMinute): boolean {
    return perMinute === 0 || this.#windows.at(key, nowMs).count < perMinute
  }
}

function raise(peaks: Map<string, number>, key: string, count: number): void {
  if (count > (peaks.get(key) ?? 0)) peaks.set(key, count)
}

/** What a limit has left after a request. */
interface Counted {
  perMinute: number
  /** Below 0 for a request beyond the limit. */
  remaining: number
  endsAtMs: number
}

/** Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06 */
function headersOf({ perMinute, remaining, endsAtMs }: Counted, nowMs: number): readonly string[] {
  const reset = String(Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000)))
  return ['ratelimit-limit', String(perMinute), 'ratelimit-remaining', String(Math.max(0, remaining)), 'ratelimit-reset', reset]
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
    this.#instances = new RequestLimit(perMinute.perInstance, { hasPeaks: true })
  }

  /** Like `RequestLimit.count`, with the headers of the limit that is nearer: of the instance, or of the session or key. */
  count(caller: Caller, nowMs: number): readonly string[] {
    const ofInstance = this.#instances.admit(caller.instanceId, nowMs, this.#quotaOf(caller.instanceId), QUOTA_MESSAGE)
    const ofSession = this.#sessions.admit(grantIdOf(caller), nowMs)
    const nearer = ofInstance && (!ofSession || ofInstance.remaining < ofSession.remaining) ? ofInstance : ofSession
    return nearer ? headersOf(nearer, nowMs) : []
  }

  /** Most requests of each instance within a minute since the last call. */
  takePeaks(nowMs: number): ReadonlyMap<string, number> {
    return this.#instances.takePeaks(nowMs)
  }

  hasRoom(caller: Caller, nowMs: number): boolean {
    return (
      this.#instances.hasRoom(caller.instanceId, nowMs, this.#quotaOf(caller.instanceId)) &&
      this.#sessions.hasRoom(grantIdOf(caller), nowMs)
    )
  }
}
