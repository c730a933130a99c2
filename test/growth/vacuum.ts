import { type Database, inTransaction } from '../../src/store/db/database.ts'

/**
 * Vacuums and analyzes the whole database. NOTE commits of tests are asynchronous, and rows of one that is not flushed yet
 * are not marked as visible to all, so that look-ups in an index would read the rows as well.
 */
export async function vacuumAll(database: Database): Promise<void> {
  await inTransaction(database, async (db) => {
    await db.query('set local synchronous_commit = on')
    await db.query(`select pg_logical_emit_message(true, 'tests', 'everything before it is flushed')`)
  })
  await database.query('vacuum analyze')
}
