import { setTimeout as wait } from 'node:timers/promises'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { announceChange, changeWaitMs, NotAnnounced, READ_LEASE_MS } from '../../store/records/publication-changes.ts'
import type { Publishing } from '../context/groups.ts'

/** The database clock decides whether the wait was long enough; a timer may be slightly early, a database slow. */
const MAX_TRIES = 5

/**
 * Runs `work` in a transaction that may change what readers see. If it does (`NotAnnounced`), the transaction is rolled
 * back, the change is announced to the processes that serve reads, and `work` runs again once no read lease covers the
 * publication: `work` must be repeatable.
 */
export async function withAnnouncedChange<T>(
  database: Database,
  publishing: Publishing,
  work: (db: Db, readLeaseMs: number) => Promise<T>,
): Promise<T> {
  const leaseMs = publishing.readLeaseMs ?? READ_LEASE_MS
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(database, async (db) => await work(db, leaseMs))
    } catch (error) {
      if (!(error instanceof NotAnnounced) || tries === MAX_TRIES) throw error
      await announceChange(database, error.scope)
      await wait(changeWaitMs(leaseMs) + tries)
    }
  }
}
