import { listEndedSessions } from '../../store/access/sessions.ts'
import type { Database } from '../../store/db/database.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { unavailable } from '../errors/errors.ts'

/** Maximum age of the list of ended sessions for a read. Changes always query the database. */
const FRESH_MS = 1_000
/** Full reload interval, so that old revocations are dropped. */
const RELOAD_MS = 3_600_000
/** The database counts as unavailable when it is slower than this many queries in a row. */
const SLOW_QUERIES = 3

/**
 * Revocation list: sessions ended, and instances suspended, by any process. Queried at most once a second for reads, and only when requests
 * arrive; all requests that need a newer list share one query. Fails closed: when the database is unavailable, nobody
 * is let in.
 */
export class Revocations {
  readonly #database: Database
  #ended = new Set<string>()
  #suspended: ReadonlySet<string> = new Set()
  #requestQuotas: ReadonlyMap<string, number> = new Map()
  #loadedAtMs = Number.NEGATIVE_INFINITY
  #snapshot: string | null = null
  #askedAtMs = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | null = null

  constructor(database: Database) {
    this.#database = database
  }

  isFresh(nowMs: number): boolean {
    const age = nowMs - this.#askedAtMs
    return age >= 0 && age < FRESH_MS
  }

  hasEnded(sessionId: string): boolean {
    return this.#ended.has(sessionId)
  }

  isSuspended(instanceId: string): boolean {
    return this.#suspended.has(instanceId)
  }

  requestQuotaOf(instanceId: string): number | undefined {
    return this.#requestQuotas.get(instanceId)
  }

  /** Refreshes the list for a request. Throws a 503 when the database is too slow. */
  async refresh(now: () => Date): Promise<void> {
    for (let asked = 0; !this.isFresh(now().getTime()); asked += 1) {
      if (asked === SLOW_QUERIES) throw unavailable()
      this.#asking ??= this.#ask(now().getTime()).finally(() => {
        this.#asking = null
      })
      await this.#asking
    }
  }

  /** Refreshes the list by a query that begins after this call, so that every session ended before it is known. */
  async refreshNow(now: () => Date): Promise<void> {
    // A query in flight may have begun earlier.
    await this.#asking?.catch(() => undefined)
    this.#asking ??= this.#ask(now().getTime()).finally(() => {
      this.#asking = null
    })
    await this.#asking
  }

  async #ask(nowMs: number): Promise<void> {
    const isReload = !(nowMs - this.#loadedAtMs < RELOAD_MS)
    // The list is for requests of all instances, whichever of them asks.
    const { sessionIds, suspendedInstanceIds, requestQuotas, snapshot } = await acrossInstances(() =>
      listEndedSessions(this.#database, isReload ? null : this.#snapshot),
    )
    if (isReload) {
      this.#ended = new Set()
      this.#loadedAtMs = nowMs
    }
    for (const sessionId of sessionIds) this.#ended.add(sessionId)
    this.#suspended = new Set(suspendedInstanceIds)
    this.#requestQuotas = new Map(Object.entries(requestQuotas))
    this.#snapshot = snapshot
    this.#askedAtMs = nowMs
  }
}
