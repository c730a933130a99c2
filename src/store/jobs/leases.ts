import type { Db } from '../db/database.ts'

/**
 * Expires all leases on jobs, deliveries and credential refreshes at once, so that the first worker takes over the work
 * of a killed process without waiting. Only for a process that knows it is the only one on its database.
 */
export async function endLeases(db: Db): Promise<void> {
  await db.query(`update jobs set lease_until = '-infinity' where state = 'running'`)
  await db.query(`update connections set refresh_lease_until = '-infinity' where refresh_lease_until is not null`)
  await db.query(`update only deliveries set leased_until = '-infinity' where lease is not null`)
}
