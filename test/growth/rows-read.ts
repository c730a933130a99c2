import type { PoolClient } from 'pg'
import { type Database, openDatabase } from '../../src/store/db/database.ts'

/** Rows that one piece of work read of a table, as PostgreSQL counts them. */
export interface RowsRead {
  table: string
  /** By sequential scans. */
  scanned: number
  /** Through indexes: entries and rows. */
  looked: number
}

/** Counts of all tables; a partition counts for its table. */
const COUNTS = `select coalesce(pg_partition_root(s.relid), s.relid)::regclass::text as table, sum(seq_tup_read)::float8 as scanned,
    sum(coalesce(idx_tup_fetch, 0) + coalesce((select sum(i.idx_tup_read) from pg_stat_user_indexes i where i.relid = s.relid), 0))::float8 as looked
  from pg_stat_user_tables s group by 1`

/**
 * What the second of two runs of a piece of work reads: the first does what was left to do. `prepare` makes the work on
 * a pool of its own. A backend hands its counts over at the end of the next transaction when it is told to, so nothing
 * waits for the interval of the statistics.
 */
export async function rowsRead(url: string, prepare: (database: Database) => () => Promise<unknown>): Promise<RowsRead[]> {
  const database = openDatabase(url, { max: 4 })
  const clients = new Set<PoolClient>()
  database.on('connect', (client) => clients.add(client))
  database.on('remove', (client) => clients.delete(client))
  const count = async (): Promise<Map<string, RowsRead>> => {
    // One that has been closed has handed over its counts.
    for (const client of clients) await client.query('select pg_stat_force_next_flush()').catch(() => clients.delete(client))
    return new Map((await database.query<RowsRead>(COUNTS)).rows.map((row) => [row.table, row]))
  }
  try {
    const run = prepare(database)
    await run()
    const before = await count()
    await run()
    return [...(await count()).values()]
      .map(({ table, scanned, looked }) => ({
        table,
        scanned: scanned - (before.get(table)?.scanned ?? 0),
        looked: looked - (before.get(table)?.looked ?? 0),
      }))
      .filter(({ scanned, looked }) => scanned + looked > 0)
  } finally {
    await database.end()
  }
}
