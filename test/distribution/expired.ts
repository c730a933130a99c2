import type { Database } from '../../src/store/db/database.ts'
import { deleteExpiredRows, FIRST_POSITION } from '../../src/store/retention/expired-rows.ts'
import { deleteExpiredOfNodes } from '../../src/store/retention/expired-rows-of-nodes.ts'
import { type AgedClass, RULES } from '../../src/store/retention/rules.ts'

/** Before all rows of the tests. */
const LONG_AGO = new Date('2000-01-01T00:00:00Z')

/** Looks for expired rows as retention does; there are none. */
export async function removeExpired(database: Database, of: AgedClass): Promise<void> {
  await (database.isDistributed ? deleteExpiredOfNodes : deleteExpiredRows)(database, RULES[of], LONG_AGO, FIRST_POSITION, 10)
}
