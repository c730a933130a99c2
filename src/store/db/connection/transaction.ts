import type pg from 'pg'
import { ClusterTransaction } from '../cluster/cluster-transaction.ts'
import { currentInstance } from '../instance-scope.ts'
import { toNoPrimary, withoutName } from '../pipelined-query.ts'
import { PipelinedTransaction } from './pipelined-transaction.ts'
import { beginShared, beginWithin } from './session-settings.ts'

/** Transaction on one connection: a `Db`. */
export interface Transaction {
  readonly isDistributed?: boolean
  query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult>
  sendWithNext?(text: string): void
  onCommitted?(work: (client: pg.PoolClient) => Promise<void>): void
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Begins a transaction in the current scope: on a cluster, behind a pooler, or on a session of one server. */
export async function beginTransaction(
  client: pg.PoolClient,
  { isDistributed, isShared }: { isDistributed: boolean; isShared: boolean },
): Promise<Transaction> {
  const instanceId = currentInstance()
  if (isDistributed) {
    await client.query(instanceId === null ? 'begin' : beginWithin(instanceId))
    return new ClusterTransaction(client, instanceId ?? '*')
  }
  if (!isShared) return new PipelinedTransaction(client, instanceId)
  await client.query(beginShared(instanceId ?? '*')).catch((error: Error) => {
    throw toNoPrimary(error)
  })
  return toUnnamed(client)
}

/** Queries that no server session keeps by name. */
function toUnnamed(client: pg.PoolClient): Transaction {
  return {
    query: (statement: string | pg.QueryConfig, values?: unknown[]) =>
      typeof statement === 'string' ? client.query(statement, values) : client.query(withoutName(statement)),
    commit: async () => void (await client.query('commit')),
    rollback: async () => void (await client.query('rollback')),
  }
}
