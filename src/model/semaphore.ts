/** Semaphore: runs at most `permits` tasks at once, first come first served. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(permits: number) {
    this.#free = permits
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The slot is handed to the next waiter, so that nobody overtakes it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}

/**
 * Fair semaphore: waiting parties get permits in turn, however many tasks each has, and no party holds more than `most`
 * permits, so that some are left for the others.
 */
export class FairSemaphore {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #taken = new Map<string, number>()
  readonly #most: number
  #free: number

  constructor({ permits, most }: { permits: number; most: number }) {
    this.#free = permits
    this.#most = most
  }

  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0 && this.#hasRoom(party)) this.#take(party)
    else await new Promise<void>((resolve) => this.#wait(party, resolve))
    try {
      return await work()
    } finally {
      this.#giveBack(party)
    }
  }

  #hasRoom(party: string): boolean {
    return (this.#taken.get(party) ?? 0) < this.#most
  }

  #take(party: string): void {
    this.#free -= 1
    this.#taken.set(party, (this.#taken.get(party) ?? 0) + 1)
  }

  #wait(party: string, resolve: () => void): void {
    const queue = this.#waiting.get(party)
    if (queue) queue.push(resolve)
    else this.#waiting.set(party, [resolve])
  }

  #giveBack(party: string): void {
    this.#free += 1
    const left = (this.#taken.get(party) ?? 1) - 1
    if (left > 0) this.#taken.set(party, left)
    else this.#taken.delete(party)
    for (const [next, queue] of this.#waiting) {
      if (!this.#hasRoom(next)) continue
      this.#waiting.delete(next)
      this.#take(next)
      queue.shift()?.()
      // Its next turn comes after those of the others.
      if (queue.length > 0) this.#waiting.set(next, queue)
      return
    }
  }
}
