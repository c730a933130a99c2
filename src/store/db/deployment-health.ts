import type { Db } from './database.ts'

export interface Storage {
  databaseBytes: number
  /** The largest, with their indexes; the parts of a table count for the whole. */
  tables: { name: string; bytes: number }[]
}

/** How much room everything takes that this deployment keeps. */
export async function readStorage(db: Db, most: number): Promise<Storage> {
  const { rows: whole } = await db.query<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes')
  const { rows: tables } = await db.query<Storage['tables'][number]>(
    `select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid))::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_inherits i on i.inhrelid = c.oid
     where n.nspname = current_schema() and c.relkind = 'r'
     group by 1 order by 2 desc, 1 limit $1`,
    [most],
  )
  return { databaseBytes: whole[0]?.bytes ?? 0, tables }
}

/** A source that asked everybody who calls it with one app's keys to wait. */
export interface Pause {
  connectorKey: string
  until: Date
}

/** For how long sources asked not to be called, the longest pause of each; for some books alone or for all. */
export async function listPauses(db: Db): Promise<Pause[]> {
  const { rows } = await db.query<Pause>(
    `select split_part(connector_key, '#', 1) as "connectorKey", max(until) as until from source_pauses where until > statement_timestamp()
     group by 1 order by 1`,
  )
  return rows
}

/** Workers that have been heard of within the last 75 seconds, and how many jobs they run at once. */
export async function countWorkers(db: Db): Promise<{ workers: number; slots: number }> {
  const { rows } = await db.query<{ workers: number; slots: number }>(
    `select count(*)::int as workers, coalesce(sum(slots), 0)::int as slots from workers where seen_at >= statement_timestamp() - interval '75 seconds'`,
  )
  return rows[0] ?? { workers: 0, slots: 0 }
}
