/** Counts calls of each key in the running span of time. */
export class Limit {
  readonly #most: number
  readonly #spanMs: number
  readonly #spans = new Map<string, { span: number; calls: number }>()

  constructor(most: number, spanMs: number) {
    this.#most = most
    this.#spanMs = spanMs
  }

  /** Counts one call; true when it is one too many. */
  isOver(key: string, now: Date): boolean {
    const span = Math.floor(now.getTime() / this.#spanMs)
    const current = this.#spans.get(key)
    const calls = current?.span === span ? current.calls + 1 : 1
    this.#spans.set(key, { span, calls })
    return calls > this.#most
  }

  /** Seconds until the next span begins. */
  waitS(now: Date): number {
    return Math.ceil((this.#spanMs - (now.getTime() % this.#spanMs)) / 1000)
  }
}
