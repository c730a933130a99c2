import type { Db } from '../../store/db/database.ts'
import { type CallCount, claimProbe, exchangeCallCounts, reportProbe, type SourceRestriction } from '../../store/sources/source-breakers.ts'
import { pauseSource } from '../../store/sources/source-limits.ts'
import type { RateLimiterClock } from './rate-limiter-clock.ts'

/** Maximum age of other processes' findings here; a busy process queries this often, however many calls it makes. */
const FRESH_MS = 1_000
/** Scopes are included in the exchange for this long after their last call. */
const KNOWN_MS = 60_000
/** Counts that could not be reported are kept for this long: breakers look back no further. */
const COUNTED_MS = 60_000
/** Retry interval while other processes probe a half-open breaker. */
const OTHERS_TRY_MS = 5_000

export interface TrackedCall {
  connectorKey: string
  /** Identifies the app: a source pauses one app, not the others. */
  client: string
  scope: string
  endpoint: string
  timeoutMs: number
}

/** Unreported counts of this process, of calls that began in the same second. */
interface Counted extends Omit<CallCount, 'begunAgoMs'> {
  begunAtMs: number
}

/** Required wait of a call and its reason; `isDown` when the source is failing. */
export interface RequiredWait {
  waitMs: number
  reason: string
  isDown: boolean
}

/** Permission to probe the source; null while its breaker is closed. */
export type Probe = { opened: number } | null

/**
 * Pauses and circuit breakers, shared by all processes. While sources are healthy this costs one short statement per
 * second of calls, and one for books that were not called recently.
 */
export class SharedLimitSync {
  readonly #db: Db
  readonly #clock: RateLimiterClock
  readonly #onError: (error: unknown) => void
  #counts = new Map<string, Counted>()
  readonly #scopes = new Map<string, { connectorKey: string; scope: string; calledAtMs: number }>()
  readonly #pausedUntilMs = new Map<string, number>()
  /** Pauses being reported, which the database does not know yet. */
  readonly #reporting = new Map<string, number>()
  /** Open breakers: until when no probe is allowed. */
  #openUntilMs = new Map<string, number>()
  #readAtMs = Number.NEGATIVE_INFINITY
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #stopTimer: (() => void) | null = null

  constructor(db: Db, clock: RateLimiterClock, onError: (error: unknown) => void) {
    this.#db = db
    this.#clock = clock
    this.#onError = onError
  }

  /** Required wait of this call, 0 when it may proceed, with its reason. */
  async check(call: TrackedCall): Promise<RequiredWait> {
    const isKnown = this.#noteScopes(call)
    if (!isKnown || this.#clock.nowMs() - this.#readAtMs > FRESH_MS) await this.#exchange()
    return this.knownWait(call)
  }

  /** By local knowledge only. */
  knownWait(call: TrackedCall): RequiredWait {
    const nowMs = this.#clock.nowMs()
    const pausedUntilMs = Math.max(
      this.#pausedUntilMs.get(keyOf(call.client, '')) ?? 0,
      this.#pausedUntilMs.get(keyOf(call.client, call.scope)) ?? 0,
    )
    if (pausedUntilMs > nowMs) return { waitMs: pausedUntilMs - nowMs, reason: 'asked to wait', isDown: false }
    const openUntilMs = this.#openUntilMs.get(breakerKey(call)) ?? 0
    return { waitMs: Math.max(0, openUntilMs - nowMs), reason: 'fails and is left alone for a while', isDown: true }
  }

  /** Requests a probe if the breaker is not closed. A number is the time to wait instead. */
  async probe(call: TrackedCall): Promise<Probe | number> {
    if (!this.#openUntilMs.has(breakerKey(call))) return null
    const opened = await claimProbe(this.#db, call, this.#clock.databaseTime())
    if (opened !== null) return { opened }
    // Closed by another process, or enough probes are in flight.
    await this.#exchange()
    if (!this.#openUntilMs.has(breakerKey(call))) return null
    return Math.max(OTHERS_TRY_MS, this.knownWait(call).waitMs)
  }

  /** Records the end of a call, and whether the source failed. */
  async recordResult(call: TrackedCall, probe: Probe, begunAtMs: number, isGood: boolean): Promise<void> {
    if (probe) {
      const { connectorKey, endpoint } = call
      await reportProbe(this.#db, { connectorKey, endpoint, opened: probe.opened, isGood }, this.#clock.databaseTime())
      await this.#exchange()
      return
    }
    const { connectorKey, endpoint } = call
    this.#count({ connectorKey, endpoint, calls: 1, failures: isGood ? 0 : 1, begunAtMs })
    this.#stopTimer ??= this.#clock.after(FRESH_MS, () => {
      this.#stopTimer = null
      if (this.#counts.size > 0) void this.#exchange().catch(this.#onError)
    })
  }

  /** Pauses calls for `waitMs`. */
  async pause(client: string, scope: string, waitMs: number): Promise<void> {
    const key = keyOf(client, scope)
    this.#notePause(client, scope, waitMs)
    this.#reporting.set(key, (this.#reporting.get(key) ?? 0) + 1)
    try {
      await pauseSource(this.#db, client, scope, waitMs, this.#clock.databaseTime())
    } finally {
      const left = (this.#reporting.get(key) ?? 1) - 1
      if (left > 0) this.#reporting.set(key, left)
      else this.#reporting.delete(key)
    }
  }

  /** Reports the remaining counts. */
  async close(): Promise<void> {
    this.#stopTimer?.()
    if (this.#counts.size > 0) await this.#exchange()
  }

  /** Whether the pauses of these books are known because they were called recently; includes them from now on. */
  #noteScopes(call: TrackedCall): boolean {
    const wanted = ['', call.scope].map((scope) => ({ connectorKey: call.client, scope }))
    const isKnown = wanted.every((scope) => this.#scopes.has(scopeKey(scope)))
    for (const scope of wanted) this.#scopes.set(scopeKey(scope), { ...scope, calledAtMs: this.#clock.nowMs() })
    return isKnown
  }

  /**
   * One exchange for all who ask during another one: that may have begun before their books were included, so they
   * share the next.
   */
  async #exchange(): Promise<void> {
    this.#next ??= this.#current
      .catch(() => undefined)
      .then(async () => {
        this.#current = this.#next ?? this.#current
        this.#next = null
        await this.#exchangeNow()
      })
    await this.#next
  }

  #count({ calls, failures, ...call }: Counted): void {
    const key = `${breakerKey(call)}\n${Math.floor(call.begunAtMs / FRESH_MS)}`
    const counted = this.#counts.get(key) ?? { ...call, calls: 0, failures: 0 }
    counted.calls += calls
    counted.failures += failures
    counted.begunAtMs = Math.min(counted.begunAtMs, call.begunAtMs)
    this.#counts.set(key, counted)
  }

  /** Counts that cannot be reported are those of the next exchange. */
  async #reportCounts(scopes: readonly { connectorKey: string; scope: string }[], nowMs: number): Promise<SourceRestriction[]> {
    const reported = [...this.#counts.values()].filter(({ begunAtMs }) => nowMs - begunAtMs <= COUNTED_MS)
    this.#counts = new Map()
    const counts = reported.map(({ begunAtMs, ...count }) => ({ ...count, begunAgoMs: nowMs - begunAtMs }))
    try {
      return await exchangeCallCounts(this.#db, counts, scopes, this.#clock.databaseTime())
    } catch (error) {
      for (const counted of reported) this.#count(counted)
      throw error
    }
  }

  async #exchangeNow(): Promise<void> {
    const nowMs = this.#clock.nowMs()
    for (const [key, scope] of this.#scopes) if (nowMs - scope.calledAtMs > KNOWN_MS) this.#scopes.delete(key)
    for (const [key, untilMs] of this.#pausedUntilMs) if (untilMs <= nowMs) this.#pausedUntilMs.delete(key)
    const scopes = [...this.#scopes.values()].map(({ connectorKey, scope }) => ({ connectorKey, scope }))
    const unreported = new Set(this.#reporting.keys())
    const known = new Set(this.#pausedUntilMs.keys())
    const news = await this.#reportCounts(scopes, nowMs)
    this.#openUntilMs = new Map()
    // A known pause that the database no longer has was lifted.
    for (const scope of scopes.map(scopeKey))
      if (known.has(scope) && !unreported.has(scope) && !this.#reporting.has(scope)) this.#pausedUntilMs.delete(scope)
    for (const { connectorKey, part, state, waitMs } of news) {
      if (state === 'paused') this.#notePause(connectorKey, part, waitMs)
      else this.#openUntilMs.set(keyOf(connectorKey, part), nowMs + waitMs)
    }
    this.#readAtMs = nowMs
  }

  #notePause(connectorKey: string, scope: string, waitMs: number): void {
    const key = keyOf(connectorKey, scope)
    this.#pausedUntilMs.set(key, Math.max(this.#pausedUntilMs.get(key) ?? 0, this.#clock.nowMs() + waitMs))
  }
}

function scopeKey(of: { connectorKey: string; scope: string }): string {
  return keyOf(of.connectorKey, of.scope)
}

function breakerKey(of: { connectorKey: string; endpoint: string }): string {
  return keyOf(of.connectorKey, of.endpoint)
}

function keyOf(connectorKey: string, part: string): string {
  return `${connectorKey}\n${part}`
}
