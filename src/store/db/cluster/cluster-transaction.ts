import type pg from 'pg'
import { usesNodes } from './distributed-tables.ts'

/** Table without rows, on the coordinator, that Citus knows as a local one: `citus_add_local_table_to_metadata`. */
export const TWO_PHASE_TABLE = 'two_phase_commits'

/**
 * Has the scope of a transaction reach the nodes: Citus passes on `set local`, sent as a message of its own, and nothing
 * else. `besides` goes with the first message.
 */
export async function enterNodes(client: pg.ClientBase, scope: string, besides = ''): Promise<void> {
  await client.query(`set local citus.propagate_set_commands = 'local'; ${besides}`)
  await client.query(`set local countinghouse.instance = '${scope}'`)
}

/** Transaction on a database whose tables Citus distributes: a `Db`. It has begun, in its scope, an instance or `*`. */
export class ClusterTransaction {
  readonly isDistributed = true
  readonly #client: pg.PoolClient
  readonly #scope: string
  readonly #next: ((client: pg.PoolClient) => Promise<void>)[] = []
  #hasEntered = false

  constructor(client: pg.PoolClient, scope: string) {
    this.#client = client
    this.#scope = scope
  }

  async query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const text = typeof statement === 'string' ? statement : statement.text
    // A savepoint that is rolled back takes the scope with it.
    if (!this.#hasEntered && (usesNodes(text) || text.startsWith('savepoint '))) await this.#enterNodes()
    return await (typeof statement === 'string' ? this.#client.query(statement, values) : this.#client.query(statement))
  }

  /**
   * Has the scope reach the nodes, before the first statement that needs one.
   *
   * The update changes no row. But it is a change of a local table that Citus manages, and so the transaction is committed
   * in two phases on each node that it writes to: without it Citus commits the node first and then the coordinator, and a
   * crash between the two leaves one half. Where a transaction only reads, the node prepares nothing.
   * Source: https://github.com/citusdata/citus/blob/v13.2.0/src/backend/distributed/executor/local_executor.c
   */
  async #enterNodes(): Promise<void> {
    this.#hasEntered = true
    await enterNodes(this.#client, this.#scope, `update ${TWO_PHASE_TABLE} set note = note where id = 0`)
  }

  onCommitted(work: (client: pg.PoolClient) => Promise<void>): void {
    this.#next.push(work)
  }

  /**
   * Commits. What was to be done once all nodes have committed is left out where one of them was lost in between: Citus then
   * warns, and the node commits when it is back. NOTE the transaction has been made: an error of that work must not have it
   * made again.
   * Source: https://github.com/citusdata/citus/blob/v13.2.0/src/backend/distributed/transaction/remote_transaction.c (WarnAboutLeakedPreparedTransaction)
   */
  async commit(): Promise<void> {
    let isInDoubt = false
    const onNotice = ({ severity }: { severity?: string | undefined }): void => {
      isInDoubt ||= severity === 'WARNING'
    }
    this.#client.on('notice', onNotice)
    try {
      await this.#client.query('commit')
    } finally {
      this.#client.off('notice', onNotice)
    }
    if (isInDoubt) return
    for (const work of this.#next) await work(this.#client).catch(() => undefined)
  }

  async rollback(): Promise<void> {
    await this.#client.query('rollback')
  }
}
