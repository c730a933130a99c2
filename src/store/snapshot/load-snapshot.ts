import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type AppliedMigration, applyMigrations } from '../db/apply-migrations.ts'
import { createSession } from '../db/connection/store-client.ts'
import { findPause, pauseDeployment } from '../db/deployment-pause.ts'
import { type DerivedObjects, dropDerived, recreateDerived } from './derived-objects.ts'
import { NodeLoad } from './load-nodes.ts'
import { listTables, quoted, type SnapshotTable } from './tables.ts'

/** Load of a snapshot into an empty database, in one transaction: complete, or nothing. */
export interface SnapshotLoad {
  /** False for a table that no migration creates, which is skipped. */
  has(table: SnapshotTable): boolean
  /** Rows in binary COPY; returns their number. */
  load(table: SnapshotTable, pieces: AsyncIterable<Buffer>): Promise<number>
  /** Indexes and constraints, then the pause of a restored copy, and commits. */
  finish(backupId: string): Promise<void>
  /** Closes the connection; before `finish` nothing stays. */
  close(): Promise<void>
}

/** Index builds sort in memory up to this size. */
const SET_UP = `select set_config('countinghouse.instance', '*', false), set_config('statement_timeout', '0', false),
  set_config('lock_timeout', '10s', false), set_config('idle_in_transaction_session_timeout', '0', false),
  set_config('maintenance_work_mem', '256MB', false), set_config('synchronous_commit', 'on', false)`

/**
 * Begins a load: makes the tables as of the snapshot's migrations, on a cluster distributed as by a first start. Throws
 * when the database has tables, or when the migrations are not all known to this version.
 */
export async function beginLoad(url: string, migrations: readonly AppliedMigration[]): Promise<SnapshotLoad> {
  const client = createSession(url, 'countinghouse restore')
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(SET_UP)
    await client.query('begin')
    await refuseFull(client)
    const cluster = await NodeLoad.open(client)
    await applyMigrations(client, migrations)
    const nodes = (await cluster?.ready()) ? cluster : null
    const tables = await listTables(client)
    const derived = await dropDerived(client)
    // Migrations may have inserted rows.
    await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
    await nodes?.distribute()
    return toLoad(client, { tables, partitioned: await listPartitioned(client), derived }, nodes)
  } catch (error) {
    await client.end()
    throw error
  }
}

interface LoadedTables {
  tables: readonly SnapshotTable[]
  /** Names of those whose rows are in partitions. */
  partitioned: ReadonlySet<string>
  derived: DerivedObjects
}

function toLoad(client: pg.Client, { tables, partitioned, derived }: LoadedTables, nodes: NodeLoad | null): SnapshotLoad {
  const load = async ({ name, columns }: SnapshotTable, pieces: AsyncIterable<Buffer>): Promise<number> => {
    // Frozen: otherwise whoever reads the rows first writes their pages to the log, to note that they are committed.
    const options = `format binary${nodes === null && !partitioned.has(name) ? ', freeze' : ''}`
    const copy = client.query(copyFrom(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin (${options})`))
    await pipeline(Readable.from(pieces), copy).catch((error: unknown) => {
      throw nodes ? nodes.explain(error, name) : error
    })
    return copy.rowCount
  }
  return {
    has: ({ name }) => tables.some((table) => table.name === name),
    load: (table, pieces) => (nodes ? nodes.own(table.name, () => load(table, pieces)) : load(table, pieces)),
    finish: async (backupId) => {
      await recreateDerived(client, derived, nodes)
      await nodes?.complete()
      await pauseDeployment(client, { reason: 'restored', backupId })
      await client.query('commit')
      await client.query('analyze')
    },
    close: () => client.end(),
  }
}

/**
 * Throws unless the database is empty, or holds the restored copy of backup `restoredId`: then true. Connects and changes
 * nothing.
 */
export async function checkEmpty(url: string, restoredId: string | null): Promise<boolean> {
  const client = createSession(url, 'countinghouse restore')
  client.on('error', () => undefined)
  await client.connect()
  try {
    if (restoredId !== null && (await isRestored(client, restoredId))) return true
    await refuseFull(client)
    return false
  } finally {
    await client.end()
  }
}

async function isRestored(client: pg.Client, backupId: string): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>(`select to_regclass('deployment_pause') is not null as "isThere"`)
  return rows[0]?.isThere === true && (await findPause(client))?.backupId === backupId
}

async function listPartitioned(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'p'`,
  )
  return new Set(rows.map(({ name }) => name))
}

/** Throws unless the schema has no table, view or sequence of anybody but an extension. */
async function refuseFull(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class c
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1 limit 3`,
  )
  if (rows.length > 0)
    throw new Error(`the database is not empty (${rows.map(({ name }) => name).join(', ')}, …); restore into an empty one`)
}
