/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
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
      // The place goes on to the next in line, so that nobody slips in between.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
