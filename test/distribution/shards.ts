import { statementsOf } from '../../src/store/db/cluster/migrate-nodes.ts'
import type { ClusterDatabase } from './cluster-database.ts'

/** Runs statements about nodes and shards as superuser, without the time limits of the service. */
export async function administer({ admin }: ClusterDatabase, statements: string): Promise<void> {
  const superuser = await admin.connect()
  try {
    await superuser.query('set statement_timeout = 0')
    await superuser.query('set lock_timeout = 0')
    for (const statement of statementsOf(statements)) await superuser.query(statement)
  } finally {
    superuser.release(true)
  }
}

/** Number of shards of records on the node at a port. */
export async function countShards({ admin }: ClusterDatabase, port: number): Promise<number> {
  const { rows } = await admin.query<{ shards: number }>(
    'select count(*)::int as shards from citus_shards where nodeport = $1 and table_name = $2::regclass',
    [port, 'record_versions'],
  )
  return rows[0]?.shards ?? 0
}

/** A block of the guide to clusters about `worker-3.internal`, for the node at a port of this machine. */
export function onPort(block: string, port: number): string {
  return block.replaceAll(`'worker-3.internal', 5432`, `'127.0.0.1', ${port}`)
}
