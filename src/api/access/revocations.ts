import { listEndedSessions } from '../../store/access/refresh-tokens.ts'
import type { Database } from '../../store/db/database.ts'
import { unavailable } from '../errors/errors.ts'

/** How old the knowledge of ended sessions may be for a read. What changes something always asks. */
const FRESH_MS = 1_000
/** After this everything is read anew, so that ends of long ago are forgotten. */
const RELOAD_MS = 3_600_000
/** A database slower than this many queries in a row counts as out of reach. */
const PATIENCE = 3

/**
 * Which sessions have ended, in whatever process. Asked at most every second for reads, and only when requests come; all requests
 * that need newer knowledge share one query. When the database cannot be asked, nobody gets in.
 */
export class Revocations {
  readonly #database: Database
  #ended = new Set<string>()
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

  /** Brings the knowledge up to date for a request. Throws a 503 when the database is too slow for that. */
  async refresh(now: () => Date): Promise<void> {
    for (let asked = 0; !this.isFresh(now().getTime()); asked += 1) {
      if (asked === PATIENCE) throw unavailable()
      this.#asking ??= this.#ask(now().getTime()).finally(() => {
        this.#asking = null
      })
      await this.#asking
    }
  }

  /** Brings the knowledge up to date by a query that begins after this call: whatever ended before it is known. */
  async refreshNow(now: () => Date): Promise<void> {
    // What is under way may have begun before.
    await this.#asking?.catch(() => undefined)
    this.#asking ??= this.#ask(now().getTime()).finally(() => {
      this.#asking = null
    })
    await this.#asking
  }

  async #ask(nowMs: number): Promise<void> {
    const isReload = !(nowMs - this.#loadedAtMs < RELOAD_MS)
    const { sessionIds, snapshot } = await listEndedSessions(this.#database, isReload ? null : this.#snapshot)
    if (isReload) {
      this.#ended = new Set()
      this.#loadedAtMs = nowMs
    }
    for (const sessionId of sessionIds) this.#ended.add(sessionId)
    this.#snapshot = snapshot
    this.#askedAtMs = nowMs
  }
}
