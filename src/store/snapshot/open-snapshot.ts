import type { Readable } from 'node:stream'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { AppliedMigration } from '../db/apply-migrations.ts'
import { isDistributed } from '../db/cluster/distribute.ts'
import { isDistributedTable } from '../db/cluster/distributed-tables.ts'
import { createSession } from '../db/connection/store-client.ts'
import { NodeSnapshots } from './node-snapshots.ts'
import { listAppliedMigrations, listTables, listUnknownPolicies, quoted, type SnapshotTable } from './tables.ts'

/** All tables at one point in time, while the service writes on. */
export interface Snapshot {
  /** Database clock at that point. */
  takenAt: Date
  serverVersion: string
  migrations: AppliedMigration[]
  tables: SnapshotTable[]
  /** SHA-256 fingerprint of the newest token hash key; null before the first start with keys. */
  keyFingerprint: Buffer | null
  /** Rows in binary COPY; read one table to its end before the next. */
  readTable(table: SnapshotTable): Readable
  close(): Promise<void>
}

/** A backup of a large database takes longer than any request may. */
const SET_UP = `select set_config('countinghouse.instance', '*', false), set_config('statement_timeout', '0', false),
  set_config('lock_timeout', '10s', false), set_config('idle_in_transaction_session_timeout', '0', false)`

/**
 * Opens a snapshot: one read-only REPEATABLE READ transaction that locks every table against migrations, on a cluster one
 * more on each node. Throws if a row-level security policy unknown to this version could hide rows, and if a migration
 * runs at the same time.
 */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = createSession(url, 'countinghouse backup')
  // A broken connection fails the statement in progress; an idle one is noticed by the next.
  client.on('error', () => undefined)
  await client.connect()
  let nodes: NodeSnapshots | null = null
  const close = async (): Promise<void> => {
    await Promise.all([client.end(), nodes?.close()])
  }
  try {
    await client.query(SET_UP)
    const before = await readSchema(client)
    if (before.migrations.length === 0) throw new Error('the database is empty: there is nothing to back up')
    nodes = (await isDistributed(client)) ? await NodeSnapshots.connect(url, client, SET_UP) : null
    const facts = await (nodes ? nodes.takeTogether(() => take(client, before)) : take(client, before))
    const policies = await listUnknownPolicies(client)
    if (policies.length > 0) throw new Error(`row-level security policies of others could hide rows: ${policies.join(', ')}; drop them`)
    const readTable = (table: SnapshotTable): Readable =>
      nodes && isDistributedTable(table.name) ? nodes.read(table) : client.query(copyTo(toCopy(table)))
    return { ...before, ...facts, readTable, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Schema = Pick<Snapshot, 'migrations' | 'tables'>
type Facts = Pick<Snapshot, 'takenAt' | 'serverVersion' | 'keyFingerprint'>

/** Fixes the point in time. Throws where the schema is no longer that of before. */
async function take(client: pg.Client, before: Schema): Promise<Facts> {
  await client.query('begin isolation level repeatable read, read only')
  // Locks come before the first query, which fixes the point in time.
  await client.query(`lock table ${before.tables.map(({ name }) => quoted(name)).join(', ')} in access share mode`)
  const schema = await readSchema(client)
  if (JSON.stringify(schema) !== JSON.stringify(before)) throw new Error('the database was migrated just now; begin the backup again')
  return await readFacts(client)
}

async function readSchema(client: pg.Client): Promise<Schema> {
  return { migrations: await listAppliedMigrations(client), tables: await listTables(client) }
}

async function readFacts(client: pg.Client): Promise<Facts> {
  const { rows } = await client.query<Facts>(
    `select transaction_timestamp() as "takenAt", current_setting('server_version') as "serverVersion",
       (select fingerprint from key_fingerprint) as "keyFingerprint"`,
  )
  if (!rows[0]) throw new Error('the database did not say what it is')
  return rows[0]
}

function toCopy({ name, columns }: SnapshotTable): string {
  return `copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout (format binary)`
}
