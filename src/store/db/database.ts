import pg from 'pg'
import { usesNodes } from './cluster/distributed-tables.ts'
import { isSocket } from './connection/database-url.ts'
import { KEEP_ALIVE } from './connection/keep-alive.ts'
import { NoPrimary, READ_ONLY, Servers } from './connection/servers.ts'
import { OF_STATEMENT, SET_UP } from './connection/session-settings.ts'
import { closeStalledConnections } from './connection/stalled-connections.ts'
import { clientOf } from './connection/store-client.ts'
import { beginTransaction, type Transaction } from './connection/transaction.ts'
import { acrossInstances, currentInstance, currentReader, type ReplicaReader } from './instance-scope.ts'
import { enterInstance, PipelinedQuery, type Preamble, RowsQuery, toConfig } from './pipelined-query.ts'
import { openSocket } from './row-reader.ts'

/** Query interface of the store: a pool, or one connection inside a transaction. Always the first parameter. */
export interface Db {
  /** Whether Citus distributes the tables over nodes (`cluster/`). */
  readonly isDistributed?: boolean
  /**
   * In a transaction on a cluster: has `work` done after its commit has returned on all nodes. Lost if this process ends
   * before, or a node is lost before it has committed; an error of it is ignored.
   */
  onCommitted?(work: (db: Db) => Promise<void>): void
  /** In some transactions: sends a statement without a result together with the next one. */
  sendWithNext?(text: string): void
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
  query<Row extends unknown[]>(query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<Row>>
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

/** A database that can open transactions. */
export interface Database extends pg.Pool {
  /**
   * Pool of sessions where this one shares the server's connections with others, behind a pooler in transaction mode;
   * otherwise null: each connection of this one is a session.
   */
  readonly sessions: Database | null
  /** Set by `checkServer` and `upgradeSchema`. */
  isDistributed: boolean
}

/** Longer than a minute: each round of periodic work finds the connections of the last one, and none is opened at rest. */
const IDLE_MS = 65_000

/**
 * Connection pool of the server that accepts writes. Timeouts: statements 30 s, locks 10 s, idle transactions 30 s, so
 * that no request hangs. `numeric` and `bigint` are returned as text, timestamps as `Date`. Within an instance scope
 * (`instance-scope.ts`) queries see only rows of that instance. A `url` with several servers means the primary of them.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { directUrl, ...own } = options
  const sessions = directUrl === undefined ? null : openDatabase(directUrl, own)
  const servers = new Servers(url)
  const pool = new pg.Pool({
    ...servers.first,
    ...KEEP_ALIVE,
    Client: clientOf(servers),
    max: options.max ?? 10,
    application_name: options.name ?? 'countinghouse',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: IDLE_MS,
    stream: openSocket,
    ...(sessions ? {} : { onConnect: (client: pg.ClientBase) => setUp(client, servers) }),
  })
  // NOTE without a listener a broken idle connection would end the process; the pool opens another on demand.
  pool.on('error', options.onLost ?? (() => undefined))
  if (!isSocket(url)) closeStalledConnections(pool, servers)
  return scoped(pool, sessions, options.isDistributed ?? false)
}

async function setUp(client: pg.ClientBase, servers: Servers): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean }>(SET_UP)
  if (!rows[0]?.isStandby) return
  servers.forget()
  throw new NoPrimary(READ_ONLY)
}

function scoped(pool: pg.Pool, sessions: Database | null, isDistributed: boolean): Database {
  const query = pool.query.bind(pool)
  const connect = pool.connect.bind(pool)
  const end = pool.end.bind(pool)
  const ask = (statement: string | pg.QueryConfig, values?: unknown[]) => {
    if (opened.isDistributed && usesNodes(textOf(statement))) return inTransaction(opened, (db) => db.query(toConfig(statement, values)))
    const preambles = preamblesOf(sessions !== null)
    if (preambles.length === 0 || statement instanceof PipelinedQuery) return query(statement, values)
    return query(new PipelinedQuery(preambles, toConfig(statement, values)))
  }
  const askReplica = async (reader: ReplicaReader, statement: string | pg.QueryConfig, values?: unknown[]) => {
    const config = toConfig(statement, values)
    const found = await reader.attempt(async (replica, guard) => await replica.query(new PipelinedQuery([guard], config)))
    return found ? found.value : await ask(statement, values)
  }
  const opened: Database = Object.assign(pool, {
    ...{ sessions, isDistributed },
    query: (statement: string | pg.QueryConfig, values?: unknown[]) => {
      const reader = readerFor(pool)
      if (reader === null || statement instanceof PipelinedQuery) return ask(statement, values)
      return askReplica(reader, statement, values)
    },
    connect: (done?: Parameters<typeof connect>[0]) => {
      if (done) return connect(done)
      if (currentInstance() !== null) throw new Error('a connection of its own sees the rows of all instances: use inTransaction')
      return connect()
    },
    end: async () => {
      await sessions?.end()
      await end()
    },
  })
  return opened
}

function textOf(statement: string | pg.QueryConfig): string {
  return typeof statement === 'string' ? statement : statement.text
}

/** Null where this pool itself is to be asked. */
function readerFor(pool: pg.Pool): ReplicaReader | null {
  const reader = currentReader()
  return reader?.primary === pool ? reader : null
}

/** None where the settings of the session are enough. */
function preamblesOf(isShared: boolean): Preamble[] {
  const instanceId = currentInstance()
  if (isShared) return [{ name: '', text: OF_STATEMENT, values: [instanceId ?? '*'], isShared }]
  return instanceId === null ? [] : [enterInstance(instanceId)]
}

export interface DatabaseOptions {
  max?: number
  name?: string
  /** Called when an idle connection breaks. */
  onLost?(error: Error): void
  /**
   * Address of sessions, where `url` is that of a pooler in transaction mode: `sessions` connects to it. Each statement
   * and transaction by way of the pooler brings its own settings, and none is kept by name.
   */
  directUrl?: string | undefined
  /** Whether Citus distributes its tables over nodes; not behind a pooler in transaction mode. */
  isDistributed?: boolean
}

/**
 * Raw row reader: one column of type text, never null, as the bytes received, for many or large texts that are only passed on.
 * `take` must not keep references to them.
 */
export async function readRows<T>(database: Database, query: pg.QueryConfig, take: (rows: readonly Buffer[]) => T): Promise<T> {
  const found = await readerFor(database)?.attempt(async (replica, guard) => {
    const asked = new RowsQuery([guard], query, take)
    await replica.query(asked)
    return asked
  })
  if (found) return found.value.taken
  if (database.isDistributed) {
    const { rows } = await database.query<unknown[]>({ ...query, rowMode: 'array' })
    return take(rows.map(([value]) => Buffer.from(String(value))))
  }
  const asked = new RowsQuery(preamblesOf(database.sessions !== null), query, take)
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

/**
 * Takes a connection that keeps a session until `release`: for locks of a session, LISTEN, and statements that cannot run
 * in a transaction.
 */
export async function checkOutSession(database: Database): Promise<HeldConnection> {
  return await checkOut(database.sessions ?? database)
}

/** Takes a connection of the pool until `release`; one that breaks in between is closed then. */
async function checkOut(database: Database): Promise<HeldConnection> {
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

/**
 * Transaction: commits when `work` returns, rolls back when it throws. No network calls inside. `onCommitting` is called
 * as soon as the commit is under way, for what need not wait for the disk; the commit may still fail.
 */
export async function inTransaction<T>(
  database: Database,
  work: (db: Db) => Promise<T>,
  onCommitting?: (result: T, commit: Promise<void>) => void,
): Promise<T> {
  const { client, discard, release } = await checkOut(database)
  let transaction: Transaction | null = null
  try {
    transaction = await beginTransaction(client, { isDistributed: database.isDistributed, isShared: database.sessions !== null })
    const result = await work(transaction)
    const commit = transaction.commit()
    onCommitting?.(result, commit)
    await commit
    return result
  } catch (error) {
    await (transaction?.rollback() ?? client.query('rollback')).catch(discard)
    throw error
  } finally {
    release()
  }
}

/** Sends a statement without a result together with the next one, where the transaction can. */
export async function sendWithNext(db: Db, text: string): Promise<void> {
  if (db.sendWithNext) db.sendWithNext(text)
  else await db.query(text)
}

/**
 * Advisory lock across processes by name; the database releases it when this process dies. Held by a dedicated session,
 * so that waiting processes take no pooler connection from the one that works.
 */
export async function withLock<T>(database: Database, name: string, work: () => Promise<T>): Promise<T> {
  return await inTransaction(database.sessions ?? database, async (db) => {
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
