const REST_AFTER_MS = 60_000

/** What a process does while nothing happens in the deployment; without one it never rests. */
export interface RestSigns {
  isResting(): boolean
  /** Calls back at each sign of work, until the returned function is called. */
  onWork(look: () => void): () => void
}

/**
 * Signs of work in a process: a notification, a claimed job, a delivery. A process that has seen none for a minute rests:
 * what is found by polling is looked for less often, until the next sign.
 */
export class Activity implements RestSigns {
  readonly #elapsedMs: () => number
  readonly #looks = new Set<() => void>()
  readonly #sessions = new Set<symbol>()
  #workedAt: number

  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs
    this.#workedAt = elapsedMs()
  }

  isResting(): boolean {
    return this.#sessions.size > 0 && this.#elapsedMs() - this.#workedAt > REST_AFTER_MS
  }

  onWork(look: () => void): () => void {
    this.#looks.add(look)
    return () => void this.#looks.delete(look)
  }

  sawWork(): void {
    this.#workedAt = this.#elapsedMs()
    for (const look of this.#looks) look()
  }

  /**
   * A session that hears notifications has begun; returns what ends it. The end ends a rest, too: what was announced
   * meanwhile is looked for.
   */
  listens(): () => void {
    const session = Symbol('session')
    this.#sessions.add(session)
    return () => {
      if (this.#sessions.delete(session)) this.sawWork()
    }
  }
}
