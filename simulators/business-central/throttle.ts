const WINDOW_MS = 5 * 60_000

/** Counts the calls of each person in the running window of five minutes. */
export class Throttle {
  readonly #callsPerWindow: number
  readonly #windows = new Map<string, { window: number; calls: number }>()

  constructor(callsPerWindow: number) {
    this.#callsPerWindow = callsPerWindow
  }

  /** Counts one call; true when it is one too many. */
  isOver(login: string, now: Date): boolean {
    const window = Math.floor(now.getTime() / WINDOW_MS)
    const current = this.#windows.get(login)
    const calls = current?.window === window ? current.calls + 1 : 1
    this.#windows.set(login, { window, calls })
    return calls > this.#callsPerWindow
  }
}
