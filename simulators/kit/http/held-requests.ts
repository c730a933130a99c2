import type { ServerResponse } from 'node:http'

/** Requests whose answer waits until released; one that the client abandons is forgotten. */
export class HeldRequests {
  readonly #waiting = new Map<ServerResponse, () => void>()

  get size(): number {
    return this.#waiting.size
  }

  hold(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(response, resolve)
      response.once('close', () => this.#waiting.delete(response))
    })
  }

  release(): void {
    for (const resolve of this.#waiting.values()) resolve()
    this.#waiting.clear()
  }

  /** Drops the connections instead of answering. */
  drop(): void {
    for (const response of this.#waiting.keys()) response.destroy()
    this.#waiting.clear()
  }
}
