const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export interface Limits {
  perMinute: number
  perDay: number
}

export interface Spent {
  /** The limit that this call met, null when it may pass. */
  problem: 'minute' | 'day' | null
  retryAfterS: number
  minuteLeft: number
  dayLeft: number
}

/** Counts the calls of each organisation in the running minute and day. */
export class Throttle {
  readonly #limits: Limits
  readonly #counts = new Map<string, { minute: number; inMinute: number; day: number; inDay: number }>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Counts one call; a call that is one too many is not counted. */
  spend(tenantId: string, now: Date): Spent {
    const nowMs = now.getTime()
    const [minute, day] = [Math.floor(nowMs / MINUTE_MS), Math.floor(nowMs / DAY_MS)]
    const before = this.#counts.get(tenantId)
    const inMinute = before?.minute === minute ? before.inMinute : 0
    const inDay = before?.day === day ? before.inDay : 0
    const problem = inDay >= this.#limits.perDay ? 'day' : inMinute >= this.#limits.perMinute ? 'minute' : null
    const added = problem === null ? 1 : 0
    this.#counts.set(tenantId, { minute, inMinute: inMinute + added, day, inDay: inDay + added })
    return {
      problem,
      retryAfterS: problem === 'day' ? secondsLeft(nowMs, DAY_MS) : secondsLeft(nowMs, MINUTE_MS),
      minuteLeft: Math.max(0, this.#limits.perMinute - inMinute - added),
      dayLeft: Math.max(0, this.#limits.perDay - inDay - added),
    }
  }
}

function secondsLeft(nowMs: number, spanMs: number): number {
  return Math.ceil((spanMs - (nowMs % spanMs)) / 1000)
}
