import { type Db, databaseTime } from './database.ts'

/** Server settings that a deployment depends on. */
export interface ServerSettings {
  encoding: string
  fsync: boolean
  fullPageWrites: boolean
  synchronousCommit: boolean
  autovacuum: boolean
  /** Connections that a role without privileges may open. */
  connections: number
  role: string
  isExemptFromRowSecurity: boolean
  isReadOnly: boolean
}

export async function readServerSettings(db: Db): Promise<ServerSettings> {
  const { rows } = await db.query<ServerSettings>(
    `select current_setting('server_encoding') as encoding, current_setting('fsync') = 'on' as fsync,
       current_setting('full_page_writes') = 'on' as "fullPageWrites", current_setting('synchronous_commit') <> 'off' as "synchronousCommit",
       current_setting('autovacuum') = 'on' as autovacuum,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) as connections,
       current_user as role, (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isExemptFromRowSecurity",
       pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  )
  const [row] = rows
  if (!row) throw new Error('the database did not say what it is')
  return row
}

/** Beyond this, tokens, schedules and limits of processes on different machines disagree. */
export const MAX_CLOCK_SKEW_MS = 2_000

/** By how much the clock of this machine is ahead of the database's, in milliseconds. */
export async function measureClockSkew(db: Db): Promise<number> {
  const askedAt = Date.now()
  const now = await databaseTime(db)
  return (askedAt + Date.now()) / 2 - now.getTime()
}

/** Facts about a server with the extension Citus. */
export interface Citus {
  version: string
  /** Active nodes beside the one that is asked. */
  workers: number
  /** Nodes that are not active. */
  inactive: number
  /** Our tables that it manages: spread over nodes, copied to all, or noted for keys between them. */
  tables: string[]
}

/** Node of a cluster, the coordinator among them, as `host:port`. */
export interface CitusNode {
  name: string
  /** Whether it is active and can be reached from the coordinator. */
  isThere: boolean
  /** Null where it did not say. */
  synchronousCommit: string | null
}

export async function readCitusNodes(db: Db): Promise<CitusNode[]> {
  const { rows } = await db.query<CitusNode>(
    `select nodename || ':' || nodeport as name, isactive and citus_check_connection_to_node(nodename, nodeport) as "isThere",
       c.result as "synchronousCommit"
     from pg_dist_node n left join run_command_on_all_nodes('show synchronous_commit') c on c.nodeid = n.nodeid and c.success order by 1`,
  )
  return rows
}

/** Null where the database has no Citus. */
export async function findCitus(db: Db): Promise<Citus | null> {
  const { rows } = await db.query<{ version: string }>(`select extversion as version from pg_extension where extname = 'citus'`)
  if (!rows[0]) return null
  const found = await db.query<Omit<Citus, 'version'>>(
    `select (count(*) filter (where isactive and groupid <> 0))::int as workers, (count(*) filter (where not isactive))::int as inactive,
       array(select c.relname::text from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
         where c.relnamespace = current_schema()::regnamespace order by 1) as tables
     from pg_dist_node`,
  )
  const [facts] = found.rows
  if (!facts) throw new Error('a count gives one row')
  return { ...rows[0], ...facts }
}
