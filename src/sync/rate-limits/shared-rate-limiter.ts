import { createHash } from 'node:crypto'
import { type HttpResponse, SourceError } from '../../connectors/contract/contract.ts'
import { entityToPause, type SourceLimit } from '../../connectors/contract/limits.ts'
import { type LimitedCall, nameOfClient, type RateLimiter, SourcePaused } from '../../connectors/contract/rate-limiter.ts'
import { retryAfterMs } from '../../connectors/toolkit/answers.ts'
import type { Db } from '../../store/db/database.ts'
import type { LimitKey } from '../../store/sources/source-limits.ts'
import { type Permit, RateLimitAllocator } from './rate-limit-allocator.ts'
import { type RateLimiterClock, systemClock } from './rate-limiter-clock.ts'
import { type Probe, type RequiredWait, SharedLimitSync, type TrackedCall } from './shared-limit-sync.ts'

/** Maximum wait in place; a call that would wait longer yields to other work. */
const PATIENCE_MS = 5_000
/** Maximum accepted pause of a source. */
const MAX_PAUSE_MS = 31 * 24 * 3_600_000

export interface RateLimiterOptions {
  /** Called for errors apart from a call, such as a failed return of leases. */
  onError(error: unknown): void
  clock?: RateLimiterClock
}

export interface SharedRateLimiter extends RateLimiter {
  /** Number of calls waiting in this process, by connector key. */
  waiting(): ReadonlyMap<string, number>
  /** Returns all leases of this process. */
  close(): Promise<void>
}

/** Rate limiter shared by all processes on one database. */
export function createRateLimiter(db: Db, options: RateLimiterOptions): SharedRateLimiter {
  const clock = options.clock ?? systemClock
  const lanes = new RateLimitAllocator(db, clock, options.onError)
  const watch = new SharedLimitSync(db, clock, options.onError)
  const waiting = new Map<string, number>()

  /** Returns at once or after the wait; throws when that would be too long. */
  const waitFor = async (call: LimitedCall, deadlineMs: number, { waitMs, reason, isDown }: RequiredWait): Promise<void> => {
    if (waitMs > deadlineMs - clock.nowMs()) throw new SourcePaused(`${call.connectorKey}: the source ${reason}`, waitMs, isDown)
    await clock.sleep(waitMs)
  }

  /** All checks of a call, cheapest first. */
  const admit = async (call: LimitedCall, watched: TrackedCall): Promise<{ permit: Permit | null; probe: Probe }> => {
    const deadlineMs = clock.nowMs() + PATIENCE_MS
    for (;;) {
      const look = await watch.check(watched)
      if (look.waitMs > 0) {
        await waitFor(call, deadlineMs, look)
        continue
      }
      const permit = await takePermit(call, watched, deadlineMs)
      // A pause may have begun while this call waited for a permit.
      if (watch.knownWait(watched).waitMs > 0) {
        permit?.giveBack()
        continue
      }
      const probe = await watch.probe(watched).catch((error: unknown) => {
        permit?.giveBack()
        throw error
      })
      if (typeof probe !== 'number') return { permit, probe }
      permit?.giveBack()
      await waitFor(call, deadlineMs, { waitMs: probe, reason: 'is being tried by others', isDown: true })
    }
  }

  const takePermit = async ({ limits, timeoutMs }: LimitedCall, { client, scope }: TrackedCall, deadlineMs: number) =>
    limits.length > 0 ? await lanes.acquire({ connectorKey: client, timeoutMs, limits: toKeys(limits, scope), deadlineMs }) : null

  return {
    run: async (call, send) => {
      const { connectorKey, entity, timeoutMs } = call
      const watched = {
        connectorKey,
        client: nameOfClient(call),
        scope: scopeOf(connectorKey, entity),
        endpoint: breakerScopeOf(call.place),
        timeoutMs,
      }
      const { permit, probe } = await countWaiting(waiting, call.connectorKey, () => admit(call, watched))
      const begunAtMs = clock.nowMs()
      const sent = await settled(send)
      permit?.done()
      await watch.recordResult(watched, probe, begunAtMs, !isFailure(sent))
      const pauseMs = requestedPauseMs(sent, clock.databaseTime() ?? new Date())
      if (pauseMs > 0) {
        const scope = scopeOf(call.connectorKey, entityToPause(call.limits, call.entity))
        await watch.pause(watched.client, scope, Math.min(pauseMs, MAX_PAUSE_MS))
      }
      if ('error' in sent) throw sent.error
      return sent.response
    },
    pause: async (client, entity, waitMs) =>
      await watch.pause(nameOfClient(client), scopeOf(client.connectorKey, entity), Math.min(waitMs, MAX_PAUSE_MS)),
    waiting: () => waiting,
    close: async () => {
      await Promise.all([lanes.close(), watch.close()])
    },
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

/** Pause requested by a throttled response; 0 without a time: then its connector knows it. */
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
