import type { PoolClient } from 'pg'
import type { Database } from '../../src/store/db/database.ts'

/** Statement as it was sent. */
export interface Sent {
  text: string
  values: unknown[]
}

/** Notes every statement that a pool sends from now on, on connections that it has not opened yet. */
export function recordStatementsOf(database: Database): Sent[] {
  const sent: Sent[] = []
  database.on('connect', (client: PoolClient) => {
    const query: (...args: unknown[]) => unknown = client.query.bind(client)
    const noting = (...args: unknown[]): unknown => {
      const [first, values] = args
      if (typeof first === 'string') sent.push({ text: first, values: Array.isArray(values) ? values : [] })
      else if (isStatement(first)) sent.push({ text: first.text, values: first.values ?? [] })
      return query(...args)
    }
    Object.assign(client, { query: noting })
  })
  return sent
}

function isStatement(value: unknown): value is { text: string; values?: unknown[] } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'
}
