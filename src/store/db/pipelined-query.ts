import pg from 'pg'
import { NoPrimary, READ_ONLY } from './connection/servers.ts'
import { readerOf } from './row-reader.ts'

/**
 * Methods that `pg` calls on queries, as its own `Query` and `pg-cursor` implement them.
 * Source: https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/query.js
 */
declare module 'pg' {
  interface Client {
    /** False while the answer to a query is awaited. */
    readyForQuery: boolean
  }
  interface Query {
    name?: string
    callback?: (error: Error | null | undefined, result: pg.QueryResult) => void
    text: string
    /** Whether the server sends values in its binary format. */
    binary?: boolean
    requiresPreparation(): boolean
    prepare(connection: pg.Connection): void
    handleDataRow(message: DataRow): void
    handleCommandComplete(message: unknown, connection: pg.Connection): void
    handleReadyForQuery(connection: pg.Connection): void
    handleError(error: Error, connection: pg.Connection): void
  }
}

interface DataRow {
  /** Values as text. */
  fields: (string | null)[]
}

/** Statement before another one in the same packet and transaction, such as one that makes its settings. */
export interface Preamble {
  /** Parsed once per connection; empty: each time. */
  name: string
  text: string
  values: string[]
  /** For connections that share the sessions of a pooler: nothing is kept by name, the statement after it neither. */
  isShared?: boolean
}

/** Scope of one instance, on a connection whose session has all other settings. */
export function enterInstance(instanceId: string): Preamble {
  return { name: 'enter-instance', text: `select set_config('countinghouse.instance', $1, true)`, values: [instanceId] }
}

/** Names of preambles that a connection has parsed. */
const parsed = new WeakMap<pg.Connection, Set<string>>()

function isFirstOf(connection: pg.Connection, name: string): boolean {
  const names = parsed.get(connection) ?? new Set()
  parsed.set(connection, names)
  return names.size < names.add(name).size
}

/**
 * Pipelined query: a statement after others, such as `begin`, or the one that restricts it to rows of one instance. They
 * precede it in the same packet and transaction: they need no extra round trip, settings end with the transaction in
 * every case, and if one of them fails the statement does not run.
 * NOTE one SQL statement each, not several.
 * Source: https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class PipelinedQuery extends pg.Query {
  readonly preambles: readonly Preamble[]
  /** Preambles without an answer. */
  #pending: number

  /** Without preambles the settings of the session hold: rows of all instances. */
  constructor(preambles: readonly Preamble[], query: pg.QueryConfig) {
    // NOTE of a configuration `pg` copies the descriptors one by one, which takes a fiftieth of the time of a read.
    const isPlain = query.types === undefined && !('rowMode' in query)
    super(isPlain ? query.text : withoutName(query), query.values)
    if (query.name !== undefined && !preambles.some(({ isShared }) => isShared)) this.name = query.name
    this.preambles = preambles
    this.#pending = preambles.length
  }

  /** Only the extended query protocol has transactions of several messages. */
  override requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: pg.Connection): void {
    for (const { name, text, values } of this.preambles) {
      if (name === '' || isFirstOf(connection, name)) connection.parse({ name, text, types: [] }, true)
      connection.bind({ statement: name, values }, true)
      connection.execute(null, true)
    }
    super.prepare(connection)
  }

  /** Whether incoming rows belong to the statement, and not to those before it. */
  protected get isEntered(): boolean {
    return this.#pending === 0
  }

  override handleDataRow(message: DataRow): void {
    if (this.isEntered) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.isEntered) super.handleCommandComplete(message, connection)
    else this.#pending -= 1
  }

  override handleError(error: Error, connection: pg.Connection): void {
    super.handleError(this.isEntered ? error : toNoPrimary(error), connection)
  }
}

/** Codes with which a standby, or a server that is read-only, refuses to be made writable. */
const REFUSED_BY_STANDBY = ['0A000', '25001']

/** `NoPrimary` for a standby's response to a preamble; other errors unchanged. */
export function toNoPrimary(error: Error): Error {
  const isRefused = error instanceof pg.DatabaseError && REFUSED_BY_STANDBY.some((code) => code === error.code)
  return isRefused && /transaction_read_only|read-write mode/.test(error.message) ? new NoPrimary(READ_ONLY) : error
}

/** A statement with its parameters. */
export function toConfig(statement: string | pg.QueryConfig, values?: unknown[]): pg.QueryConfig {
  return typeof statement === 'string' ? { text: statement, ...(values ? { values } : {}) } : statement
}

/** A statement that is not kept by the server: behind a pooler the next one may reach another session. */
export function withoutName<Config extends pg.QueryConfig>({ name: _name, ...query }: Config): Omit<Config, 'name'> {
  return query
}

/**
 * Raw rows query: a statement with one non-null column of type text, whose rows are taken as received bytes. In binary
 * format a text has the same bytes, and the server copies it once less and does not search it for its end.
 */
export class RowsQuery<T> extends PipelinedQuery {
  readonly #take: (rows: readonly Buffer[]) => T
  readonly #rows: Buffer[] = []
  #give: () => T = () => {
    throw new Error('the query has not ended')
  }

  /** `take` must not keep references to the rows: they are overwritten when it returns. */
  constructor(preambles: readonly Preamble[], query: pg.QueryConfig, take: (rows: readonly Buffer[]) => T) {
    super(preambles, query)
    this.binary = true
    this.#take = take
  }

  /** Result of `take`, or its error, once the query has succeeded. */
  get taken(): T {
    return this.#give()
  }

  /** NOTE for a query of the pool, which discards the connection when the query fails. */
  override prepare(connection: pg.Connection): void {
    readerOf(connection.stream)?.divert((row) => this.#keep(row))
    super.prepare(connection)
  }

  /** For a connection without a reader. */
  override handleDataRow({ fields }: DataRow): void {
    this.#keep(Buffer.from(fields[0] ?? ''))
  }

  override handleReadyForQuery(connection: pg.Connection): void {
    readerOf(connection.stream)?.restore()
    try {
      const value = this.#take(this.#rows)
      this.#give = () => value
    } catch (error) {
      this.#give = () => {
        throw error
      }
    }
    super.handleReadyForQuery(connection)
  }

  #keep(row: Buffer): void {
    if (this.isEntered) this.#rows.push(row)
  }
}
