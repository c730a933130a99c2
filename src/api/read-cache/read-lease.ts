import type { KnownChanges, PublicationChange } from '../../store/records/publication-changes.ts'

export interface ReadLeaseOptions {
  /** 0: nothing is ever served without asking. */
  leaseMs: number
  listChanges(): Promise<KnownChanges>
  /** Only grows. */
  elapsedMs(): number
  /** Time of day, which also goes on while a machine sleeps. */
  now(): Date
}

/** Taken before a question to the database; says whether its answer may be believed later on. */
export interface Ticket {
  readonly serial: number
}

/** Versions that are remembered; beyond, all are forgotten and asked for anew. */
const MAX_VERSIONS = 100_000

/**
 * Which publications have not changed since they were last looked at, so that a read of a kept page asks nobody.
 *
 * Whoever changes a publication announces it and waits a little longer than a lease (`sync/connection/announced-change.ts`). Here one question, twice in each
 * lease and only while there are reads, asks what is announced. While the lease that it gives lasts, no publication can have changed but
 * those; they are asked for at each read until the change was made. A lost question, a slow database or a process that was stopped only ends
 * the lease: then each read asks the database, as it does with a lease of 0 (docs/decisions/0008).
 */
export class ReadLease {
  readonly #options: ReadLeaseOptions
  readonly #trusted = new Map<string, string>()
  /** Announced ones, by id, with their keys. */
  #open = new Map<string, string>()
  #openKeys = new Set<string>()
  /** Changes that were made, whose keys were forgotten since. */
  #applied = new Set<string>()
  #server: string | null = null
  #sentAtMs = Number.NEGATIVE_INFINITY
  #sentAtTime = 0
  #isAsking = false
  /** Raised whenever something was forgotten: answers to questions from before are not believed. */
  #serial = 0

  constructor(options: ReadLeaseOptions) {
    this.#options = options
  }

  /** The version that is published now, when that is known without asking. */
  find(key: string): string | undefined {
    const { leaseMs, elapsedMs } = this.#options
    if (leaseMs === 0) return undefined
    const nowMs = elapsedMs()
    if (nowMs - this.#sentAtMs >= leaseMs / 2) void this.#renew(nowMs)
    return this.#isValid(nowMs) && !this.#openKeys.has(key) ? this.#trusted.get(key) : undefined
  }

  /** Null while there is no lease: what is then learned holds only for now. */
  ticket(): Ticket | null {
    return this.#isValid(this.#options.elapsedMs()) ? { serial: this.#serial } : null
  }

  /** Remembers what a question told that was asked after the ticket was taken. */
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
      // The lease ends, and each read asks the database: those who read see its error.
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
    this.#applied.clear()
    this.#open.clear()
    this.#serial += 1
  }
}
