import type { FastifyInstance } from 'fastify'
import { flushWhileOpen } from '../../jobs/flushes.ts'
import { addUsage, type UsageCount } from '../../store/access/usage.ts'
import type { Database } from '../../store/db/database.ts'
import { isComparison } from './preconditions.ts'

const FLUSH_MS = 10_000

/** Counts one response. */
type Count = (status: number) => void

/**
 * Usage counter: counts responses of this process by instance, operation and status, and adds them to the day's table
 * every ten seconds, so that a request costs an addition in memory and no write. A killed process loses what it had not
 * written yet; usage is informative, not billed.
 */
export class UsageCounter {
  readonly #database: Database
  #counts = new Map<string, UsageCount>()
  /** Raised at each flush, which restarts the counts. */
  #turn = 0
  #flushing: Promise<void> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  count(instanceId: string, operation: string, status: number): void {
    this.#find(instanceId, operation, status).requests += 1
  }

  /** Counter for repeated requests, without lookups. Holds no counts of an earlier turn. */
  counterOf(instanceId: string, operation: string): Count {
    let turn = -1
    let known: UsageCount | null = null
    return (status) => {
      if (known === null || known.status !== status || turn !== this.#turn) {
        known = this.#find(instanceId, operation, status)
        turn = this.#turn
      }
      known.requests += 1
    }
  }

  /** Writes the counts; keeps them on failure. Throws database errors. */
  async flush(): Promise<void> {
    const before = this.#flushing
    const work = before.catch(() => undefined).then(() => this.#write())
    this.#flushing = work
    await work
  }

  async #write(): Promise<void> {
    const counts = this.#counts
    this.#counts = new Map()
    this.#turn += 1
    try {
      await addUsage(this.#database, [...counts.values()])
    } catch (error) {
      for (const { instanceId, operation, status, requests } of counts.values()) {
        this.#find(instanceId, operation, status).requests += requests
      }
      throw error
    }
  }

  #find(instanceId: string, operation: string, status: number): UsageCount {
    const key = `${instanceId} ${operation} ${status}`
    const known = this.#counts.get(key)
    if (known) return known
    const count = { instanceId, operation, status, requests: 0 }
    this.#counts.set(key, count)
    return count
  }
}

/** Counts every response to a known caller, except those of `ReadFastPath`, and flushes for as long as `app` lives. */
export function recordUsage(app: FastifyInstance, usage: UsageCounter): void {
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.schema?.operationId
    if (request.verifiedCaller && operation !== undefined && !isComparison(request))
      usage.count(request.verifiedCaller.instanceId, operation, reply.statusCode)
    done()
  })
  flushWhileOpen(app, FLUSH_MS, () => usage.flush(), 'usage could not be written')
}
