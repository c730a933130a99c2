import type { Db } from './database.ts'

export interface Storage {
  databaseBytes: number
  /** Largest tables, indexes included; partitions count for their table. */
  tables: { name: string; bytes: number }[]
}

/** Disk usage of the whole deployment. */
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

/** Rate limit pause requested by a source for all calls with one app's keys. */
export interface Pause {
  connectorKey: string
  until: Date
}

/** Pauses of sources, the longest of each; for some books or for the whole app. */
export async function listPauses(db: Db): Promise<Pause[]> {
  const { rows } = await db.query<Pause>(
    `select split_part(connector_key, '#', 1) as "connectorKey", max(until) as until from source_pauses where until > statement_timestamp()
     group by 1 order by 1`,
  )
  return rows
}

/** Number of live workers, and the sum of their slots. */
export async function countWorkers(db: Db): Promise<{ workers: number; slots: number }> {
  const { rows } = await db.query<{ workers: number; slots: number }>(
    `select count(*)::int as workers, coalesce(sum(w.slots), 0)::int as slots from workers w where ${isLiving('w')}`,
  )
  return rows[0] ?? { workers: 0, slots: 0 }
}

/** A worker without a sign of life for this long counts as dead. */
const DEAD_AFTER_SECONDS = 75

/**
 * SQL condition: the worker in row `alias` of `workers` lives. Its signs are a heartbeat, and while nothing happens the
 * lock of its session for notifications, which writes nothing.
 * Source: https://www.postgresql.org/docs/18/view-pg-locks.html
 */
export function isLiving(alias: string): string {
  return `(${alias}.seen_at >= statement_timestamp() - interval '${DEAD_AFTER_SECONDS} seconds' or exists (
    select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and (l.classid::int8 << 32 | l.objid::int8) = ${presenceLockOf(`${alias}.id::text`)}))`
}

/** SQL of the key of this lock; PostgreSQL shows its halves as `classid` and `objid`. */
export function presenceLockOf(id: string): string {
  return `hashtextextended('worker/' || ${id}, 0)`
}
