import { randomUUID } from 'node:crypto'
import { startWakeup, type Wakeup } from '../jobs/wakeup.ts'
import { type Db, inTransaction } from '../store/db/database.ts'
import { type ClaimedDelivery, type ClaimRules, claimDeliveries, listDueInstances } from '../store/webhooks/deliveries.ts'
import { DeliveryMemory } from '../store/webhooks/delivery-memory.ts'
import { recordAttempt } from '../store/webhooks/delivery-outcomes.ts'
import { appendWaitingEvents, listWaitingInstances, type Waiting } from '../store/webhooks/event-feeds.ts'
import { listShownEvents } from '../store/webhooks/events-of-runs.ts'
import { listUnexpiredSecrets, type SealedSecret } from '../store/webhooks/subscription-secrets.ts'
import { attemptDelivery, LEASE_MS } from './attempt.ts'
import { delayOf, nextOf, resultOf } from './attempt-result.ts'
import { inDeliverySpan } from './delivery-span.ts'
import type { DispatcherDeps } from './deps.ts'
import { isOwnReceiver } from './receivers.ts'
import { shouldDisable } from './schedule.ts'
import { toSigningSecrets } from './secrets.ts'
import { suspendSubscription } from './subscriptions.ts'

/** A delivery, and the secrets of its subscription. */
type Claimed = readonly [ClaimedDelivery, SealedSecret[]]

const POLL_MS = 1_000
/**
 * Maximum concurrent attempts. Each costs little more than a socket, so that many dead receivers leave room for the
 * others.
 */
const MAX_IN_FLIGHT = 400
/** Instances served concurrently, each over one database connection. */
const INSTANCES_AT_ONCE = 4
const LIMITS = { leaseMs: LEASE_MS, perSubscription: 5, failuresUntilProbing: 5, pauseMs: 30_000 } as const

/**
 * Webhook dispatcher: delivers events at least once, unordered, in any number of processes. All lasting state is in the
 * database, so a process may be killed at any point: its claims are claimed again when their lease expires.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #inFlight = new Set<Promise<void>>()
  /** Null before the start and after the stop. */
  #wakeup: Wakeup | null = null
  /** Rounds in progress, caused by a wake-up. */
  #rounds: Promise<void> | null = null
  /** There may be due deliveries that no round has seen yet. */
  #isWanted = false
  /** Round-robin cursor: the instance served last. */
  #lastServed = ''
  readonly #memory = new DeliveryMemory()

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
  }

  start(): void {
    const { database, log, activity } = this.#deps
    const onError = (err: unknown): void => log.error({ err }, 'webhook wake-up failed')
    this.#wakeup ??= startWakeup(database, { channel: 'events', pollMs: POLL_MS, activity }, () => this.#wake(), onError)
    this.#wake()
  }

  /** Claims nothing more and waits for attempts in flight, 15 s at most. */
  async stop(): Promise<void> {
    const running = this.#wakeup
    this.#wakeup = null
    await running?.stop()
    await this.#rounds
    await Promise.all(this.#inFlight)
  }

  /**
   * Appends committed events to the feed and makes one attempt for each due delivery, within the limits; returns the
   * number of attempts.
   */
  async runOnce(): Promise<number> {
    const started = await this.#runRound()
    await Promise.all(this.#inFlight)
    return started
  }

  #wake(): void {
    this.#isWanted = true
    if (this.#rounds || !this.#wakeup) return
    this.#rounds = this.#runRounds().finally(() => {
      this.#rounds = null
    })
  }

  async #runRounds(): Promise<void> {
    while (this.#isWanted && this.#wakeup) {
      this.#isWanted = false
      await this.#reported({}, () => this.#runRound())
    }
  }

  /** A failure is logged and ends only its own task: leases and the next poll retry it. */
  async #reported<T>(fields: Record<string, unknown>, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      this.#deps.log.error({ ...fields, err: error }, 'webhook dispatch failed')
      return null
    }
  }

  async #runRound(): Promise<number> {
    const { database, isPaused } = this.#deps
    if (isPaused?.()) return 0
    const which = this.#memory.beginRound()
    const [waiting, due] = await Promise.all([
      listWaitingInstances(database, which).then((ids) => new Set(ids)),
      listDueInstances(database, this.#rules().aheadMs, this.#memory),
    ])
    const queue = roundRobinFrom([...new Set([...waiting, ...due])], this.#lastServed)
    if (queue.length > 0) this.#deps.activity?.sawWork()
    let started = 0
    const serveNext = async (): Promise<void> => {
      for (let id = queue.shift(); id !== undefined && !isPaused?.(); id = queue.shift()) {
        const count = await this.#serve(id, waiting.has(id) ? which : null, queue.length)
        started += count
      }
    }
    await Promise.all(Array.from({ length: INSTANCES_AT_ONCE }, serveNext))
    return started
  }

  /**
   * Appends the waiting events of one instance and starts an attempt for each due delivery, within its share of what is
   * free; returns their number. If the two fail together, each is tried without the other.
   */
  async #serve(instanceId: string, waiting: Waiting | null, queued: number): Promise<number> {
    const room = MAX_IN_FLIGHT - this.#inFlight.size
    const limit = Math.max(0, Math.ceil(room / (queued + INSTANCES_AT_ONCE)))
    if (limit > 0) this.#lastServed = instanceId
    else if (!waiting) return 0
    const serve = (appended: Waiting | null, most: number) =>
      this.#reported({ instanceId }, () => this.#appendAndClaim(instanceId, appended, most))
    const started = await serve(waiting, limit)
    if (started !== null || !waiting || limit === 0) return started ?? 0
    await serve(waiting, 0)
    return (await serve(null, limit)) ?? 0
  }

  /**
   * Requests are sent while the transaction commits, which waits for the disk behind the writes of a sync: their events are
   * committed, and what fails to commit is appended and sent again. Outcomes are recorded afterwards.
   */
  async #appendAndClaim(instanceId: string, waiting: Waiting | null, limit: number): Promise<number> {
    const { database, crashPoint } = this.#deps
    const shown = waiting ? await listShownEvents(database, instanceId) : []
    const claimed = await inTransaction(
      database,
      async (db) => {
        if (waiting) {
          await appendWaitingEvents(db, instanceId, waiting, shown)
          await crashPoint?.('after-place-before-commit')
        }
        return limit === 0 ? [] : await this.#claim(db, { instanceId, limit, waitsForDisk: waiting !== null })
      },
      (deliveries, commit) => this.#start(deliveries, commit),
    )
    return claimed.length
  }

  /** In the transaction of the claim: a subscription is removed with its secrets either before it or after they are read. */
  async #claim(db: Db, { instanceId, ...how }: { instanceId: string; limit: number; waitsForDisk: boolean }): Promise<Claimed[]> {
    const { log, crashPoint } = this.#deps
    const onLost = (count: number) => log.warn({ instanceId, count }, 'deliveries were deleted whose events do not exist any more')
    const claim = { ...how, lease: randomUUID(), onLost }
    const claimed = await claimDeliveries(db, instanceId, claim, this.#rules(), this.#memory)
    if (claimed.length === 0) return []
    const ids = [...new Set(claimed.map((delivery) => delivery.subscriptionId))]
    const secrets = await listUnexpiredSecrets(db, instanceId, ids, this.#rules().aheadMs)
    await crashPoint?.('after-claim-before-send')
    return claimed.map((delivery) => [delivery, secrets.filter((secret) => secret.subscriptionId === delivery.subscriptionId)])
  }

  /** Starts an attempt for each delivery; `commit` is that of their claim. */
  #start(deliveries: readonly Claimed[], commit: Promise<void>): void {
    const isCommitted = commit.then(() => true).catch(() => false)
    for (const [delivery, sealed] of deliveries) {
      const { instanceId, id: deliveryId, subscriptionId } = delivery
      const work = this.#reported({ instanceId, subscriptionId, deliveryId }, () => this.#deliver(delivery, sealed, isCommitted)).then(
        () => {
          this.#inFlight.delete(work)
          this.#wake()
        },
      )
      this.#inFlight.add(work)
    }
  }

  async #deliver(delivery: ClaimedDelivery, sealed: SealedSecret[], isCommitted: Promise<boolean>): Promise<void> {
    const { database, egress, sealer, log, own, random, crashPoint } = this.#deps
    const isOwn = own !== undefined && (await isOwnReceiver({ ...own, database }, delivery))
    const verdict = await inDeliverySpan(delivery, (traceParent) =>
      attemptDelivery(egress, { ...delivery, traceParent }, toSigningSecrets(sealer, delivery.instanceId, sealed), isOwn),
    )
    await crashPoint?.('after-send-before-mark')
    const { httpStatus, error, response, durationMs } = verdict
    const fields = { instanceId: delivery.instanceId, subscriptionId: delivery.subscriptionId, deliveryId: delivery.id, httpStatus, error }
    if (!(await isCommitted)) return log.warn(fields, 'the claim of a webhook attempt was not committed; the attempt will be made again')
    const next = nextOf(delivery, verdict, random)
    const outcome = { startedAt: delivery.claimedAt, durationMs, httpStatus, error, response, next }
    const health = await recordAttempt(database, delivery, outcome, this.#rules())
    await crashPoint?.('after-mark')
    if (health) this.#deps.onAttempt?.({ result: resultOf(verdict, outcome), delaySeconds: delayOf(delivery, verdict) })
    if (!health) log.warn(fields, 'a webhook attempt outlived its claim; it will be made again')
    else if (verdict.result === 'gone') await this.#disable(delivery, 'gone')
    else if (shouldDisable(health)) await this.#disable(delivery, 'failing')
  }

  async #disable(delivery: ClaimedDelivery, reason: 'gone' | 'failing'): Promise<void> {
    const { instanceId, subscriptionId } = delivery
    if (await suspendSubscription(this.#deps.database, instanceId, subscriptionId, reason))
      this.#deps.log.warn({ instanceId, subscriptionId, reason }, 'webhook subscription disabled')
  }

  #rules(): ClaimRules {
    return { ...LIMITS, aheadMs: this.#deps.clock?.aheadMs() ?? 0 }
  }
}

/** Round-robin over instances, in the order of their ids, starting after the one served last. */
export function roundRobinFrom(instanceIds: string[], last: string): string[] {
  const ordered = instanceIds.toSorted()
  return [...ordered.filter((id) => id > last), ...ordered.filter((id) => id <= last)]
}
