import type { PoolClient, QueryConfig } from 'pg'
import type { Database } from '../../src/store/db/database.ts'
import { overlay } from '../harness/overlay.ts'

/** What everything throws that a dead process tries to do. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied'
}

/** When a process dies: at so many calls of the outside from now, before the call has any effect or after it, unheard. */
export interface CrashPlan {
  calls: number
  isAfter: boolean
}

/** Whether a simulated process still runs, and what it holds. Once it has died nothing that it does has any effect. */
export class ProcessLife {
  isOver = false
  openTransactions = 0
  /** Called when one of its transactions has been committed, before it hears of that. */
  onCommit: () => Promise<void> = async () => undefined
  onBegin: () => void = () => undefined
  #fuse: CrashPlan | null
  #turn: Promise<unknown> = Promise.resolve()
  readonly #leaving: Promise<unknown>[] = []

  constructor(fuse: CrashPlan | null = null) {
    this.#fuse = fuse
  }

  /** Makes a call of the outside, unless the process is dead or dies by it. */
  async spend<T>(call: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new ProcessDied()
    const fuse = this.#fuse
    if (!fuse || fuse.calls > 0) {
      if (fuse) fuse.calls -= 1
      const result = await call()
      // It may have died meanwhile, at another of its calls.
      if (this.isOver) throw new ProcessDied()
      return result
    }
    if (fuse.isAfter) await call()
    this.isOver = true
    throw new ProcessDied()
  }

  /** Transactions and single statements of one process take turns, so that a seed always gives the same history. */
  async takeTurn(): Promise<() => void> {
    const before = this.#turn
    let done = (): void => undefined
    this.#turn = new Promise<void>((resolve) => {
      done = resolve
    })
    await before
    return done
  }

  /** What the system does for a process that has died is under way. */
  leave(work: Promise<unknown>): void {
    this.#leaving.push(work)
  }

  async whenLeft(): Promise<void> {
    await Promise.all(this.#leaving)
  }
}

type Statement = string | QueryConfig

/** The database as a process sees it that may die at any statement. What a dead one had begun is rolled back. */
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
  const plain = async (statement: Statement, values?: unknown[]) =>
    typeof statement === 'string' ? await client.query(statement, values) : await client.query(statement)
  const query = async (statement: Statement, values?: unknown[]) => {
    if (typeof statement === 'string' && statement.startsWith('begin')) {
      endTurn = await life.takeTurn()
      life.onBegin()
      await life.spend(async () => await plain(statement))
      life.openTransactions += 1
      return
    }
    // NOTE also for the dead: the system closes its connections, and the database takes back what it had begun.
    if (statement === 'rollback') return await plain(statement).finally(end)
    if (statement !== 'commit') return await life.spend(async () => await plain(statement, values))
    await life.spend(async () => {
      await plain(statement)
      await life.onCommit()
    })
    end()
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
