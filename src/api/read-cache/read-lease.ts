import type { KnownChanges, PublicationChange } from '../../store/records/publication-changes.ts'

export interface ReadLeaseOptions {
  /** 0: every read queries the database. */
  leaseMs: number
  listChanges(): Promise<KnownChanges>
  /** Monotonic clock. */
  elapsedMs(): number
  /** Wall clock, which also runs while a machine sleeps. */
  now(): Date
}

/** Taken before a query; decides whether its result may be used later. */
export interface Ticket {
  readonly serial: number
}

/** Maximum number of remembered versions; above it all are dropped and queried again. */
const MAX_VERSIONS = 100_000

/**
 * Read lease: the publications known to be unchanged, so that a read of a cached page needs no query.
 *
 * A publisher announces a change and waits a little longer than a lease (`sync/connection/announced-change.ts`). Here
 * one query, twice per lease and only while there are reads, lists the announced changes. While the resulting lease
 * lasts, only those publications can have changed; their versions are queried at each read until the change is made. A
 * lost query, a slow database or a stopped process only ends the lease: then each read queries the database, as with a
 * lease of 0 (docs/decisions/0008).
 */
export class ReadLease {
  readonly #options: ReadLeaseOptions
  readonly #trusted = new Map<string, string>()
  /** Announced changes: keys by id. */
  #open = new Map<string, string>()
  #openKeys = new Set<string>()
  /** Completed changes whose keys have been dropped since. */
  #applied = new Set<string>()
  #server: string | null = null
  #sentAtMs = Number.NEGATIVE_INFINITY
  #sentAtTime = 0
  #isAsking = false
  /** Raised whenever something was dropped: results of earlier queries are then not used. */
  #serial = 0

  constructor(options: ReadLeaseOptions) {
    this.#options = options
  }

  /** The published version, if known without a query. */
  find(key: string): string | undefined {
    const { leaseMs, elapsedMs } = this.#options
    if (leaseMs === 0) return undefined
    const nowMs = elapsedMs()
    if (nowMs - this.#sentAtMs >= leaseMs / 2) void this.#renew(nowMs)
    return this.#isValid(nowMs) && !this.#openKeys.has(key) ? this.#trusted.get(key) : undefined
  }

  /** Null without a lease: results are then valid only for the current request. */
  ticket(): Ticket | null {
    return this.#isValid(this.#options.elapsedMs()) ? { serial: this.#serial } : null
  }

  /** Remembers a version from a query that began after the ticket was taken. */
  remember(ticket: Ticket | null, key: string, version: string): void {
    if (ticket?.serial !== this.#serial) return
    if (this.#trusted.size >= MAX_VERSIONS) this.#trusted.clear()
    this.#trusted.set(key, version)
  }

  #isValid(nowMs: number): boolean {
    const { leaseMs, now } = this.#options
    const asleepMs = now().getTime() - this.#sentAtTime
    return nowMs - this.#sentAtMs < leaseMs && asleepMs >= -leaseMs && asleepMs < leaseMs
  }

  async #renew(nowMs: number): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const sentAtTime = this.#options.now().getTime()
    try {
      const known = await this.#options.listChanges()
      if (known.server !== this.#server || nowMs - this.#sentAtMs >= known.askAgainWithinMs) this.#forgetAll()
      this.#server = known.server
      this.#learn(known.changes)
      this.#sentAtMs = nowMs
      this.#sentAtTime = sentAtTime
    } catch {
      // The lease ends, and each read queries the database: readers get its error.
    } finally {
      this.#isAsking = false
    }
  }

  #learn(changes: PublicationChange[]): void {
    const open = new Map<string, string>()
    const applied = new Set<string>()
    for (const { id, key, isOpen } of changes) {
      if (isOpen) open.set(id, key)
      else {
        if (!this.#applied.has(id)) this.#forget(key)
        applied.add(id)
      }
    }
    for (const [id, key] of this.#open) if (!open.has(id) && !applied.has(id)) this.#forget(key)
    this.#open = open
    this.#openKeys = new Set(open.values())
    this.#applied = applied
  }

  #forget(key: string): void {
    this.#trusted.delete(key)
    this.#serial += 1
  }

  #forgetAll(): void {
    this.#trusted.clear()
    this.#serial += 1
  }
}
