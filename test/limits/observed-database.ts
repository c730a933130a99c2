import type pg from 'pg'
import type { Db } from '../../src/store/db/database.ts'

export interface Statement {
  /** Its name, or the table it changes. */
  name: string
  values: unknown[]
}

/** A database that shows its statements, and lets a test fail one or hold its answer back. */
export class ObservedDatabase {
  readonly statements: Statement[] = []
  readonly #faults = new Map<string, Error>()
  readonly #held = new Map<string, Promise<void>>()
  readonly db: Db

  constructor(inner: Db) {
    const query = async (text: string | pg.QueryConfig, values: unknown[] = []) => {
      const statement = typeof text === 'string' ? { name: tableOf(text), values } : { name: text.name ?? '', values: text.values ?? [] }
      this.statements.push(statement)
      const fault = this.#faults.get(statement.name)
      this.#faults.delete(statement.name)
      if (fault) throw fault
      const held = this.#held.get(statement.name)
      const answer = await (typeof text === 'string' ? inner.query(text, values) : inner.query(text))
      await held
      return answer
    }
    this.db = { query: query as Db['query'] }
  }

  /** Names of all statements since the last call. */
  take(): string[] {
    return this.statements.splice(0).map(({ name }) => name)
  }

  /** The next statement of this name fails without having run. */
  fail(name: string, error: Error): void {
    this.#faults.set(name, error)
  }

  /** Statements of this name that are sent from now on run at once; their answers arrive after the returned function was called. */
  hold(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(name, promise)
    return () => {
      this.#held.delete(name)
      resolve()
    }
  }
}

function tableOf(text: string): string {
  return /^\s*(?:insert into|update) (\w+)/.exec(text)?.[1] ?? text
}
