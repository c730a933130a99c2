import type { QueryConfig } from 'pg'
import { type Database, type Db, inTransaction } from '../../../src/store/db/database.ts'
import { RowsQuery, toConfig } from '../../../src/store/db/pipelined-query.ts'

export interface Asked {
  text: string
  /** Pages read. */
  count: number
  /** Tables in the plan. */
  relations: string[]
}

/**
 * Pages read by each statement of a query, by `explain analyze`, when it is asked again: the first time, a connection
 * also reads the catalogue, 300 pages and more for a function. Writes are rolled back.
 */
export async function pagesRead(database: Database, ask: (db: Database) => Promise<unknown>): Promise<Asked[]> {
  const read: Asked[] = []
  await inTransaction(database, async (db) => {
    await ask(explained(database, db, read))
    throw new Undone()
  }).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
  return read
}

class Undone extends Error {}

function explained(database: Database, db: Db, read: Asked[]): Database {
  return new Proxy(database, {
    get: (_, name) => {
      if (name === 'query') return explainAndAsk
      if (name === 'isDistributed' || name === 'sessions') return Reflect.get(database, name)
      throw new Error(`a query uses ${String(name)}`)
    },
  })

  async function explainAndAsk(query: string | QueryConfig | RowsQuery<unknown>, values?: unknown[]) {
    const asked = toAsked(query, values)
    await db.query('savepoint explained')
    await db.query(asked)
    await db.query('rollback to savepoint explained')
    const { rows } = await db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
      `explain (analyze, buffers, costs off, timing off, format json) ${asked.text}`,
      asked.values,
    )
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {}
    const relations = [...JSON.stringify(plan).matchAll(/"Relation Name":"(\w+)"/g)].map(([, relation = '']) => relation)
    read.push({ text: asked.text, count: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0), relations })
    await db.query('rollback to savepoint explained')
    // It reads only, and gives its rows to its own caller.
    return query instanceof RowsQuery ? await database.query(query) : await db.query(asked)
  }
}

function toAsked(query: string | QueryConfig | RowsQuery<unknown>, values: unknown[] | undefined): QueryConfig {
  if (query instanceof RowsQuery) return { text: String(Reflect.get(query, 'text')), values: Reflect.get(query, 'values') }
  return toConfig(query, values)
}
