import type { FastifyInstance } from 'fastify'
import { flushWhileOpen } from '../../../jobs/flushes.ts'
import { noteApiKeyUses } from '../../../store/access/api-keys.ts'
import type { Database } from '../../../store/db/database.ts'
import { acrossInstances } from '../../../store/db/instance-scope.ts'
import type { KeyCaller } from '../caller.ts'

const FLUSH_MS = 30_000

interface Use {
  instanceId: string
  atMs: number
}

/**
 * Last uses of API keys by this process: a request costs an assignment in memory, the time is written apart from it. A
 * killed process loses what it had not written yet.
 */
export class KeyUses {
  readonly #database: Database
  #uses = new Map<string, Use>()

  constructor(database: Database) {
    this.#database = database
  }

  note({ instanceId, keyId }: KeyCaller, nowMs: number): void {
    const known = this.#uses.get(keyId)
    if (known) known.atMs = nowMs
    else this.#uses.set(keyId, { instanceId, atMs: nowMs })
  }

  /** Writes the uses since the last flush; keeps them on failure. Throws database errors. */
  async flush(): Promise<void> {
    const uses = this.#uses
    this.#uses = new Map()
    try {
      const written = [...uses].map(([keyId, { instanceId, atMs }]) => ({ instanceId, keyId, at: new Date(atMs) }))
      await acrossInstances(() => noteApiKeyUses(this.#database, written))
    } catch (error) {
      this.#uses = new Map([...uses, ...this.#uses])
      throw error
    }
  }
}

/** Writes last uses for as long as `app` lives. */
export function recordKeyUses(app: FastifyInstance, uses: KeyUses): void {
  flushWhileOpen(app, FLUSH_MS, () => uses.flush(), 'last uses of API keys could not be written')
}
