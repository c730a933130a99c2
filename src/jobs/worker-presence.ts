import type { PoolClient } from 'pg'
import type { Db } from '../store/db/database.ts'
import { readSlots, reportWorker, showPresence } from '../store/jobs/workers.ts'

/**
 * Signs of life of one worker: heartbeats, and a lock of its session for notifications. At rest the lock is enough, so that
 * an idle process writes nothing; when the session breaks, the next heartbeat is written again.
 */
export class WorkerPresence {
  readonly #id: string
  #isShown = false

  constructor(id: string) {
    this.#id = id
  }

  async begun(session: PoolClient): Promise<void> {
    await showPresence(session, this.#id)
    this.#isShown = true
  }

  ended(): void {
    this.#isShown = false
  }

  /** Returns the slots of all live workers together. */
  async report(db: Db, slots: number, isResting: boolean): Promise<number> {
    const found = isResting && this.#isShown ? await readSlots(db, this.#id) : null
    return found ?? (await reportWorker(db, this.#id, slots))
  }
}
