import { SourcePaused } from '../../connectors/contract/rate-limiter.ts'
import type { Db } from '../../store/db/database.ts'
import { exchangePermits, type LimitKey, type Permits, type SettledLease } from '../../store/sources/source-limits.ts'
import type { RateLimiterClock } from './rate-limiter-clock.ts'

/** How long a lease is used for new calls before it is returned. */
const USE_MS = 5_000
/** How long an unused lease waits for the next call of its lane. */
const PARK_MS = 250
/** Slack between the end of a lease's last call and its expiry. */
const SLACK_MS = 1_000
/** Minimum call duration assumed for a lease, so that calls with different deadlines can share it. */
const USUAL_CALL_MS = 30_000
/** A lease takes at most one part in this many of a window; below, the maximum calls per lease. */
const LEASE_SHARE = 12
const LEASE_CALLS = 20
/** Poll interval for permits held by calls in flight: starts here and doubles. */
const FIRST_LOOK_MS = 50
const LAST_LOOK_MS = 1_000

/** Permit for one call. */
export interface Permit {
  /** The call has ended. */
  done(): void
  /** The call was not made. */
  giveBack(): void
}

export interface PermitRequest {
  connectorKey: string
  limits: readonly LimitKey[]
  timeoutMs: number
  /** Deadline of waiting, by this process' clock. */
  deadlineMs: number
}

interface CallLease extends Pick<SettledLease, 'untilMs' | 'granted'> {
  left: number
  endedAtMs: number[]
  usableUntilMs: number
  endsAtMs: number
}

/** Calls in this process that count for the same limits. */
interface LimitLane {
  key: string
  connectorKey: string
  limits: readonly LimitKey[]
  /** Leases that no call is using: with calls left, exhausted or expired. */
  parked: CallLease[]
  inUse: number
  /** Query on behalf of all waiters of this lane. */
  asking: Promise<unknown> | null
  stopTimer(): void
}

/**
 * Rate limit allocator: takes permits from the database, several per lease, and returns unused ones. A lease serves one
 * call after the other, so it counts once where concurrent calls are limited.
 */
export class RateLimitAllocator {
  readonly #db: Db
  readonly #clock: RateLimiterClock
  readonly #onError: (error: unknown) => void
  readonly #lanes = new Map<string, LimitLane>()

  constructor(db: Db, clock: RateLimiterClock, onError: (error: unknown) => void) {
    this.#db = db
    this.#clock = clock
    this.#onError = onError
  }

  /** Waits for a permit until the deadline; throws `SourcePaused` when it would take longer. */
  async acquire(request: PermitRequest): Promise<Permit> {
    const lane = this.#laneOf(request)
    lane.inUse += 1
    try {
      for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, LAST_LOOK_MS)) {
        const lease = this.#findUsable(lane, request.timeoutMs) ?? (await this.#ask(lane, request, lookMs))
        if (lease) return this.#toPermit(lane, lease)
      }
    } catch (error) {
      lane.inUse -= 1
      this.#park(lane, null)
      throw error
    }
  }

  /** Returns all leases that no call is using. */
  async close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(async (lane) => await this.#settle(lane)))
  }

  #laneOf({ connectorKey, limits }: PermitRequest): LimitLane {
    const key = JSON.stringify([connectorKey, limits.map(({ scope, name }) => [scope, name])])
    const known = this.#lanes.get(key)
    if (known) return known
    const lane: LimitLane = { key, connectorKey, limits, parked: [], inUse: 0, asking: null, stopTimer: () => undefined }
    this.#lanes.set(key, lane)
    return lane
  }

  #findUsable(lane: LimitLane, timeoutMs: number): CallLease | null {
    const nowMs = this.#clock.nowMs()
    const place = lane.parked.findIndex(
      (lease) => lease.left > 0 && nowMs < lease.usableUntilMs && nowMs + timeoutMs + SLACK_MS <= lease.endsAtMs,
    )
    return place < 0 ? null : (lane.parked.splice(place, 1)[0] ?? null)
  }

  /** One waiter queries the database for all of them. Null after `lookMs`: try again. */
  async #ask(lane: LimitLane, request: PermitRequest, lookMs: number): Promise<CallLease | null> {
    if (lane.asking) {
      await lane.asking
      return null
    }
    const asking = this.#exchange(lane, request.timeoutMs).then(async ({ permits, lease }) => {
      if (!lease) await this.#wait(permits, request, lookMs)
      return lease
    })
    lane.asking = asking.catch(() => null)
    try {
      return await asking
    } finally {
      lane.asking = null
    }
  }

  async #exchange(lane: LimitLane, timeoutMs: number): Promise<{ permits: Permits; lease: CallLease | null }> {
    const parked = lane.parked.splice(0)
    const leaseMs = Math.max(timeoutMs, USUAL_CALL_MS) + USE_MS + SLACK_MS
    // NOTE measured before the database sets the expiry, so that ours is earlier.
    const startedMs = this.#clock.nowMs()
    const permits = await exchangePermits(
      this.#db,
      { connectorKey: lane.connectorKey, limits: lane.limits, settled: this.#toSettled(parked), wanted: leaseCalls(lane.limits), leaseMs },
      this.#clock.databaseTime(),
    )
    const { granted, untilMs } = permits
    const times = { usableUntilMs: startedMs + USE_MS, endsAtMs: startedMs + leaseMs }
    return { permits, lease: granted > 0 ? { untilMs, granted, left: granted, endedAtMs: [], ...times } : null }
  }

  #toPermit(lane: LimitLane, lease: CallLease): Permit {
    lease.left -= 1
    const end = (): void => {
      lane.inUse -= 1
      this.#park(lane, lease)
    }
    return {
      done: () => {
        lease.endedAtMs.push(this.#clock.nowMs())
        end()
      },
      giveBack: () => {
        lease.left += 1
        end()
      },
    }
  }

  async #wait(permits: Permits, { connectorKey, deadlineMs }: PermitRequest, lookMs: number): Promise<void> {
    const timeoutMs = deadlineMs - this.#clock.nowMs()
    const waitMs = permits.isHeld ? lookMs : Math.max(1, permits.waitMs)
    if (waitMs > timeoutMs) {
      throw new SourcePaused(`${connectorKey}: ${permits.blockedBy ?? 'a limit'} is used up`, permits.isHeld ? SLACK_MS : waitMs)
    }
    await this.#clock.sleep(waitMs)
  }

  #park(lane: LimitLane, lease: CallLease | null): void {
    if (lease) lane.parked.push(lease)
    lane.stopTimer()
    lane.stopTimer = this.#clock.after(PARK_MS, () => void this.#settle(lane))
  }

  async #settle(lane: LimitLane): Promise<void> {
    lane.stopTimer()
    const parked = lane.parked.splice(0)
    if (lane.inUse === 0) this.#lanes.delete(lane.key)
    if (parked.length === 0) return
    const exchange = { connectorKey: lane.connectorKey, limits: lane.limits, settled: this.#toSettled(parked), wanted: 0, leaseMs: 0 }
    // A lease that cannot be returned expires.
    await exchangePermits(this.#db, exchange, this.#clock.databaseTime()).catch(this.#onError)
  }

  #toSettled(leases: readonly CallLease[]): SettledLease[] {
    const nowMs = this.#clock.nowMs()
    return leases.map(({ untilMs, granted, endedAtMs }) => ({ untilMs, granted, agesMs: endedAtMs.map((atMs) => nowMs - atMs) }))
  }
}

function leaseCalls(limits: readonly LimitKey[]): number {
  const shares = limits.filter((limit) => limit.perMs > 0).map((limit) => Math.floor(limit.calls / LEASE_SHARE))
  return Math.max(1, Math.min(LEASE_CALLS, ...shares))
}
