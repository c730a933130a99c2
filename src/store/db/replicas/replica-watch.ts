import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../database.ts'
import { acrossInstances } from '../instance-scope.ts'
import { type Clocks, type Mark, writeMark } from './marks.ts'
import type { ReplicaServer } from './replica-server.ts'

/** Interval of marks and probes, and the time after the last read at which they stop. */
const PROBE_INTERVAL_MS = 1_000
const IDLE_MS = 10_000
/** Longer than any limit of staleness, so that the lag of an unused replica is known too. */
const MARKS_KEPT_MS = 65_000

export interface WatchOptions extends Clocks {
  probeIntervalMs?: number
}

/** Replica watch: while there are reads, writes marks on the primary and probes which of them each replica shows. */
export class ReplicaWatch {
  readonly #primary: Database
  readonly #servers: readonly ReplicaServer[]
  readonly #options: WatchOptions
  /** Newest first. */
  #marks: readonly Mark[] = []
  #usedAtMs = Number.NEGATIVE_INFINITY
  #readsUnderWay = 0
  #running: Promise<void> | null = null
  #isMarking = false
  readonly #closing = new AbortController()

  constructor(primary: Database, servers: readonly ReplicaServer[], options: WatchOptions) {
    this.#primary = primary
    this.#servers = servers
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Starts or prolongs the watch. */
  use(): void {
    this.#usedAtMs = this.#options.elapsedMs()
    if (this.#running !== null || this.#closing.signal.aborted) return
    this.#running = acrossInstances(() => this.#watch()).finally(() => {
      this.#running = null
      for (const server of this.#servers) server.rest()
    })
  }

  /** Continues while a read is running: only a probe releases it from a replica that no longer answers. */
  async during<T>(read: () => Promise<T>): Promise<T> {
    this.#readsUnderWay += 1
    try {
      return await read()
    } finally {
      this.#readsUnderWay -= 1
      this.use()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  /** A replica that does not answer delays neither the marks nor the probes of others. */
  async #watch(): Promise<void> {
    const { elapsedMs, probeIntervalMs = PROBE_INTERVAL_MS } = this.#options
    const { signal } = this.#closing
    const underWay = new Set<Promise<void>>()
    // Marks from before an interruption prove nothing now.
    this.#marks = []
    while (!signal.aborted && (this.#readsUnderWay > 0 || elapsedMs() - this.#usedAtMs < IDLE_MS)) {
      const turn = this.#markAndProbe().finally(() => underWay.delete(turn))
      underWay.add(turn)
      await wait(probeIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
    await Promise.all(underWay)
  }

  async #markAndProbe(): Promise<void> {
    const ageOf = ({ askedAtMs }: Mark): number => this.#options.elapsedMs() - askedAtMs
    if (!this.#isMarking) {
      this.#isMarking = true
      try {
        const mark = await writeMark(this.#primary, this.#options)
        this.#marks = [mark, ...this.#marks.filter((each) => ageOf(each) <= MARKS_KEPT_MS)]
      } catch {
        // Without new marks the replicas soon become too old to be used; reads then get the error of the primary.
      } finally {
        this.#isMarking = false
      }
    }
    await Promise.all(this.#servers.map((server) => server.probe(this.#marks, ageOf)))
  }
}
