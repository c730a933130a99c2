import pg from 'pg'
import { acrossInstances, currentInstance } from './instance-scope.ts'
import { openSocket } from './row-reader.ts'
import { RowsQuery, ScopedQuery } from './scoped-query.ts'

/** What a store query needs: a pool, or one connection inside a transaction. Handed in first. */
export interface Db {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
  query<Row extends unknown[]>(query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<Row>>
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

/** A database that can open transactions. */
export type Database = pg.Pool

/**
 * Said on each new connection: it sees no row of any instance until it says whose it wants, so the pool's see all when nothing else is said; and
 * nothing hangs. NOTE: not as parameters of the connection's start, which PgBouncer refuses or drops.
 * Source: https://www.pgbouncer.org/config.html#ignore_startup_parameters
 */
const SET_UP = `select set_config('countinghouse.instance', '*', false), set_config('statement_timeout', '30s', false),
  set_config('lock_timeout', '10s', false), set_config('idle_in_transaction_session_timeout', '30s', false)`

/**
 * Opens a pool. Statements end after 30 s, waits for a lock after 10 s, transactions that idle after 30 s, so that no request hangs.
 * `numeric` and `bigint` come as text, timestamps as `Date`. Queries and transactions of work for an instance (`instance-scope.ts`) meet its rows only.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    ...connectionOf(url),
    max: options.max ?? 10,
    application_name: options.name ?? 'countinghouse',
    connectionTimeoutMillis: 10_000,
    stream: openSocket,
    onConnect: (client) => client.query(SET_UP),
  })
  // NOTE without a listener an idle connection that breaks would end the process; the pool opens another when it needs one.
  pool.on('error', options.onLost ?? (() => undefined))
  return scoped(pool)
}

function scoped(pool: pg.Pool): Database {
  const query = pool.query.bind(pool)
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    query: (statement: string | pg.QueryConfig, values?: unknown[]) => {
      const instanceId = currentInstance()
      if (instanceId === null) return query(statement, values)
      return query(
        new ScopedQuery(instanceId, typeof statement === 'string' ? { text: statement, ...(values ? { values } : {}) } : statement),
      )
    },
    connect: (done?: Parameters<typeof connect>[0]) => {
      if (done) return connect(done)
      if (currentInstance() !== null) throw new Error('a connection of its own sees the rows of all instances: use inTransaction')
      return connect()
    },
  })
}

export interface DatabaseOptions {
  max?: number
  name?: string
  /** Told of an idle connection that broke. */
  onLost?(error: Error): void
}

/**
 * Reads rows as the bytes in which they came, of one column that is never null: for many or large texts that only go on to somebody else.
 * `take` must leave nothing of them behind.
 */
export async function readRows<T>(database: Database, query: pg.QueryConfig, take: (rows: readonly Buffer[]) => T): Promise<T> {
  const asked = new RowsQuery(currentInstance(), query, take)
  await acrossInstances(() => database.query(asked))
  return asked.taken
}

/** Runs `work` in one transaction: commits when it returns, rolls back when it throws. No network call belongs inside. */
export async function inTransaction<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  const instanceId = currentInstance()
  const client = await acrossInstances(() => database.connect())
  let broken: Error | undefined
  // NOTE the pool listens only while a connection is idle: one that breaks between two queries would end the process.
  const onLost = (error: Error): void => {
    broken = error
  }
  client.on('error', onLost)
  try {
    await client.query(instanceId === null ? 'begin' : beginWithin(instanceId))
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

/** In one message, so that it takes no longer. The setting ends with the transaction. */
function beginWithin(instanceId: string): string {
  return `begin; select set_config('countinghouse.instance', '${instanceId}', true)`
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
