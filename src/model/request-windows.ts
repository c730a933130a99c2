/** Number of requests since a window began. */
export interface RequestWindow {
  count: number
  endsAtMs: number
}

/** Above this number of counters, expired ones are dropped. */
const MAX_WINDOWS = 50_000

/**
 * Fixed-window counters by key, in this process only, with bounded memory. NOTE a client that can invent keys can evict
 * counters, so use separate counters for invented keys.
 */
export class RequestWindows {
  readonly #lengthMs: number
  readonly #windows = new Map<string, RequestWindow>()

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs
  }

  /** Current window of the key, created on demand; the caller increments it. */
  at(key: string, nowMs: number): RequestWindow {
    const known = this.#windows.get(key)
    if (known && nowMs < known.endsAtMs && known.endsAtMs <= nowMs + this.#lengthMs) return known
    if (!known && this.#windows.size >= MAX_WINDOWS) this.#dropOver(nowMs)
    const window = { count: 0, endsAtMs: nowMs + this.#lengthMs }
    this.#windows.set(key, window)
    return window
  }

  #dropOver(nowMs: number): void {
    for (const [key, window] of this.#windows) if (window.endsAtMs <= nowMs) this.#windows.delete(key)
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.clear()
  }
}
