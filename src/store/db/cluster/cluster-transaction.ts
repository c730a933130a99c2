import type pg from 'pg'

/** Table without rows, on the coordinator, that Citus knows as a local one: `citus_add_local_table_to_metadata`. */
export const TWO_PHASE_TABLE = 'two_phase_commits'

/** Transaction on a database whose tables Citus distributes: a `Db`. */
export class ClusterTransaction {
  readonly isDistributed = true
  readonly #client: pg.PoolClient
  readonly #next: ((client: pg.PoolClient) => Promise<void>)[] = []

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  /**
   * Begins with a scope, an instance or `*`, that reaches the nodes: Citus passes on `set local`, sent as a message of its
   * own, and nothing else.
   *
   * The update changes no row. But it is a change of a local table that Citus manages, and so the transaction is committed
   * in two phases on each node that it writes to: without it Citus commits the node first and then the coordinator, and a
   * crash between the two leaves one half. Where a transaction only reads, the node prepares nothing.
   * Source: https://github.com/citusdata/citus/blob/v13.2.0/src/backend/distributed/executor/local_executor.c
   */
  async begin(scope: string): Promise<void> {
    await this.#client.query(`begin; set local citus.propagate_set_commands = 'local'`)
    await this.#client.query(`set local countinghouse.instance = '${scope}'`)
    await this.#client.query(`update ${TWO_PHASE_TABLE} set note = note where id = 0`)
  }

  query(statement: string | pg.QueryConfig, values?: unknown[]) {
    return typeof statement === 'string' ? this.#client.query(statement, values) : this.#client.query(statement)
  }

  onCommitted(work: (client: pg.PoolClient) => Promise<void>): void {
    this.#next.push(work)
  }

  /** NOTE the transaction has been made: an error here must not have it made again. */
  async afterCommit(): Promise<void> {
    for (const work of this.#next) await work(this.#client).catch(() => undefined)
  }
}
