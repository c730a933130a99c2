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
