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

/** A pool of its own, and what the work on it reads. */
export interface RowCounter {
  database: Database
  /** What the second of two runs reads: the first does what was left to do. */
  count(work: () => Promise<unknown>): Promise<RowsRead[]>
  /** Rows and index entries of one table that the second of two runs reads. */
  countEntries(table: string, work: () => Promise<unknown>): Promise<number>
  /** Opens a transaction like that of a dump, until `close` or its commit: PostgreSQL keeps all rows that it could still see. */
  openSnapshot(): Promise<PoolClient>
  close(): Promise<void>
}

/**
 * Counts what is read through a pool. A backend hands its counts over at the end of the next transaction when it is told to,
 * so nothing waits for the interval of the statistics.
 */
export function openRowCounter(url: string): RowCounter {
  const database = openDatabase(url, { max: 4 })
  const clients = new Set<PoolClient>()
  database.on('connect', (client) => clients.add(client))
  database.on('remove', (client) => clients.delete(client))
  const read = async (): Promise<Map<string, RowsRead>> => {
    // One that has been closed has handed over its counts.
    for (const client of clients) await client.query('select pg_stat_force_next_flush()').catch(() => clients.delete(client))
    return new Map((await database.query<RowsRead>(COUNTS)).rows.map((row) => [row.table, row]))
  }
  const count = async (work: () => Promise<unknown>): Promise<RowsRead[]> => {
    await work()
    const before = await read()
    await work()
    return [...(await read()).values()]
      .map(({ table, scanned, looked }) => ({
        table,
        scanned: scanned - (before.get(table)?.scanned ?? 0),
        looked: looked - (before.get(table)?.looked ?? 0),
      }))
      .filter(({ scanned, looked }) => scanned + looked > 0)
  }
  const snapshots: PoolClient[] = []
  return {
    database,
    count,
    countEntries: async (table, work) => {
      const read = (await count(work)).find((one) => one.table === table)
      return read ? read.looked + read.scanned : 0
    },
    openSnapshot: async () => {
      const client = await database.connect()
      snapshots.push(client)
      await client.query('begin isolation level repeatable read')
      await client.query('set local idle_in_transaction_session_timeout = 0')
      await client.query('select count(*) from instances')
      return client
    },
    close: async () => {
      for (const client of snapshots.splice(0)) client.release(true)
      await database.end()
    },
  }
}

/** What the second of two runs of a piece of work reads. `prepare` makes the work on a pool of its own. */
export async function rowsRead(url: string, prepare: (database: Database) => () => Promise<unknown>): Promise<RowsRead[]> {
  const counter = openRowCounter(url)
  try {
    return await counter.count(prepare(counter.database))
  } finally {
    await counter.close()
  }
}
