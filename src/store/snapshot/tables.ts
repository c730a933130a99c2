import type { AppliedMigration } from '../db/apply-migrations.ts'
import { TWO_PHASE_TABLE } from '../db/cluster/cluster-transaction.ts'
import { CLUSTER_COLUMNS } from '../db/cluster/distribute.ts'
import { UNLOGGED_TABLES } from '../db/cluster/distributed-tables.ts'
import type { Db } from '../db/database.ts'

/** Table as a backup holds it: columns in their order, without generated ones. */
export interface SnapshotTable {
  name: string
  columns: string[]
}

/**
 * Left out: what describes the running deployment and not its data, namely functions (installed by each version itself),
 * heartbeats, the pause, the time of the last backup, marks for replicas and what only a cluster has; and unlogged
 * tables, which PostgreSQL itself empties after a crash, and a cluster has as logged ones.
 */
const NOT_DATA = [
  ...['schema_functions', 'workers', 'deployment_pause', 'last_backup', 'read_marks', 'feed_weeks', 'page_spans'],
  ...[TWO_PHASE_TABLE, ...UNLOGGED_TABLES],
]
/**
 * Columns that say in which partition a row is: a restored copy has all rows in the tables themselves. And those that a
 * cluster adds, which follow from others.
 */
const NOT_DATA_COLUMNS = [...['events.week', 'deliveries.week', 'event_feeds.week'], ...CLUSTER_COLUMNS]

/** The only policy that lets all rows pass for `*`; see `enforce_instance_isolation`. */
const KNOWN_POLICY = 'one_instance'

/** Tables of the schema that a backup holds, by name. */
export async function listTables(db: Db): Promise<SnapshotTable[]> {
  const { rows } = await db.query<SnapshotTable>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and c.relname || '.' || a.attname <> all($2)
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relpersistence = 'p' and c.relname <> all($1) and c.relname !~ '^raw_pages_[0-9]{8}$' and not exists (select from pg_inherits i where i.inhrelid = c.oid)
     group by c.oid, c.relname order by c.relname collate "C"`,
    [NOT_DATA, NOT_DATA_COLUMNS],
  )
  return rows
}

/** Applied migrations in their order; empty on an empty database. */
export async function listAppliedMigrations(db: Db): Promise<AppliedMigration[]> {
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('schema_migrations') is not null as "isThere"`)
  if (!rows[0]?.isThere) return []
  const { rows: applied } = await db.query<AppliedMigration>('select name, checksum from schema_migrations order by name collate "C"')
  return applied
}

/** Tables with a row-level security policy of unknown effect, which could hide rows from a backup. */
export async function listUnknownPolicies(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select p.tablename || ': ' || p.policyname as name from pg_policies p
     where p.schemaname = current_schema() and (p.policyname <> $1 or p.permissive <> 'PERMISSIVE') order by 1`,
    [KNOWN_POLICY],
  )
  return rows.map(({ name }) => name)
}

/** `"name"`, for names from the catalogue or from a backup. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
