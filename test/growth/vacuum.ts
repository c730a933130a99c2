import type { Database } from '../../src/store/db/database.ts'

/**
 * Vacuums and analyzes the whole database. NOTE commits of tests are asynchronous, and rows are not marked as visible to
 * all while a commit near theirs is not flushed, so that look-ups in an index would read the rows as well: here each
 * commit is flushed, and by the first one everything before it.
 */
export async function vacuumAll(database: Database): Promise<void> {
  const session = await database.connect()
  try {
    await session.query('set synchronous_commit = on')
    await session.query(`select pg_logical_emit_message(true, 'tests', 'flush')`)
    await session.query('vacuum analyze')
  } finally {
    session.release(true)
  }
}
