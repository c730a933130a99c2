/**
 * Two-stage pipeline: one write goes on in the background while its owner prepares the next. A failed write is told to whoever waits next, so
 * its promise never goes unhandled. Used by one caller at a time.
 */
export class Pipeline {
  #writing: Promise<void> = Promise.resolve()

  /** Starts a write once the one before is done, and does not wait for it. */
  async start(write: () => Promise<void>): Promise<void> {
    await this.#writing
    this.#writing = write()
    // Nobody may be waiting yet when it fails: whoever waits later still hears of it.
    this.#writing.catch(() => undefined)
  }

  /** Works beside the write under way; when it returns or throws, both are over. Of two failures that of the write counts: it came first. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      await this.#writing
    }
  }

  /** Waits for the write under way. */
  async drain(): Promise<void> {
    await this.#writing
  }
}
