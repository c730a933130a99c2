/** Rate limit: `most` calls of each key per fixed window, shared by all keys. */
export class Limit {
  readonly #most: number
  readonly #spanMs: number
  readonly #spans = new Map<string, { span: number; calls: number }>()

  constructor(most: number, spanMs: number) {
    this.#most = most
    this.#spanMs = spanMs
  }

  /** Counts one call; returns true if it exceeds the limit. */
  isOver(key: string, now: Date): boolean {
    return this.#count(key, now) > this.#most
  }

  /** Counts one call. */
  count(key: string, now: Date): void {
    this.#count(key, now)
  }

  /** Calls left in the current window. */
  left(key: string, now: Date): number {
    return Math.max(0, this.#most - this.#counted(key, now))
  }

  /** Seconds until the next window begins. */
  waitS(now: Date): number {
    return Math.ceil((this.#spanMs - (now.getTime() % this.#spanMs)) / 1000)
  }

  #count(key: string, now: Date): number {
    const calls = this.#counted(key, now) + 1
    this.#spans.set(key, { span: this.#spanAt(now), calls })
    return calls
  }

  #counted(key: string, now: Date): number {
    const current = this.#spans.get(key)
    return current?.span === this.#spanAt(now) ? current.calls : 0
  }

  #spanAt(now: Date): number {
    return Math.floor(now.getTime() / this.#spanMs)
  }
}

/** Combined limit per minute and per day. */
export class MinuteAndDayLimit {
  readonly minute: Limit
  readonly day: Limit

  constructor(perMinute: number, perDay: number) {
    this.minute = new Limit(perMinute, 60_000)
    this.day = new Limit(perDay, 86_400_000)
  }

  /** Counts one call unless a limit is reached; returns that limit, or null if the call may pass. */
  spend(key: string, now: Date): 'minute' | 'day' | null {
    const met = this.day.left(key, now) === 0 ? 'day' : this.minute.left(key, now) === 0 ? 'minute' : null
    if (met === null) {
      this.minute.count(key, now)
      this.day.count(key, now)
    }
    return met
  }
}
