import type { SourceLimit } from '../../src/connectors/contract/limits.ts'

/** Difference between the provider's clock and ours: offset and drift. */
interface ProviderClock {
  offMs: number
  driftPpm: number
}

interface Counted {
  name: string
  calls: number
  windowMs: number
  /** Arrivals within a sliding window. */
  recent: number[]
  /** Calls in the provider's own calendar windows: since the start of its minute, hour or day. */
  calendar: { window: number; calls: number }
  most: number
}

/** A provider that counts arrivals by its own clock and refuses nothing, so that every excess call shows. */
export class CountingProvider {
  readonly tooMany = new Map<string, number>()
  readonly served = new Map<string, number>()
  readonly #limits: readonly SourceLimit[]
  readonly #clock: ProviderClock
  readonly #counts = new Map<string, Counted>()
  readonly #open = new Map<string, number>()

  constructor(limits: readonly SourceLimit[], clock: ProviderClock = { offMs: 0, driftPpm: 0 }) {
    this.#limits = limits
    this.#clock = clock
  }

  /** A call arrives; call the returned function when the response leaves. */
  arrive(entity: string, atMs: number): () => void {
    this.served.set(entity, (this.served.get(entity) ?? 0) + 1)
    const ownMs = (atMs + this.#clock.offMs) * (1 + this.#clock.driftPpm / 1_000_000)
    const ends: (() => void)[] = []
    for (const limit of this.#limits) {
      const key = `${limit.name} ${limit.scope === 'app' ? 'app' : entity}`
      if ('concurrent' in limit) ends.push(this.#enter(key, limit.concurrent))
      else this.#count(key, limit, ownMs)
    }
    return () => {
      for (const end of ends) end()
    }
  }

  total(): number {
    return [...this.tooMany.values()].reduce((sum, count) => sum + count, 0)
  }

  /** The maximum of calls in one window, or at the same time. */
  most(name: string, entity: string): number {
    return this.#counts.get(`${name} ${entity}`)?.most ?? 0
  }

  #enter(key: string, most: number): () => void {
    const open = (this.#open.get(key) ?? 0) + 1
    this.#open.set(key, open)
    if (open > most) this.#note(key)
    return () => this.#open.set(key, (this.#open.get(key) ?? 1) - 1)
  }

  #count(key: string, limit: { name: string; calls: number; perMs: number }, ownMs: number): void {
    let counted = this.#counts.get(key)
    if (!counted) {
      counted = { name: limit.name, calls: limit.calls, windowMs: limit.perMs, recent: [], calendar: { window: 0, calls: 0 }, most: 0 }
      this.#counts.set(key, counted)
    }
    counted.recent.push(ownMs)
    const gone = counted.recent.findIndex((at) => at > ownMs - counted.windowMs)
    if (gone > 0) counted.recent.splice(0, gone)
    const window = Math.floor(ownMs / counted.windowMs)
    counted.calendar = { window, calls: counted.calendar.window === window ? counted.calendar.calls + 1 : 1 }
    counted.most = Math.max(counted.most, counted.recent.length, counted.calendar.calls)
    if (counted.recent.length > counted.calls || counted.calendar.calls > counted.calls) this.#note(key)
  }

  #note(key: string): void {
    this.tooMany.set(key, (this.tooMany.get(key) ?? 0) + 1)
  }
}
