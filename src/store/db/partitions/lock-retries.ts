import { setTimeout as wait } from 'node:timers/promises'
import { hasCode } from '../../../model/error-code.ts'
import { type Database, type Db, inTransaction } from '../database.ts'

/** Source: https://www.postgresql.org/docs/18/errcodes-appendix.html (lock_not_available). */
export const LOCK_NOT_AVAILABLE = '55P03'

/** Tries to get a lock, 100 ms each; the next run of the task tries again. */
const TRIES = 20

/**
 * A transaction that waits for locks for at most 100 ms, tried again while another one has them. Null when they were not free
 * for two seconds.
 */
export async function withLockRetries<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(database, async (db) => {
        await db.query(`set local lock_timeout = '100ms'`)
        return await work(db)
      })
    } catch (error) {
      if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error
      if (tries === TRIES) return null
      await wait(50)
    }
  }
}
