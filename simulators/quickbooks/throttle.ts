/** Counts the calls of each company in the running minute. */
export class Throttle {
  readonly #callsPerMinute: number
  readonly #minutes = new Map<string, { minute: number; calls: number }>()

  constructor(callsPerMinute: number) {
    this.#callsPerMinute = callsPerMinute
  }

  /** Counts one call; true when it is one too many. */
  isOver(realmId: string, now: Date): boolean {
    const minute = Math.floor(now.getTime() / 60_000)
    const current = this.#minutes.get(realmId)
    const calls = current?.minute === minute ? current.calls + 1 : 1
    this.#minutes.set(realmId, { minute, calls })
    return calls > this.#callsPerMinute
  }
}
