import pg from 'pg'
import { readerOf } from './row-reader.ts'

/** What `pg` itself calls, as its own `Query` and `pg-cursor` do. Source: https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/query.js */
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
  /** As texts. */
  fields: (string | null)[]
}

/** Named, so that a connection parses it once. */
const ENTER = { name: 'enter-instance', text: `select set_config('countinghouse.instance', $1, true)`, types: [] }
const knowEnter = new WeakSet<pg.Connection>()

/**
 * A statement for which the database shows and takes one instance's rows only. What says so goes ahead of it in the same packet and the same
 * transaction: it costs no way there and back, ends with the statement however that ends, and should it fail, the statement does not run.
 * NOTE one statement of SQL, not several. Source: https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class ScopedQuery extends pg.Query {
  readonly #instanceId: string | null
  #isEntered: boolean

  /** Null: the rows of all instances. */
  constructor(instanceId: string | null, query: pg.QueryConfig) {
    super(query)
    this.#instanceId = instanceId
    this.#isEntered = instanceId === null
  }

  /** Only the protocol of prepared statements knows transactions of several messages. */
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

  /** Whether rows are the statement's, and no longer those of what goes ahead of it. */
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

/** A statement with one column that is never null, whose rows are taken as the bytes that came. */
export class RowsQuery<T> extends ScopedQuery {
  readonly #take: (rows: readonly Buffer[]) => T
  readonly #rows: Buffer[] = []
  #give: () => T = () => {
    throw new Error('the query has not ended')
  }

  /** `take` must leave nothing of the rows behind: they are overwritten when it returns. */
  constructor(instanceId: string | null, query: pg.QueryConfig, take: (rows: readonly Buffer[]) => T) {
    super(instanceId, query)
    this.#take = take
  }

  /** What `take` gave or threw, once the query has ended well. */
  get taken(): T {
    return this.#give()
  }

  /** NOTE for a query of the pool, which gives up the connection when the query fails. */
  override prepare(connection: pg.Connection): void {
    readerOf(connection.stream)?.divert((row) => this.#keep(row))
    super.prepare(connection)
  }

  /** Where the connection has no reader. */
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
