/**
 * Two-stage pipeline: one write runs in the background while its owner prepares the next. A failed write rejects the
 * next wait, so that its promise is never unhandled. Single caller only.
 */
export class Pipeline {
  #writing: Promise<void> = Promise.resolve()

  /** Starts a write once the previous one is done, without waiting for it. */
  async start(write: () => Promise<void>): Promise<void> {
    await this.#writing
    this.#writing = write()
    // It may fail before anyone waits: a later waiter still gets the error.
    this.#writing.catch(() => undefined)
  }

  /**
   * Runs beside the write in flight; when it returns or throws, both have ended. If both fail, the error of the write
   * wins: it came first.
   */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      await this.#writing
    }
  }

  /** Waits for the write in flight. */
  async drain(): Promise<void> {
    await this.#writing
  }
}
