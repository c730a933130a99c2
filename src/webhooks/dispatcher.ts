import { randomUUID } from 'node:crypto'
import type { Egress } from '../egress/egress.ts'
import { startWakeup, type Wakeup } from '../jobs/wakeup.ts'
import type { CrashHook } from '../model/crash-points.ts'
import { type Database, inTransaction } from '../store/db/database.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  type ClaimRules,
  claimDeliveries,
  listDueInstances,
  recordAttempt,
} from '../store/webhooks/deliveries.ts'
import { appendWaitingEvents, catchUpFeed, listWaitingInstances } from '../store/webhooks/event-feeds.ts'
import { listUnexpiredSecrets, type SealedSecret } from '../store/webhooks/subscription-secrets.ts'
import { disableSubscription } from '../store/webhooks/subscriptions.ts'
import { attemptDelivery, LEASE_MS, type SigningSecrets } from './attempt.ts'
import type { AttemptResult } from './attempt-result.ts'
import type { WebhookLog } from './deps.ts'
import { isOwnReceiver, type ReceiverDeps } from './receivers.ts'
import { afterFailure, shouldDisable } from './schedule.ts'
import { openSecret } from './secrets.ts'

export interface DispatcherDeps {
  database: Database
  egress: Egress
  sealer: Sealer
  log: WebhookLog
  /** Where this deployment's own receivers are; left out where there are none. */
  own?: Pick<ReceiverDeps, 'publicUrl' | 'hashToken'>
  /** How far this dispatcher's schedule runs ahead of the database's time: 0 but in tests, which travel in time. */
  clock?: { aheadMs(): number }
  /** From 0 to 1, for jitter. */
  random?: () => number
  /** Told of each attempt once it is written; `delaySeconds` is null but for the first success of a delivery, counted from the event. */
  onAttempt?(attempt: { result: 'delivered' | 'retried' | 'failed' | 'gone'; delaySeconds: number | null }): void
  /** Stops here in a proof that kills processes at named places. */
  crashPoint?: CrashHook
}

/**
 * Delivers events: at least once, unordered, for as many processes as run one. Its whole state is in the database, so that a process
 * may be killed at any point: what it had claimed is claimed again when the lease has run out.
 */
export interface Dispatcher {
  start(): void
  /** Claims nothing more and waits for the attempts under way, which takes 15 s at most. */
  stop(): Promise<void>
  /** Places what is committed, makes one attempt for what is due as far as limits allow, and returns how many it made. */
  runOnce(): Promise<number>
}

const POLL_MS = 1_000
/** Attempts at one time. Each costs a socket and little else, so that scores of dead receivers leave room for the others. */
const MAX_IN_FLIGHT = 400
/** Instances that are served side by side, each over a connection to the database. */
const INSTANCES_AT_ONCE = 4
const LIMITS = { leaseMs: LEASE_MS, perSubscription: 5, failuresUntilProbing: 5, pauseMs: 30_000 } as const

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const inFlight = new Set<Promise<void>>()
  let wakeup: Wakeup | null = null
  let rounds: Promise<void> | null = null
  let isWanted = false
  let lastServed = ''

  const aheadMs = () => deps.clock?.aheadMs() ?? 0
  const rules = (): ClaimRules => ({ ...LIMITS, aheadMs: aheadMs() })

  const wake = (): void => {
    isWanted = true
    if (rounds || !wakeup) return
    rounds = runRounds().finally(() => {
      rounds = null
    })
  }

  const runRounds = async (): Promise<void> => {
    while (isWanted && wakeup) {
      isWanted = false
      await reported({}, runRound)
    }
  }

  /** A failure is told and ends only its own piece of work: leases and the next poll bring it back. */
  const reported = async <T>(fields: Record<string, unknown>, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      deps.log.error({ ...fields, err: error }, 'webhook dispatch failed')
      return null
    }
  }

  const runRound = async (): Promise<number> => {
    const waiting = new Set(await listWaitingInstances(deps.database))
    const due = await listDueInstances(deps.database, aheadMs())
    const queue = roundRobinFrom([...new Set([...waiting, ...due])], lastServed)
    let started = 0
    const serveNext = async (): Promise<void> => {
      for (let instanceId = queue.shift(); instanceId !== undefined; instanceId = queue.shift()) {
        const id = instanceId
        if (waiting.has(id)) await reported({ instanceId: id }, () => appendEvents(id))
        const room = MAX_IN_FLIGHT - inFlight.size
        if (room <= 0) continue
        const share = Math.ceil(room / (queue.length + INSTANCES_AT_ONCE))
        started += (await reported({ instanceId: id }, () => serve(id, share))) ?? 0
        lastServed = id
      }
    }
    await Promise.all(Array.from({ length: INSTANCES_AT_ONCE }, serveNext))
    return started
  }

  const appendEvents = async (instanceId: string): Promise<void> => {
    await inTransaction(deps.database, async (db) => {
      await appendWaitingEvents(db, instanceId)
      await deps.crashPoint?.('after-place-before-commit')
    })
  }

  const serve = async (instanceId: string, limit: number): Promise<number> => {
    const claim = { lease: randomUUID(), limit }
    const claimed = await inTransaction(deps.database, (db) => claimDeliveries(db, instanceId, claim, rules()))
    if (claimed.length === 0) return 0
    await deps.crashPoint?.('after-claim-before-send')
    const ids = [...new Set(claimed.map((delivery) => delivery.subscriptionId))]
    const secrets = await listUnexpiredSecrets(deps.database, instanceId, ids, aheadMs())
    for (const delivery of claimed) {
      const { id: deliveryId, subscriptionId } = delivery
      const own = secrets.filter((secret) => secret.subscriptionId === subscriptionId)
      const work = reported({ instanceId, subscriptionId, deliveryId }, () => deliver(delivery, own)).then(() => {
        inFlight.delete(work)
        wake()
      })
      inFlight.add(work)
    }
    return claimed.length
  }

  const deliver = async (delivery: ClaimedDelivery, sealed: SealedSecret[]): Promise<void> => {
    const isOwn = deps.own !== undefined && (await isOwnReceiver({ ...deps.own, database: deps.database }, delivery))
    const verdict = await attemptDelivery(deps.egress, delivery, toSigningSecrets(deps.sealer, delivery, sealed), isOwn)
    await deps.crashPoint?.('after-send-before-mark')
    const { httpStatus, error, response, durationMs } = verdict
    const outcome = { startedAt: delivery.claimedAt, durationMs, httpStatus, error, response, next: nextOf(delivery, verdict) }
    const health = await recordAttempt(deps.database, delivery, outcome, rules())
    await deps.crashPoint?.('after-mark')
    const fields = { instanceId: delivery.instanceId, subscriptionId: delivery.subscriptionId, deliveryId: delivery.id, httpStatus, error }
    if (health) deps.onAttempt?.({ result: resultOf(verdict, outcome), delaySeconds: delayOf(delivery, verdict) })
    if (!health) deps.log.warn(fields, 'a webhook attempt outlived its claim; it will be made again')
    else if (verdict.result === 'gone') await disable(delivery, 'gone')
    else if (verdict.result === 'failed' && shouldDisable(health)) await disable(delivery, 'failing')
  }

  const nextOf = (delivery: ClaimedDelivery, verdict: AttemptResult): AttemptOutcome['next'] =>
    verdict.result === 'delivered' ? 'delivered' : afterFailure(delivery.step + 1, verdict.retryAfterMs, deps.random ?? Math.random)

  const disable = async (delivery: ClaimedDelivery, reason: 'gone' | 'failing'): Promise<void> => {
    const { instanceId, subscriptionId } = delivery
    const isDisabled = await inTransaction(deps.database, async (db) => {
      const position = await catchUpFeed(db, instanceId)
      return await disableSubscription(db, instanceId, subscriptionId, reason, position)
    })
    if (isDisabled) deps.log.warn({ instanceId, subscriptionId, reason }, 'webhook subscription disabled')
  }

  return {
    start: () => {
      wakeup ??= startWakeup(deps.database, 'events', POLL_MS, wake, (err) => deps.log.error({ err }, 'webhook wake-up failed'))
      wake()
    },
    stop: async () => {
      const running = wakeup
      wakeup = null
      await running?.stop()
      await rounds
      await Promise.all(inFlight)
    },
    runOnce: async () => {
      const started = await runRound()
      await Promise.all(inFlight)
      return started
    },
  }
}

function resultOf({ result }: AttemptResult, { next }: AttemptOutcome): 'delivered' | 'retried' | 'failed' | 'gone' {
  if (result !== 'failed') return result
  return next === 'failed' ? 'failed' : 'retried'
}

/** In seconds; null unless it is the first success. */
function delayOf({ claimedAt, raisedAt, wasDelivered }: ClaimedDelivery, { result, durationMs }: AttemptResult & { durationMs: number }) {
  if (result !== 'delivered' || wasDelivered) return null
  return (claimedAt.getTime() - raisedAt.getTime() + durationMs) / 1_000
}

/** Instances in order, starting after the one that was served last. */
function roundRobinFrom(instanceIds: string[], last: string): string[] {
  const ordered = instanceIds.toSorted()
  const first = ordered.findIndex((id) => id > last)
  return first <= 0 ? ordered : [...ordered.slice(first), ...ordered.slice(0, first)]
}

function toSigningSecrets(sealer: Sealer, delivery: ClaimedDelivery, sealed: SealedSecret[]): SigningSecrets {
  const all = sealed.map((secret) => openSecret(sealer, delivery.instanceId, secret))
  const [current] = all
  if (!current || !sealed[0]?.isCurrent) throw new Error('the subscription has no secret to sign with')
  return { current, all }
}
