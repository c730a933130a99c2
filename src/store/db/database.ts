import pg from 'pg'
import { acrossInstances, currentInstance } from './instance-scope.ts'
import { openSocket } from './row-reader.ts'
import { RowsQuery, ScopedQuery } from './scoped-query.ts'

/** Query interface of the store: a pool, or one connection inside a transaction. Always the first parameter. */
export interface Db {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
  query<Row extends unknown[]>(query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<Row>>
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

/** A database that can open transactions. */
export type Database = pg.Pool

/**
 * Session setup of each new connection: timeouts, and the default scope of all instances for the pool's own queries.
 * NOTE: not as startup parameters, which PgBouncer rejects or drops.
 * Source: https://www.pgbouncer.org/config.html#ignore_startup_parameters
 */
const SET_UP = `select set_config('countinghouse.instance', '*', false), set_config('statement_timeout', '30s', false),
  set_config('lock_timeout', '10s', false), set_config('idle_in_transaction_session_timeout', '30s', false)`

/**
 * Connection pool. Timeouts: statements 30 s, locks 10 s, idle transactions 30 s, so that no request hangs. `numeric`
 * and `bigint` are returned as text, timestamps as `Date`. Within an instance scope (`instance-scope.ts`) queries see
 * only rows of that instance.
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
  // NOTE without a listener a broken idle connection would end the process; the pool opens another on demand.
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
  /** Called when an idle connection breaks. */
  onLost?(error: Error): void
}

/**
 * Raw row reader: one column, never null, as the bytes received, for many or large texts that are only passed on.
 * `take` must not keep references to them.
 */
export async function readRows<T>(database: Database, query: pg.QueryConfig, take: (rows: readonly Buffer[]) => T): Promise<T> {
  const asked = new RowsQuery(currentInstance(), query, take)
  await acrossInstances(() => database.query(asked))
  return asked.taken
}

/** Connection of the pool that one caller holds. */
export interface HeldConnection {
  client: pg.PoolClient
  /** Marks it to be closed on release. */
  discard(error: Error): void
  release(): void
}

/** Takes a connection of the pool until `release`; one that breaks in between is closed then. */
export async function checkOut(database: Database): Promise<HeldConnection> {
  const client = await acrossInstances(() => database.connect())
  let broken: Error | undefined
  // NOTE the pool listens only while a connection is idle: one that breaks between two queries would end the process.
  const discard = (error: Error): void => {
    broken = error
  }
  client.on('error', discard)
  const release = (): void => {
    client.off('error', discard)
    client.release(broken)
  }
  return { client, discard, release }
}

/** Transaction: commits when `work` returns, rolls back when it throws. No network calls inside. */
export async function inTransaction<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  const instanceId = currentInstance()
  const { client, discard, release } = await checkOut(database)
  try {
    await client.query(instanceId === null ? 'begin' : beginWithin(instanceId))
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(discard)
    throw error
  } finally {
    release()
  }
}

/** `begin` and the scope setting in one round trip. The setting ends with the transaction. */
function beginWithin(instanceId: string): string {
  return `begin; select set_config('countinghouse.instance', '${instanceId}', true)`
}

/** Advisory lock across processes by name; the database releases it when this process dies. */
export async function withLock<T>(database: Database, name: string, work: () => Promise<T>): Promise<T> {
  return await inTransaction(database, async (db) => {
    await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
    return await work()
  })
}

/** Subscribes a connection to a NOTIFY channel. */
export async function listenTo(client: pg.PoolClient, channel: 'jobs' | 'events'): Promise<void> {
  await client.query(`listen ${channel}`)
}

/** Database clock, shared by all processes. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  const [row] = rows
  if (!row) throw new Error('the database did not tell the time')
  return row.now
}

/** `postgres://user@/name?host=/folder` names a Unix socket, which `pg` expects as a separate option. */
export function connectionOf(url: string): pg.PoolConfig {
  const socket = /^postgres(?:ql)?:\/\/([^:@/]+)@\/([^?]+)\?host=(.+)$/.exec(url)
  if (!socket) return { connectionString: url }
  return { user: decodeURIComponent(socket[1] ?? ''), database: socket[2], host: decodeURIComponent(socket[3] ?? ''), port: 5432 }
}
