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

  readonly #onEnd: ((key: string, count: number) => void) | undefined

  /** `onEnd` is told the count of each window that is replaced or removed. */
  constructor(lengthMs: number, onEnd?: (key: string, count: number) => void) {
    this.#lengthMs = lengthMs
    this.#onEnd = onEnd
  }

  /** Current window of the key, created on demand; the caller increments it. */
  at(key: string, nowMs: number): RequestWindow {
    const known = this.#windows.get(key)
    if (known && nowMs < known.endsAtMs && known.endsAtMs <= nowMs + this.#lengthMs) return known
    if (known) this.#onEnd?.(key, known.count)
    else if (this.#windows.size >= MAX_WINDOWS) this.#dropOver(nowMs)
    const window = { count: 0, endsAtMs: nowMs + this.#lengthMs }
    this.#windows.set(key, window)
    return window
  }

  /** Removes the windows that are over, and returns the others. */
  current(nowMs: number): ReadonlyMap<string, RequestWindow> {
    for (const [key, window] of this.#windows) {
      if (window.endsAtMs > nowMs) continue
      this.#windows.delete(key)
      this.#onEnd?.(key, window.count)
    }
    return this.#windows
  }

  #dropOver(nowMs: number): void {
    if (this.current(nowMs).size >= MAX_WINDOWS) this.#windows.clear()
  }
}
