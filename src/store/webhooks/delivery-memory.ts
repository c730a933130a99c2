import type { Waiting } from './event-feeds.ts'

/** Maximum number of subscriptions remembered: those served last. */
const MOST = 256
/** Time after which all entries of a subscription are looked at again, for deliveries that appeared late. */
const FRESH_MS = 10_000

/**
 * What a dispatcher remembers of the subscriptions that it serves: a time before which no delivery of them waits. While
 * a transaction stays open elsewhere in the database, PostgreSQL keeps the index entries of all deliveries made since;
 * those before this time are not read again (docs/decisions/0079).
 */
export class DeliveryMemory {
  /** Times as text of the database, because a Date has no microseconds. */
  readonly #starts = new Map<string, { dueFrom: string; notedAtMs: number }>()
  #lookedAtAllMs = Number.NEGATIVE_INFINITY

  /** Which waiting events a round looks at: all of them every ten seconds, and in the first one. */
  beginRound(nowMs = performance.now()): Waiting {
    if (nowMs - this.#lookedAtAllMs <= FRESH_MS) return 'recent'
    this.#lookedAtAllMs = nowMs
    return 'all'
  }

  /** `isWhole`: all entries of the subscription were looked at, not only those from its last time on. */
  note(subscriptionId: string, dueFrom: string, isWhole: boolean, nowMs = performance.now()): void {
    const notedAtMs = isWhole ? nowMs : (this.#starts.get(subscriptionId)?.notedAtMs ?? nowMs)
    this.#starts.delete(subscriptionId)
    this.#starts.set(subscriptionId, { dueFrom, notedAtMs })
    const [oldest] = this.#starts.keys()
    if (oldest !== undefined && this.#starts.size > MOST) this.#starts.delete(oldest)
  }

  /** Ids, times, and whether a time has to be found again, as parameters of a statement. */
  toParameters(nowMs = performance.now()): [ids: string[], times: string[], isOld: boolean[]] {
    const entries = [...this.#starts]
    return [
      entries.map(([id]) => id),
      entries.map(([, { dueFrom, notedAtMs }]) => (nowMs - notedAtMs > FRESH_MS ? '-infinity' : dueFrom)),
      entries.map(([, { notedAtMs }]) => nowMs - notedAtMs > FRESH_MS),
    ]
  }
}
