import type { PoolClient, QueryConfig, QueryResult } from 'pg'
import type { Database } from '../../src/store/db/database.ts'
import { PipelinedQuery } from '../../src/store/db/pipelined-query.ts'
import { overlay } from '../harness/overlay.ts'

/** Thrown by every action of a dead process. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied'
}

/**
 * When a process dies: after a number of outside calls from now, before the call has any effect or after it, with the
 * response lost.
 */
export interface CrashPlan {
  calls: number
  isAfter: boolean
}

/** Whether a simulated process is alive, and what it holds. Once it is dead, its actions have no effect. */
export class ProcessLife {
  isOver = false
  openTransactions = 0
  /** Called when one of its transactions has been committed, before it gets the response. */
  onCommit: () => Promise<void> = async () => undefined
  onBegin: () => void = () => undefined
  #fuse: CrashPlan | null
  #turn: Promise<unknown> = Promise.resolve()
  readonly #leaving: Promise<unknown>[] = []

  constructor(fuse: CrashPlan | null = null) {
    this.#fuse = fuse
  }

  /** Makes an outside call, unless the process is dead or dies during it. */
  async spend<T>(call: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new ProcessDied()
    const fuse = this.#fuse
    if (!fuse || fuse.calls > 0) {
      if (fuse) fuse.calls -= 1
      const result = await call()
      // It may have died in the meantime, during another of its calls.
      if (this.isOver) throw new ProcessDied()
      return result
    }
    if (fuse.isAfter) await call()
    this.isOver = true
    throw new ProcessDied()
  }

  /** Serializes transactions and single statements of one process, so that a seed always yields the same history. */
  async takeTurn(): Promise<() => void> {
    const before = this.#turn
    let done = (): void => undefined
    this.#turn = new Promise<void>((resolve) => {
      done = resolve
    })
    await before
    return done
  }

  /** Registers cleanup that the system performs for a dead process. */
  leave(work: Promise<unknown>): void {
    this.#leaving.push(work)
  }

  async whenLeft(): Promise<void> {
    await Promise.all(this.#leaving)
  }
}

type Statement = string | QueryConfig

const NO_RESULT: QueryResult = { command: '', rowCount: null, oid: 0, fields: [], rows: [] }

/**
 * The database as seen by a process that may die at any statement. Open transactions of a dead one are rolled back.
 */
export function killableDatabase(database: Database, life: ProcessLife): Database {
  const query = async (statement: Statement, values?: unknown[]) => {
    const done = await life.takeTurn()
    try {
      return await life.spend(async () =>
        typeof statement === 'string' ? await database.query(statement, values) : await database.query(statement),
      )
    } finally {
      done()
    }
  }
  const connect = async () => {
    if (life.isOver) throw new ProcessDied()
    return killableClient(await database.connect(), life)
  }
  return overlay(database, { query, connect })
}

function killableClient(client: PoolClient, life: ProcessLife): PoolClient {
  let endTurn: (() => void) | null = null
  const plain = async (statement: Statement, values?: unknown[]): Promise<QueryResult> =>
    typeof statement === 'string' ? await client.query(statement, values) : await client.query(statement)
  const query = (statement: Statement | PipelinedQuery, values?: unknown[]) => {
    if (!(statement instanceof PipelinedQuery)) return ask(statement, () => plain(statement, values))
    // `pg` answers it by its callback, not by a promise.
    const { callback } = statement
    const asked = new Promise<QueryResult>((resolve, reject) => {
      statement.callback = (error, result) => (error ? reject(error) : resolve(result))
    })
    const text = statement.preambles[0]?.text === 'begin' ? 'begin' : statement.text
    ask(text, () => {
      client.query(statement)
      return asked
    }).then(
      (result) => callback?.(null, result),
      (error: Error) => callback?.(error, NO_RESULT),
    )
    return statement
  }
  const ask = async (statement: Statement, answer: () => Promise<QueryResult>): Promise<QueryResult> => {
    if (typeof statement === 'string' && statement.startsWith('begin')) {
      endTurn = await life.takeTurn()
      life.onBegin()
      const result = await life.spend(answer)
      life.openTransactions += 1
      return result
    }
    // NOTE also for dead processes: the system closes their connections, and the database rolls back.
    if (statement === 'rollback') return await answer().finally(end)
    if (statement !== 'commit') return await life.spend(answer)
    // No outside call can keep it open any more.
    life.openTransactions = 0
    const result = await life.spend(async () => {
      const committed = await answer()
      await life.onCommit()
      return committed
    })
    end()
    return result
  }
  const end = (): void => {
    if (endTurn === null) return
    life.openTransactions = 0
    endTurn()
    endTurn = null
  }
  const release = (error?: Error | boolean) => {
    end()
    if (!life.isOver) return client.release(error)
    life.leave(
      plain('rollback')
        .then(() => plain('select pg_advisory_unlock_all()'))
        .then(() => client.release()),
    )
  }
  return overlay(client, { query, release })
}
