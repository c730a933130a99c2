import type { Db } from '../db/database.ts'

/**
 * Ends every lease on jobs, deliveries and refreshes of credentials at once, so that the first worker frees what a killed process had under way without waiting for
 * them to run out. Only for a process that knows to be the only one on its database.
 */
export async function endLeases(db: Db): Promise<void> {
  await db.query(`update jobs set lease_until = '-infinity' where state = 'running'`)
  await db.query(`update connections set refresh_lease_until = '-infinity' where refresh_lease_until is not null`)
  await db.query(`update deliveries set leased_until = '-infinity' where lease is not null`)
}
