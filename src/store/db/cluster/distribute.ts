import { UnsupportedDatabase } from '../connection/unsupported-database.ts'
import type { Database, Db } from '../database.ts'
import { inTransaction } from '../database.ts'
import { announceFilled } from '../row-companies/fill-rows.ts'
import { TWO_PHASE_TABLE } from './cluster-transaction.ts'
import { DISTRIBUTED_TABLES, UNLOGGED_TABLES } from './distributed-tables.ts'

/** Rows of all instances, or of that of the scope. NOTE Citus refuses policies with a subquery. */
const ALL_OR_OWN = `coalesce(current_setting('countinghouse.instance') = '*' or current_setting('countinghouse.instance') = instance_id::text, false)`

/** Columns that `readyTables` adds, with their tables. */
export const CLUSTER_COLUMNS = [
  'publications.first_published_at',
  'unplaced_publications.version',
  'unplaced_publications.is_removed',
] as const

/**
 * Distributes the tables of a new database over the nodes of a cluster, in one transaction; true if they are distributed
 * now. Only before the first instance exists: no other process may be working on tables that move.
 *
 * The tables change their owner. A shard is moved by the owner’s writes, and rows are sent to it with COPY: forced
 * row-level security would prevent both. The service, bound by the policies because it is not the owner, must not inherit
 * the owner’s rights either.
 */
export async function distributeNew(database: Database): Promise<boolean> {
  if (await isDistributed(database)) return true
  if (!(await hasNodes(database))) return false
  return await inTransaction(database, async (db) => {
    await db.query('set local statement_timeout = 0')
    await db.query('set local idle_in_transaction_session_timeout = 0')
    await db.query('lock table schema_migrations in share row exclusive mode')
    if (await isDistributed(db)) return true
    const { rowCount } = await db.query('select from instances limit 1')
    const owner = rowCount === 0 ? await findOwner(db) : null
    if (owner === null) return false
    await announceFilled(db)
    await readyTables(db)
    await createOnNodes(db, owner)
    return true
  })
}

/** Role that will own the distributed tables of a database that begins on a cluster; null: they stay on the coordinator. */
export async function findOwnerOnNodes(db: Db): Promise<string | null> {
  return (await hasNodes(db)) ? await findOwner(db) : null
}

/** Distributes tables that `readyTables` has readied; in the same transaction. */
export async function createOnNodes(db: Db, owner: string): Promise<void> {
  for (const text of await statementsFor(db, owner)) await db.query(text)
}

/** Whether Citus distributes the tables of this deployment. */
export async function isDistributed(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(`select from pg_class where oid = to_regclass('${TWO_PHASE_TABLE}')`)
  return rowCount === 1
}

async function hasNodes(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(`select from pg_extension where extname = 'citus'`)
  if (rowCount === 0) return false
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`,
  )
  return (rows[0]?.count ?? 0) > 0
}

/** Role that will own the distributed tables; null where nobody has made one. */
async function findOwner(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ owner: string; isMember: boolean; inherits: boolean }>(
    `select quote_ident(rolname) as owner, pg_has_role(current_user, oid, 'MEMBER') as "isMember", pg_has_role(current_user, oid, 'USAGE') as inherits
     from pg_roles where rolname = current_user || '_owner'`,
  )
  const [role] = rows
  if (!role?.isMember) return null
  if (role.inherits)
    throw new UnsupportedDatabase(
      `the role of the service inherits the rights of ${role.owner}, so row-level security would not hold it; see docs/guides/citus.md`,
    )
  return role.owner
}

/**
 * Readies the tables: no triggers, no foreign keys, the distribution key in each unique index, and what a cluster keeps
 * besides. On any PostgreSQL the service then has to work as on a cluster.
 */
export async function readyTables(db: Db): Promise<void> {
  await db.query(`create table ${TWO_PHASE_TABLE} (id integer primary key, note text)`)
  await db.query('alter table publications add column first_published_at timestamptz')
  await db.query('alter table unplaced_publications add column version bigint, add column is_removed boolean')
  for (const table of DISTRIBUTED_TABLES) {
    const { rows } = await db.query<{ text: string }>(LIST_CHANGES, [table])
    for (const { text } of rows) await db.query(text)
  }
}

const LIST_CHANGES = `
  select 'alter table ' || $1 || ' drop constraint ' || quote_ident(conname) as text from pg_constraint
    where conrelid = $1::regclass and contype = 'f'
  union all select 'drop trigger ' || quote_ident(tgname) || ' on ' || $1 from pg_trigger where tgrelid = $1::regclass and not tgisinternal
  union all select unnest(array[
      case when k.oid is null then 'drop index ' || i.indexrelid::regclass else 'alter table ' || $1 || ' drop constraint ' || quote_ident(k.conname) || ' cascade' end,
      replace(regexp_replace(pg_get_indexdef(i.indexrelid), ' USING btree \\((.*?)\\)', ' USING btree (\\1, company_id)'), 'public.', '')])
    from pg_index i left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u')
    where i.indrelid = $1::regclass and i.indisunique
      and not exists (select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey) and a.attname = 'company_id')`

async function statementsFor(db: Db, owner: string): Promise<string[]> {
  const { rows } = await db.query<{ service: string }>('select quote_ident(current_user) as service')
  const [asking] = rows
  if (!asking) throw new Error('the database did not say who asks')
  const { service } = asking
  return [
    `set local citus.multi_shard_modify_mode = 'sequential'`,
    `select citus_add_local_table_to_metadata('${TWO_PHASE_TABLE}')`,
    ...DISTRIBUTED_TABLES.flatMap((table) => [
      ...(UNLOGGED_TABLES.includes(table) ? [`alter table ${table} set logged`] : []),
      `drop policy one_instance on ${table}`,
      `alter table ${table} no force row level security`,
      `create policy one_instance on ${table} using (${ALL_OR_OWN}) with check (${ALL_OR_OWN})`,
      `grant select, insert, update, delete on ${table} to ${service}`,
      `alter table ${table} owner to ${owner}`,
    ]),
    `set local role ${owner}`,
    ...DISTRIBUTED_TABLES.flatMap((table, index) => [
      `grant select, insert, update, delete on ${table} to ${service}`,
      `select create_distributed_table('${table}', 'company_id'${index === 0 ? '' : `, colocate_with => '${DISTRIBUTED_TABLES[0]}'`})`,
      `alter table ${table} replica identity full`,
    ]),
    'reset role',
  ]
}
