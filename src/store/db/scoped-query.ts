import pg from 'pg'
import { readerOf } from './row-reader.ts'

/**
 * Methods that `pg` calls on queries, as its own `Query` and `pg-cursor` implement them.
 * Source: https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/query.js
 */
declare module 'pg' {
  interface Query {
    name?: string
    text: string
    requiresPreparation(): boolean
    prepare(connection: pg.Connection): void
    handleDataRow(message: DataRow): void
    handleCommandComplete(message: unknown, connection: pg.Connection): void
    handleReadyForQuery(connection: pg.Connection): void
  }
}

interface DataRow {
  /** Values as text. */
  fields: (string | null)[]
}

/** Named statement: parsed once per connection. */
const ENTER = { name: 'enter-instance', text: `select set_config('countinghouse.instance', $1, true)`, types: [] }
const knowEnter = new WeakSet<pg.Connection>()

/**
 * Scoped query: a statement restricted to rows of one instance. The scope setting precedes it in the same packet and
 * transaction: it needs no extra round trip, ends with the statement in every case, and if it fails the statement does
 * not run.
 * NOTE one SQL statement, not several.
 * Source: https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class ScopedQuery extends pg.Query {
  readonly #instanceId: string | null
  #isEntered: boolean

  /** Null for rows of all instances. */
  constructor(instanceId: string | null, query: pg.QueryConfig) {
    super(query)
    this.#instanceId = instanceId
    this.#isEntered = instanceId === null
  }

  /** Only the extended query protocol has transactions of several messages. */
  override requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: pg.Connection): void {
    if (this.#instanceId !== null) {
      if (!knowEnter.has(connection)) connection.parse(ENTER, true)
      knowEnter.add(connection)
      connection.bind({ statement: ENTER.name, values: [this.#instanceId] }, true)
      connection.execute(null, true)
    }
    super.prepare(connection)
  }

  /** Whether incoming rows belong to the statement, and not to the scope setting before it. */
  protected get isEntered(): boolean {
    return this.#isEntered
  }

  override handleDataRow(message: DataRow): void {
    if (this.#isEntered) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isEntered) super.handleCommandComplete(message, connection)
    this.#isEntered = true
  }
}

/** Raw rows query: a statement with one non-null column whose rows are taken as received bytes. */
export class RowsQuery<T> extends ScopedQuery {
  readonly #take: (rows: readonly Buffer[]) => T
  readonly #rows: Buffer[] = []
  #give: () => T = () => {
    throw new Error('the query has not ended')
  }

  /** `take` must not keep references to the rows: they are overwritten when it returns. */
  constructor(instanceId: string | null, query: pg.QueryConfig, take: (rows: readonly Buffer[]) => T) {
    super(instanceId, query)
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
