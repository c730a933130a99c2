import pg from 'pg'

/** What a store query needs: a pool, or one connection inside a transaction. Handed in first. */
export interface Db {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
  query<Row extends unknown[]>(query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<Row>>
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

/** A database that can open transactions. */
export type Database = pg.Pool

/**
 * Opens a pool. Statements end after 30 s, waits for a lock after 10 s, transactions that idle after 30 s, so that no request hangs.
 * `numeric` and `bigint` come as text, timestamps as `Date`.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    ...connectionOf(url),
    max: options.max ?? 10,
    application_name: options.name ?? 'countinghouse',
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    connectionTimeoutMillis: 10_000,
  })
  // NOTE without a listener an idle connection that breaks would end the process; the pool opens another when it needs one.
  pool.on('error', options.onLost ?? (() => undefined))
  return pool
}

export interface DatabaseOptions {
  max?: number
  name?: string
  /** Told of an idle connection that broke. */
  onLost?(error: Error): void
}

/** Runs `work` in one transaction: commits when it returns, rolls back when it throws. No network call belongs inside. */
export async function inTransaction<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await database.connect()
  let broken: Error | undefined
  // NOTE the pool listens only while a connection is idle: one that breaks between two queries would end the process.
  const onLost = (error: Error): void => {
    broken = error
  }
  client.on('error', onLost)
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(onLost)
    throw error
  } finally {
    client.off('error', onLost)
    client.release(broken)
  }
}

/** Runs `work` while no other process runs any under the same name; the database frees the name when this process dies. */
export async function withLock<T>(database: Database, name: string, work: () => Promise<T>): Promise<T> {
  return await inTransaction(database, async (db) => {
    await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
    return await work()
  })
}

/** Lets this connection hear what is announced on a channel. */
export async function listenTo(client: pg.PoolClient, channel: 'jobs' | 'events'): Promise<void> {
  await client.query(`listen ${channel}`)
}

/** The one clock that all processes share. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  const [row] = rows
  if (!row) throw new Error('the database did not tell the time')
  return row.now
}

/** `postgres://user@/name?host=/folder` names a Unix socket, which `pg` wants apart. */
function connectionOf(url: string): pg.PoolConfig {
  const socket = /^postgres(?:ql)?:\/\/([^:@/]+)@\/([^?]+)\?host=(.+)$/.exec(url)
  if (!socket) return { connectionString: url }
  return { user: decodeURIComponent(socket[1] ?? ''), database: socket[2], host: decodeURIComponent(socket[3] ?? ''), port: 5432 }
}
