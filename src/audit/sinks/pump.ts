import { listAuditAfter } from '../../store/access/audit.ts'
import {
  type AuditDestination,
  type ClaimedCursor,
  claimAuditCursor,
  moveAuditCursor,
  releaseAuditCursor,
} from '../../store/access/audit-cursors.ts'
import type { Database } from '../../store/db/database.ts'
import type { AuditSink } from './sink.ts'

const BATCH = 500
const MAX_WAIT_MS = 60_000

export interface PumpDeps {
  database: Database
  destination: AuditDestination
  sink: AuditSink
  log: { info(fields: Record<string, unknown>, message: string): void; warn(fields: Record<string, unknown>, message: string): void }
  now(): Date
  /** Whether the process stops or the deployment is paused. */
  isStopping(): boolean
}

/**
 * Audit pump: passes the entries of chains on to a destination, each at least once and in the order of its chain. What a
 * sink that is away has not taken is sent when it is back. One process at a time works on a chain.
 */
export class AuditPump {
  readonly #deps: PumpDeps
  #failures = 0
  #notBeforeMs = 0

  constructor(deps: PumpDeps) {
    this.#deps = deps
  }

  /** Passes on whatever waits; a periodic task. After a failure it waits longer each time, a minute at most. */
  async run(): Promise<void> {
    const { now, log, isStopping } = this.#deps
    if (now().getTime() < this.#notBeforeMs) return
    try {
      while (!isStopping() && (await this.#passOn())) if (this.#failures > 0) this.#recover()
    } catch (error) {
      this.#failures += 1
      this.#notBeforeMs = now().getTime() + Math.min(MAX_WAIT_MS, 500 * 2 ** Math.min(this.#failures, 10))
      if (this.#failures === 1) log.warn({ err: error }, 'audit entries could not be passed on; they wait')
    }
  }

  #recover(): void {
    this.#deps.log.info({ failures: this.#failures }, 'audit entries are passed on again')
    this.#failures = 0
  }

  /** One batch of one chain; false when nothing waits. */
  async #passOn(): Promise<boolean> {
    const { database, destination } = this.#deps
    const cursor = await claimAuditCursor(database, destination)
    if (!cursor) return false
    try {
      await moveAuditCursor(database, destination, cursor, await this.#send(cursor))
    } catch (error) {
      await releaseAuditCursor(database, destination, cursor)
      throw error
    }
    return true
  }

  /** Position up to which all is passed on. */
  async #send({ instanceId, position, head }: ClaimedCursor): Promise<number> {
    const entries = await listAuditAfter(this.#deps.database, instanceId, { after: position }, BATCH)
    // Retention has deleted what was left.
    if (entries.length === 0) return head
    await this.#deps.sink.write(entries.map((entry) => ({ ...entry, instanceId })))
    return entries.at(-1)?.position ?? position
  }
}
