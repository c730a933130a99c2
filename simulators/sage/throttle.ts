const DAY_MS = 86_400_000

/** Counts the calls of each business in the running minute and the running day. */
export class Throttle {
  readonly #limits: { perMinute: number; perDay: number }
  readonly #counts = new Map<string, { minute: number; inMinute: number; day: number; inDay: number }>()

  constructor(limits: { perMinute: number; perDay: number }) {
    this.#limits = limits
  }

  /** Counts one call; true when it is one too many. */
  isOver(businessId: string, now: Date): boolean {
    const minute = Math.floor(now.getTime() / 60_000)
    const day = Math.floor(now.getTime() / DAY_MS)
    const before = this.#counts.get(businessId)
    const inMinute = (before?.minute === minute ? before.inMinute : 0) + 1
    const inDay = (before?.day === day ? before.inDay : 0) + 1
    this.#counts.set(businessId, { minute, inMinute, day, inDay })
    return inMinute > this.#limits.perMinute || inDay > this.#limits.perDay
  }
}
