import { isDistributedTable } from '../db/cluster/distributed-tables.ts'
import type { Db } from '../db/database.ts'
import type { NodeLoad } from './load-nodes.ts'
import { quoted } from './tables.ts'

/**
 * Objects that are dropped before rows are loaded and created again afterwards, which is faster than updating them.
 */
export interface DerivedObjects {
  /** Tables with FORCE ROW LEVEL SECURITY, under which PostgreSQL refuses COPY. */
  forced: string[]
  triggered: string[]
  /** Statements with their tables, in the order in which they can run. */
  recreate: { table: string; statement: string }[]
}

interface Definition {
  table: string
  name: string
  definition: string
}

/** Drops indexes and constraints, and disables triggers and forced row-level security. Call it within a transaction. */
export async function dropDerived(db: Db): Promise<DerivedObjects> {
  const foreign = await listConstraints(db, ['f'])
  const unique = await listConstraints(db, ['p', 'u', 'x'])
  const forced = await listNames(db, `select relname::text as name from pg_class c where ${OURS} and relforcerowsecurity order by 1`)
  const triggered = await listNames(
    db,
    `select distinct relname::text as name from pg_class c join pg_trigger t on t.tgrelid = c.oid where ${OURS} and not t.tgisinternal order by 1`,
  )
  for (const { table, name } of [...foreign, ...unique]) await db.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`)
  const indexes = await listIndexes(db)
  for (const { name } of indexes) await db.query(`drop index ${quoted(name)}`)
  for (const table of forced) await db.query(`alter table ${quoted(table)} no force row level security`)
  for (const table of triggered) await db.query(`alter table ${quoted(table)} disable trigger user`)
  const toStatement = ({ table, name, definition }: Definition) => ({
    table,
    statement: `alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`,
  })
  return {
    forced,
    triggered,
    recreate: [
      ...unique.map(toStatement),
      ...indexes.map(({ table, definition }) => ({ table, statement: definition })),
      ...foreign.map(toStatement),
    ],
  }
}

/** Recreates what `dropDerived` dropped. On a cluster `nodes` changes the distributed tables, which force nothing on their owner. */
export async function recreateDerived(db: Db, { forced, triggered, recreate }: DerivedObjects, nodes: NodeLoad | null): Promise<void> {
  for (const { table, statement } of recreate) await (nodes ? nodes.own(table, () => db.query(statement)) : db.query(statement))
  for (const table of triggered) await db.query(`alter table ${quoted(table)} enable trigger user`)
  for (const table of forced)
    if (nodes === null || !isDistributedTable(table)) await db.query(`alter table ${quoted(table)} force row level security`)
}

const OURS = `c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`

async function listConstraints(db: Db, types: readonly string[]): Promise<Definition[]> {
  const { rows } = await db.query<Definition>(
    `select c.relname::text as table, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where ${OURS} and k.contype::text = any($1) and k.conparentid = 0 order by 1, 2`,
    [types],
  )
  return rows
}

/** Call it when no constraint has an index any more. */
async function listIndexes(db: Db): Promise<Definition[]> {
  const { rows } = await db.query<Definition>(
    `select c.relname::text as table, i.relname::text as name, pg_get_indexdef(i.oid) as definition
     from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
     where ${OURS} and not i.relispartition order by 1, 2`,
  )
  return rows
}

async function listNames(db: Db, text: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(text)
  return rows.map(({ name }) => name)
}
