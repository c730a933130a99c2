import pg from 'pg'

/** What `pg` itself calls, as its own `Query` and `pg-cursor` do. Source: https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/query.js */
declare module 'pg' {
  interface Query {
    requiresPreparation(): boolean
    prepare(connection: pg.Connection): void
    handleDataRow(message: unknown): void
    handleCommandComplete(message: unknown, connection: pg.Connection): void
  }
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
  readonly #instanceId: string
  #isEntered = false

  constructor(instanceId: string, query: pg.QueryConfig) {
    super(query)
    this.#instanceId = instanceId
  }

  /** Only the protocol of prepared statements knows transactions of several messages. */
  override requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: pg.Connection): void {
    if (!knowEnter.has(connection)) connection.parse(ENTER, true)
    knowEnter.add(connection)
    connection.bind({ statement: ENTER.name, values: [this.#instanceId] }, true)
    connection.execute(null, true)
    super.prepare(connection)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isEntered) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isEntered) super.handleCommandComplete(message, connection)
    this.#isEntered = true
  }
}
