import { createHash } from 'node:crypto'
import { type HttpResponse, SourceError } from '../../connectors/contract/contract.ts'
import { entityToPause, type SourceLimit } from '../../connectors/contract/limits.ts'
import {
  type LimitedCall,
  nameOfClient,
  type RateLimiter,
  type SourceClient,
  SourcePaused,
} from '../../connectors/contract/rate-limiter.ts'
import { retryAfterMs } from '../../connectors/toolkit/http/answers.ts'
import type { Db } from '../../store/db/database.ts'
import type { LimitKey } from '../../store/sources/source-limits.ts'
import { type Permit, RateLimitAllocator } from './rate-limit-allocator.ts'
import { type RateLimiterClock, systemClock } from './rate-limiter-clock.ts'
import { type Probe, type RequiredWait, SharedLimitSync, type TrackedCall } from './shared-limit-sync.ts'

/** Maximum wait in place; a call that would wait longer yields to other work. */
const MAX_WAIT_MS = 5_000
/** Maximum accepted pause of a source. */
const MAX_PAUSE_MS = 31 * 24 * 3_600_000

export interface RateLimiterOptions {
  /** Called for errors apart from a call, such as a failed return of leases. */
  onError(error: unknown): void
  clock?: RateLimiterClock
}

/** Rate limiter shared by all processes on one database. */
export class SharedRateLimiter implements RateLimiter {
  readonly #clock: RateLimiterClock
  readonly #allocator: RateLimitAllocator
  readonly #limits: SharedLimitSync
  readonly #waiting = new Map<string, number>()

  constructor(db: Db, options: RateLimiterOptions) {
    this.#clock = options.clock ?? systemClock
    this.#allocator = new RateLimitAllocator(db, this.#clock, options.onError)
    this.#limits = new SharedLimitSync(db, this.#clock, options.onError)
  }

  async run(call: LimitedCall, send: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const { connectorKey, entity, timeoutMs } = call
    const tracked = {
      connectorKey,
      client: nameOfClient(call),
      scope: scopeOf(connectorKey, entity),
      endpoint: breakerScopeOf(call.place),
      timeoutMs,
    }
    const { permit, probe } = await countWaiting(this.#waiting, connectorKey, () => this.#admit(call, tracked))
    const begunAtMs = this.#clock.nowMs()
    const sent = await settled(send)
    permit?.done()
    await this.#limits.recordResult(tracked, probe, begunAtMs, !isFailure(sent))
    const pauseMs = requestedPauseMs(sent, this.#clock.databaseTime() ?? new Date())
    if (pauseMs > 0) await this.pause(call, entityToPause(call.limits, entity), pauseMs)
    if ('error' in sent) throw sent.error
    return sent.response
  }

  async pause(client: SourceClient, entity: string | null, waitMs: number): Promise<void> {
    await this.#limits.pause(nameOfClient(client), scopeOf(client.connectorKey, entity), Math.min(waitMs, MAX_PAUSE_MS))
  }

  /** Number of calls waiting in this process, by connector key. */
  waiting(): ReadonlyMap<string, number> {
    return this.#waiting
  }

  /** Returns all leases of this process. */
  async close(): Promise<void> {
    await Promise.all([this.#allocator.close(), this.#limits.close()])
  }

  /** All checks of a call, cheapest first. */
  async #admit(call: LimitedCall, tracked: TrackedCall): Promise<{ permit: Permit | null; probe: Probe }> {
    const deadlineMs = this.#clock.nowMs() + MAX_WAIT_MS
    for (;;) {
      const required = await this.#limits.check(tracked)
      if (required.waitMs > 0) {
        await this.#waitFor(call, deadlineMs, required)
        continue
      }
      const permit = await this.#takePermit(call, tracked, deadlineMs)
      // A pause may have begun while this call waited for a permit.
      if (this.#limits.knownWait(tracked).waitMs > 0) {
        permit?.giveBack()
        continue
      }
      const probe = await this.#limits.probe(tracked).catch((error: unknown) => {
        permit?.giveBack()
        throw error
      })
      if (typeof probe !== 'number') return { permit, probe }
      permit?.giveBack()
      await this.#waitFor(call, deadlineMs, { waitMs: probe, reason: 'is being tried by others', isDown: true })
    }
  }

  async #takePermit({ limits, timeoutMs }: LimitedCall, { client, scope }: TrackedCall, deadlineMs: number): Promise<Permit | null> {
    if (limits.length === 0) return null
    return await this.#allocator.acquire({ connectorKey: client, timeoutMs, limits: toKeys(limits, scope), deadlineMs })
  }

  /** Returns at once or after the wait; throws when that would be too long. */
  async #waitFor(call: LimitedCall, deadlineMs: number, { waitMs, reason, isDown }: RequiredWait): Promise<void> {
    if (waitMs > deadlineMs - this.#clock.nowMs()) throw new SourcePaused(`${call.connectorKey}: the source ${reason}`, waitMs, isDown)
    await this.#clock.sleep(waitMs)
  }
}

type SendResult = { response: HttpResponse } | { error: unknown }

async function settled(send: () => Promise<HttpResponse>): Promise<SendResult> {
  try {
    return { response: await send() }
  } catch (error) {
    return { error }
  }
}

/** Failures for a breaker: no response, or one that shows that the source is unhealthy. */
function isFailure(sent: SendResult): boolean {
  if ('error' in sent) return sent.error instanceof SourceError && sent.error.kind === 'unavailable'
  return sent.response.status >= 500 || sent.response.status === 408
}

/** Pause requested by a throttled response; 0 if it states no time, which its connector then knows. */
function requestedPauseMs(sent: SendResult, now: Date): number {
  if ('error' in sent || sent.response.status !== 429) return 0
  return retryAfterMs(sent.response.headers, now, 0)
}

/** Keys of the app's limits and, for a call for some books, of the books' limits. */
function toKeys(limits: readonly SourceLimit[], scope: string): LimitKey[] {
  return limits.map((limit) => ({ scope: limit.scope === 'app' ? '' : scope, name: limit.name, ...toNumbers(limit) }))
}

function toNumbers(limit: SourceLimit): { calls: number; perMs: number } {
  return 'calls' in limit ? { calls: limit.calls, perMs: limit.perMs } : { calls: limit.concurrent, perMs: 0 }
}

/** Books are identified by a hash: their id at the source is customer data. */
function scopeOf(connectorKey: string, entity: string | null): string {
  return entity === null ? '' : hash(`${connectorKey}\n${entity}`)
}

function breakerScopeOf(place: LimitedCall['place']): string {
  return 'host' in place ? place.host : `~${hash(place.origin)}`
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

async function countWaiting<T>(waiting: Map<string, number>, key: string, work: () => Promise<T>): Promise<T> {
  waiting.set(key, (waiting.get(key) ?? 0) + 1)
  try {
    return await work()
  } finally {
    waiting.set(key, (waiting.get(key) ?? 1) - 1)
  }
}
