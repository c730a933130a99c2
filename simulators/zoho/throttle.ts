const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export interface Spent {
  /** The limit that this call met, null when it may pass. */
  problem: 'minute' | 'day' | null
  dayLeft: number
  /** Seconds until the day begins anew. */
  resetS: number
}

/** Counts the calls of each organization in the running minute and day. */
export class Throttle {
  readonly #perMinute: number
  readonly #perDay: number
  readonly #counts = new Map<string, { minute: number; inMinute: number; day: number; inDay: number }>()

  constructor(perMinute: number, perDay: number) {
    this.#perMinute = perMinute
    this.#perDay = perDay
  }

  /** Counts one call; a call that is one too many is not counted. `isFree` passes whatever was counted. */
  spend(organizationId: string, now: Date, isFree: boolean): Spent {
    const nowMs = now.getTime()
    const [minute, day] = [Math.floor(nowMs / MINUTE_MS), Math.floor(nowMs / DAY_MS)]
    const before = this.#counts.get(organizationId)
    const inMinute = before?.minute === minute ? before.inMinute : 0
    const inDay = before?.day === day ? before.inDay : 0
    const met = inDay >= this.#perDay ? 'day' : inMinute >= this.#perMinute ? 'minute' : null
    const problem = isFree ? null : met
    const added = problem === null ? 1 : 0
    this.#counts.set(organizationId, { minute, inMinute: inMinute + added, day, inDay: inDay + added })
    return { problem, dayLeft: Math.max(0, this.#perDay - inDay - added), resetS: Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000) }
  }

  get perDay(): number {
    return this.#perDay
  }
}
