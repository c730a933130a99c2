import pg from 'pg'
import { TWO_PHASE_TABLE } from './cluster/cluster-transaction.ts'
import { DISTRIBUTED_TABLES } from './cluster/distributed-tables.ts'
import { READ_ONLY } from './connection/servers.ts'
import { UnsupportedDatabase } from './connection/unsupported-database.ts'
import type { Database, Db } from './database.ts'
import { type Citus, findCitus } from './server-settings.ts'

/**
 * Minimum major version: unique indexes with `nulls not distinct`.
 * Source: https://www.postgresql.org/docs/15/sql-createindex.html
 */
const MIN_MAJOR = 15
/** Attempts: a pooler in transaction mode does not show at the first one. */
const TRIES = 5

/** What is between this process and PostgreSQL: nothing detectable, or a pooler, by its pooling mode. */
export type PoolerMode = 'none' | 'session' | 'transaction' | 'statement'

export interface ServerFacts {
  /** Null when writable; otherwise the reason, which may be temporary. */
  fault: string | null
  /** Whether this connection is encrypted. */
  isEncrypted: boolean
  pooler: PoolerMode
  /** Null without Citus. */
  citus: Citus | null
}

/**
 * Server check. Throws `UnsupportedDatabase` when the server is too old, behind a pooler in a mode for which the
 * addresses are not right, or has tables of ours that Citus manages.
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
  const pooler = await findPoolerMode(database)
  refuseMode(pooler, database.sessions !== null)
  const citus = await findCitus(database)
  database.isDistributed = isOurs(citus)
  if (database.isDistributed && (pooler === 'transaction' || database.sessions !== null))
    throw new UnsupportedDatabase(
      'the tables are distributed by Citus, which does not work behind a pooler in transaction mode: give DATABASE_URL the address of the coordinator',
    )
  const fault = found.isReadOnly ? READ_ONLY : await findDirectFault(database)
  return { fault, isEncrypted: found.isEncrypted, pooler, citus }
}

const OURS: readonly string[] = [TWO_PHASE_TABLE, ...DISTRIBUTED_TABLES]

/**
 * Whether Citus distributes the tables, as a start does it (`cluster/distribute.ts`). Throws for other tables: statements
 * that find rows by their place in a table would hit other rows of other shards. See docs/decisions/0078.
 */
function isOurs(citus: Citus | null): boolean {
  if (citus === null || citus.tables.length === 0) return false
  const others = citus.tables.filter((table) => !OURS.includes(table))
  const missing = OURS.filter((table) => !citus.tables.includes(table))
  if (others.length === 0 && missing.length === 0) return true
  throw new UnsupportedDatabase(
    `Citus manages ${[...others, ...citus.tables.filter((table) => OURS.includes(table))].join(', ')}; this release works with all tables on the coordinator, ` +
      'or with exactly those distributed that the first start distributes: call undistribute_table for each',
  )
}

function refuseMode(mode: PoolerMode, hasDirectUrl: boolean): void {
  if (mode === 'statement')
    throw new UnsupportedDatabase(
      'a pooler in statement mode is in front of the database, which cannot hold a transaction; set it to transaction mode, with ' +
        'DATABASE_DIRECT_URL beside it, or to session mode (PgBouncer: pool_mode)',
    )
  if (mode === 'transaction' && !hasDirectUrl)
    throw new UnsupportedDatabase(
      'a pooler in transaction mode is in front of the database; set DATABASE_DIRECT_URL, for what needs a session of its own ' +
        '(locks, LISTEN, migrations), to the address of PostgreSQL itself or of a pool in session mode',
    )
}

/** Throws for an address of sessions that gives none; returns the reason where it leads to another server, as during a failover. */
async function findDirectFault(database: Database): Promise<string | null> {
  const { sessions } = database
  if (sessions === null) return null
  const mode = await findPoolerMode(sessions)
  if (mode === 'transaction' || mode === 'statement')
    throw new UnsupportedDatabase(
      `DATABASE_DIRECT_URL is the address of a pooler in ${mode} mode; give it that of PostgreSQL itself, or of a pool in session mode`,
    )
  const [own, direct] = await Promise.all([readIdentity(database), readIdentity(sessions)])
  return own === direct ? null : 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases'
}

async function readIdentity(db: Db): Promise<string> {
  const { rows } = await db.query<{ identity: string }>(`select current_database() || ' ' || pg_postmaster_start_time() as identity`)
  return rows[0]?.identity ?? ''
}

/**
 * Pooler detection: whether two open connections end at one server process, or one moves between several. Behind a
 * pooler the process announced at startup differs from the one that answers, so a direct connection needs no second.
 * Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP (BackendKeyData)
 */
async function findPoolerMode(database: Database): Promise<PoolerMode> {
  const first = await database.connect()
  const isDirect = 'processID' in first && first.processID === (await askProcess(first))
  if (isDirect) {
    first.release()
    return 'none'
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
      if (meanwhile === before || after !== before) return 'transaction'
    }
    return 'session'
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '08P01') return 'statement'
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
