import type { Database } from '../../src/store/db/database.ts'
import { until } from '../process/deadline.ts'

/** Concurrent transaction: the statements `first` take locks, `later` follow in the same transaction. `$1` is `id`. */
export interface OpenTransaction {
  id: string
  first: readonly string[]
  later?: readonly string[]
}

/** Runs `act` while the transaction is open. It continues and ends once something waits for it or `act` is done. */
export async function whileOpen<T>(database: Database, { id, first, later = [] }: OpenTransaction, act: () => Promise<T>): Promise<T> {
  // A session, in whose scope are all instances: behind a pooler each transaction would have to say so.
  const client = await (database.sessions ?? database).connect()
  try {
    await client.query('begin')
    for (const statement of first) await client.query(statement, [id])
    let isDone = false
    const acting = act().finally(() => {
      isDone = true
    })
    // Whoever awaits it may come too late.
    acting.catch(() => undefined)
    await until('a wait for the lock', async () => isDone || (await countWaiting(database)) > 0 || null)
    for (const statement of later) await client.query(statement, [id])
    await client.query('commit')
    return await acting
  } finally {
    // No effect after the commit.
    await client.query('rollback')
    client.release()
  }
}

/** Backends of this database that wait for a lock. */
export async function countWaiting(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}
