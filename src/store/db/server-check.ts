import pg from 'pg'
import type { Database } from './database.ts'
import { READ_ONLY } from './liveness.ts'

/**
 * Minimum major version: unique indexes with `nulls not distinct`.
 * Source: https://www.postgresql.org/docs/15/sql-createindex.html
 */
const MIN_MAJOR = 15
/** Attempts: a pooler in transaction mode does not show at the first one. */
const TRIES = 5

/** Thrown when the configured PostgreSQL is unsuitable and waiting does not help. */
export class UnsupportedDatabase extends Error {
  override readonly name = 'DatabaseRefused'
}

export interface ServerFacts {
  /** Null when writable; otherwise the reason, which may be temporary. */
  fault: string | null
  /** Whether this connection is encrypted. */
  isEncrypted: boolean
}

/**
 * Server check. Throws `UnsupportedDatabase` when the server is too old, or behind a pooler that changes connections
 * between transactions.
 */
export async function checkServer(database: Database): Promise<ServerFacts> {
  const { rows } = await database.query<{ version: string; major: number; isReadOnly: boolean; isEncrypted: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
            pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
            coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted"`,
  )
  const [found] = rows
  if (!found) throw new Error('the database did not say what it is')
  if (found.major < MIN_MAJOR) throw new UnsupportedDatabase(`PostgreSQL ${found.version} is too old; it has to be ${MIN_MAJOR} or newer`)
  if (await sharesConnections(database))
    throw new UnsupportedDatabase(
      'a pooler in front of the database changes connections between transactions or statements, which loses announcements, locks and row-level security; ' +
        'give DATABASE_URL the address of PostgreSQL itself, or of a pool in session mode (PgBouncer: pool_mode = session)',
    )
  return { fault: found.isReadOnly ? READ_ONLY : null, isEncrypted: found.isEncrypted }
}

/**
 * Pooler detection: whether two open connections end at one server process, or one moves between several. Behind a
 * pooler the process announced at startup differs from the one that answers, so a direct connection needs no second.
 * Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP (BackendKeyData)
 */
async function sharesConnections(database: Database): Promise<boolean> {
  const first = await database.connect()
  const isDirect = 'processID' in first && first.processID === (await askProcess(first))
  if (isDirect) {
    first.release()
    return false
  }
  const second = await database.connect()
  try {
    for (let turn = 0; turn < TRIES; turn += 1) {
      const before = await askProcess(first)
      await second.query('begin')
      const meanwhile = await askProcess(second)
      // A pool with a single connection would not answer before the transaction ends.
      const after = meanwhile === before ? before : await askProcess(first)
      await second.query('commit')
      if (meanwhile === before || after !== before) return true
    }
    return false
  } catch (error) {
    // A pool in statement mode rejects transactions.
    if (error instanceof pg.DatabaseError && error.code === '08P01') return true
    throw error
  } finally {
    first.release(true)
    second.release(true)
  }
}

async function askProcess(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}
