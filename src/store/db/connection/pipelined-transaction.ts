import type pg from 'pg'
import { enterInstance, PipelinedQuery, type Preamble, toConfig } from '../pipelined-query.ts'

const BEGIN = toStatement('begin')
const COMMIT = 'commit'

/**
 * Transaction on one connection, a `Db`. What begins it, and statements whose result nobody needs, are sent in one packet
 * with the next query instead of waiting for an answer each. If one of them fails, so does that query, which is not run.
 */
export class PipelinedTransaction {
  readonly #client: pg.PoolClient
  /** Statements to send with the next query. */
  #waiting: Preamble[]
  /** Whether the server knows of the transaction. */
  #hasBegun = false

  /** `instanceId`: scope of the transaction; null: all instances. */
  constructor(client: pg.PoolClient, instanceId: string | null) {
    this.#client = client
    this.#waiting = instanceId === null ? [BEGIN] : [BEGIN, enterInstance(instanceId)]
  }

  async query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const config = toConfig(statement, values)
    this.#hasBegun = true
    if (this.#waiting.length === 0) return await this.#client.query(config)
    if ((config.values?.length ?? 0) > 0 || !config.text.includes(';')) return await this.#send(config)
    // Several statements, which only the simple protocol takes.
    const last = this.#waiting.pop()
    if (last) await this.#send({ text: last.text, values: last.values })
    return await this.#client.query(config)
  }

  sendWithNext(text: string): void {
    this.#waiting.push(toStatement(text))
  }

  /** Nothing to do for a transaction without a query. */
  async commit(): Promise<void> {
    if (!this.#hasBegun) return
    if (this.#waiting.length === 0) await this.#client.query(COMMIT)
    else await this.#send({ text: COMMIT })
  }

  async rollback(): Promise<void> {
    this.#waiting = []
    if (this.#hasBegun) await this.#client.query('rollback')
  }

  async #send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const query = new PipelinedQuery(this.#waiting.splice(0), config)
    const answer = new Promise<pg.QueryResult>((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result))
    })
    this.#client.query(query)
    return await answer.catch((error: Error) => {
      // As `pg` does: the stack of the caller instead of that of the socket.
      Error.captureStackTrace(error)
      throw error
    })
  }
}

function toStatement(text: string): Preamble {
  return { name: '', text, values: [] }
}
