/** Questions to the database that may be on the way at the same time. */
const MOST_ON_THE_WAY = 2

/** Asks for the versions of many publications at once; keys without one are left out. */
export type FindVersions = (keys: string[]) => Promise<Map<string, string>>

/** A request that waits for what is published now. */
interface Asker {
  resolve(version: string | null): void
  reject(error: unknown): void
}

/**
 * What is published now, as the database says. Requests that come while questions are on the way share the next one: each question starts
 * after the requests that it answers.
 */
export class VersionChecks {
  readonly #findVersions: FindVersions
  #waiting = new Map<string, Asker[]>()
  #onTheWay = 0
  #isSoon = false

  constructor(findVersions: FindVersions) {
    this.#findVersions = findVersions
  }

  /** Null when nothing is published under the key. */
  check(key: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const askers = this.#waiting.get(key)
      if (askers) askers.push({ resolve, reject })
      else this.#waiting.set(key, [{ resolve, reject }])
      this.#askSoon()
    })
  }

  /** After what else has come in by now, so that it shares the question. */
  #askSoon(): void {
    if (this.#isSoon || this.#onTheWay === MOST_ON_THE_WAY) return
    this.#isSoon = true
    setImmediate(() => {
      this.#isSoon = false
      void this.#ask()
    })
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = new Map()
    this.#onTheWay += 1
    try {
      const versions = await this.#findVersions([...asked.keys()])
      for (const [key, askers] of asked) for (const asker of askers) asker.resolve(versions.get(key) ?? null)
    } catch (error) {
      for (const askers of asked.values()) for (const asker of askers) asker.reject(error)
    }
    this.#onTheWay -= 1
    if (this.#waiting.size > 0) this.#askSoon()
  }
}
