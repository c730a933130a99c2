const REST_AFTER_MS = 60_000

/** Whether a process rests: while nothing happens in the deployment, it polls less often. Absent: it never rests. */
export interface RestSigns {
  isResting(): boolean
  /** Calls back at each sign of work, until the returned function is called. */
  onWork(look: () => void): () => void
}

/**
 * Activity monitor: notifications, claimed jobs and deliveries are signs of work. After a minute without one the process
 * rests, and polls less often until the next one.
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
   * Registers a session that listens for notifications; returns a function that removes it. The removal ends a rest,
   * because notifications may be missed from then on.
   */
  listens(): () => void {
    const session = Symbol('session')
    this.#sessions.add(session)
    return () => {
      if (this.#sessions.delete(session)) this.sawWork()
    }
  }
}
