import type { FastifyInstance } from 'fastify'
import { flushWhileOpen } from '../../jobs/flushes.ts'
import type { Database } from '../../store/db/database.ts'
import { noteRequestPeaks } from '../../store/operators/request-peaks.ts'
import type { CallerLimits } from '../http/request-limits.ts'

const FLUSH_MS = 10_000
/** A peak that is not higher than the one written before is written again after this time, so that it stays known. */
const REPEAT_MS = 300_000

/**
 * Request peaks: the most requests of each instance within a minute, as this process has counted them for its limits.
 * They are written every ten seconds where they are news, so that a request costs nothing and an idle process writes
 * nothing.
 */
export class RequestPeaks {
  readonly #database: Database
  readonly #limits: Pick<CallerLimits, 'takePeaks'>
  readonly #now: () => Date
  #written = new Map<string, { peak: number; atMs: number }>()
  /** Of a write that failed. */
  #unwritten: ReadonlyMap<string, number> = new Map()

  constructor(database: Database, limits: Pick<CallerLimits, 'takePeaks'>, now: () => Date) {
    this.#database = database
    this.#limits = limits
    this.#now = now
  }

  /** Throws database errors; what could not be written is kept for the next time. */
  async flush(): Promise<void> {
    const atMs = this.#now().getTime()
    for (const [id, { atMs: writtenMs }] of this.#written) if (Math.abs(atMs - writtenMs) >= REPEAT_MS) this.#written.delete(id)
    const peaks = new Map(this.#unwritten)
    for (const [id, peak] of this.#limits.takePeaks(atMs)) peaks.set(id, Math.max(peak, peaks.get(id) ?? 0))
    const news = new Map([...peaks].filter(([id, peak]) => peak > (this.#written.get(id)?.peak ?? 0)))
    this.#unwritten = news
    if (news.size > 0) await noteRequestPeaks(this.#database, news)
    this.#unwritten = new Map()
    for (const [id, peak] of news) this.#written.set(id, { peak, atMs })
  }
}

/** Writes the peaks for as long as `app` lives. */
export function recordRequestPeaks(app: FastifyInstance, peaks: RequestPeaks): void {
  flushWhileOpen(app, FLUSH_MS, () => peaks.flush(), 'the use of requests could not be written')
}
