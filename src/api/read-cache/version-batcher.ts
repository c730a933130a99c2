/** Maximum concurrent version queries. */
const MAX_IN_FLIGHT = 2

/** Queries the versions of many publications; keys without one are left out. */
export type FindVersions = (keys: string[]) => Promise<Map<string, string>>

/** Request that waits for the published version. */
interface Waiter {
  resolve(version: string | null): void
  reject(error: unknown): void
}

/**
 * Version batcher: published versions from the database. Requests that arrive while queries are in flight share the
 * next one: each query starts after the requests it answers.
 */
export class VersionBatcher {
  readonly #findVersions: FindVersions
  #waiting = new Map<string, Waiter[]>()
  #inFlight = 0
  #isScheduled = false

  constructor(findVersions: FindVersions) {
    this.#findVersions = findVersions
  }

  /** Null when nothing is published under the key. */
  load(key: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiting.get(key)
      if (waiters) waiters.push({ resolve, reject })
      else this.#waiting.set(key, [{ resolve, reject }])
      this.#scheduleQuery()
    })
  }

  /** Deferred until all current requests have arrived, so that they share the query. */
  #scheduleQuery(): void {
    if (this.#isScheduled || this.#inFlight === MAX_IN_FLIGHT) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#query()
    })
  }

  async #query(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = new Map()
    this.#inFlight += 1
    try {
      const versions = await this.#findVersions([...batch.keys()])
      for (const [key, waiters] of batch) for (const waiter of waiters) waiter.resolve(versions.get(key) ?? null)
    } catch (error) {
      for (const waiters of batch.values()) for (const waiter of waiters) waiter.reject(error)
    }
    this.#inFlight -= 1
    if (this.#waiting.size > 0) this.#scheduleQuery()
  }
}
