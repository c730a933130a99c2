import type { FastifyInstance } from 'fastify'
import { addUsage, type UsageCount } from '../../store/access/usage.ts'
import type { Database } from '../../store/db/database.ts'

const FLUSH_MS = 10_000

/** Counts one answer. */
type Count = (status: number) => void

/**
 * Counts the answers of this process by instance, operation and status, and adds them to the table of the day every ten seconds: a request
 * costs an addition in memory and no row. What a killed process had not written yet is lost; usage is told, not charged.
 */
export class UsageCounter {
  readonly #database: Database
  #counts = new Map<string, UsageCount>()
  /** Raised whenever counting begins anew. */
  #turn = 0
  #flushing: Promise<void> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  count(instanceId: string, operation: string, status: number): void {
    this.#find(instanceId, operation, status).requests += 1
  }

  /** For what is asked for again and again: counts without looking anything up. Keeps no more than its own count of a turn that is over. */
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

  /** Writes what was counted; keeps it where that fails. Throws as the database does. */
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

/** Counts every answer to a caller who is known, but for those that `ReadFastPath` gives, and writes while `app` lives. */
export function recordUsage(app: FastifyInstance, usage: UsageCounter): void {
  const flush = () => usage.flush().catch((error: unknown) => app.log.warn({ err: error }, 'usage could not be written'))
  const timer = setInterval(flush, FLUSH_MS).unref()
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.schema?.operationId
    if (request.verifiedCaller && operation !== undefined) usage.count(request.verifiedCaller.instanceId, operation, reply.statusCode)
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await flush()
  })
}
