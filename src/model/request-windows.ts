/** Requests counted since a window began. */
export interface RequestWindow {
  count: number
  endsAtMs: number
}

/** Beyond this many counters, those whose time is over are dropped. */
const MAX_WINDOWS = 50_000

/**
 * Counts by key in windows of one length, in this process only and in bounded memory. NOTE whoever can make up keys can have the counters
 * forgotten, so what they make up has counters of its own.
 */
export class RequestWindows {
  readonly #lengthMs: number
  readonly #windows = new Map<string, RequestWindow>()

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs
  }

  /** The window that the key has now, a new one where there is none; counting is the caller's. */
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
