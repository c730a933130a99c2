/** Of all exports of a process. Half of what one can write on two cores, so that the other half stays free for answers. */
const RECORDS_PER_SECOND = 53_000
/** Lateness that is made up for. */
const CATCH_UP_MS = 250

export interface Timer {
  /** Monotonic time in milliseconds. */
  nowMs(): number
  wait(ms: number): Promise<void>
}

const SYSTEM_TIMER: Timer = {
  nowMs: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/**
 * Rate limiter for the records that the exports of a process read. Their reads are spread evenly, so that the processors
 * are free in between for answers, of this process and of others on the same machine.
 */
export class RecordPace {
  readonly #timer: Timer
  readonly #perSecond: number
  #freeAtMs = Number.NEGATIVE_INFINITY

  constructor(timer: Timer = SYSTEM_TIMER, perSecond = RECORDS_PER_SECOND) {
    this.#timer = timer
    this.#perSecond = perSecond
  }

  /** Resolves when `records` may be read. */
  async admit(records: number): Promise<void> {
    const nowMs = this.#timer.nowMs()
    const startsAtMs = Math.max(nowMs - CATCH_UP_MS, this.#freeAtMs)
    this.#freeAtMs = startsAtMs + (records * 1_000) / this.#perSecond
    if (startsAtMs > nowMs) await this.#timer.wait(startsAtMs - nowMs)
  }
}
