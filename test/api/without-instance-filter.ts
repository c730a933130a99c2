import type { PoolClient, QueryConfig } from 'pg'
import type { Database } from '../../src/store/db/database.ts'
import { PipelinedQuery } from '../../src/store/db/pipelined-query.ts'
import { overlay } from '../harness/overlay.ts'

/** The part of a statement that filters by instance. */
const INSTANCE = /\b(?:\w+\.)?instance_id = (\$\d+)/g

type Statement = string | QueryConfig | PipelinedQuery

/** The database of a service in which every query omits the instance filter. */
export function withoutInstanceFilter(database: Database): Database {
  return overlay(database, {
    query: (statement: Statement, values?: unknown[]) => ask(database, statement, values),
    connect: async () => {
      const client = await database.connect()
      return overlay(client, { query: (statement: Statement, values?: unknown[]) => ask(client, statement, values) })
    },
  })
}

function ask(db: Database | PoolClient, statement: Statement, values?: unknown[]): Promise<unknown> {
  if (typeof statement === 'string') return db.query(forget(statement), values)
  const { name, text } = statement
  const forgot = { text: forget(text), ...(name === undefined ? {} : { name: `${name}, forgetful` }) }
  return db.query(statement instanceof PipelinedQuery ? Object.assign(statement, forgot) : { ...statement, ...forgot })
}

function forget(text: string): string {
  return text.replace(INSTANCE, '$1::uuid is not null')
}
