import type { Db } from './database.ts'
import { freeExpired } from './jobs.ts'

/**
 * Ends every lease on jobs and deliveries at once, so that what a killed process had under way goes on without waiting for them to run
 * out. Only for a process that knows to be the only one on its database.
 */
export async function endLeases(db: Db): Promise<void> {
  await db.query(`update jobs set lease_until = '-infinity' where state = 'running'`)
  await freeExpired(db)
  await db.query(`update deliveries set leased_until = '-infinity' where lease is not null`)
}
