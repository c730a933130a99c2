import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import type { Database } from '../store/db/database.ts'
import { findDatabaseFault } from '../store/db/liveness.ts'
import { atMostEvery } from './at-most-every.ts'

/** Scrapes in between get the last counts: several scrapers, or an impatient one, cost the database one reading. */
const READ_EVERY_MS = 5_000
/** The same limit as `/readyz`. */
const ANSWER_MS = 2_000
/** Below the 10 s after which Prometheus aborts a scrape. */
const COUNT_MS = 5_000

type Families = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * Registry of a process, extended by what `database` registers: gauges that read the database on scrape. They are read
 * one by one, at most every five seconds. While the database does not answer they are omitted, and
 * `countinghouse_database_up` says why; one that fails is omitted alone, and one that takes longer than a scrape keeps
 * its last values until it is done. A scrape never fails.
 */
export class ScrapedRegistry extends Registry {
  /** For gauges that read the database. */
  readonly database = new Registry()
  readonly #refresh: () => Promise<void>
  #counted: Families = []

  constructor(database: Database, onFailure: (error: unknown) => void) {
    super()
    const up = this.#gauge('countinghouse_database_up', '1 while the database answers this process, otherwise 0')
    const ready = this.#gauge('countinghouse_ready', '1 while this process can serve, as /readyz says, otherwise 0')
    const count = atMostEvery(0, async () => {
      this.#counted = await readInTurn(this.database, onFailure)
    })
    this.#refresh = atMostEvery(READ_EVERY_MS, async () => {
      const fault = await within(ANSWER_MS, findDatabaseFault(database)).catch(() => NO_ANSWER)
      up.set(fault === NO_ANSWER ? 0 : 1)
      ready.set(fault === null ? 1 : 0)
      if (fault === NO_ANSWER) this.#counted = []
      else await within(COUNT_MS, count()).catch(onFailure)
    })
  }

  override async metrics(): Promise<string> {
    await this.#refresh()
    return `${await super.metrics()}\n${await AggregatorRegistry.aggregate([this.#counted]).metrics()}`
  }

  override async getMetricsAsJSON(): ReturnType<Registry['getMetricsAsJSON']> {
    await this.#refresh()
    return [...(await super.getMetricsAsJSON()), ...this.#counted]
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this] })
  }
}

const NO_ANSWER = Symbol('no answer')

/** One query at a time: a scrape takes one of the process' connections. */
async function readInTurn(registry: Registry, onFailure: (error: unknown) => void): Promise<Families> {
  const families: Families = []
  for (const { name } of registry.getMetricsAsArray()) {
    const family = await registry
      .getSingleMetric(name)
      ?.get()
      .catch((error: unknown) => void onFailure(error))
    if (family) families.push(family)
  }
  return families
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the database has not answered within ${ms} ms`)), ms).unref()
  })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
