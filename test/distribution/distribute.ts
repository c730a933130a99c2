import type { ClusterDatabase } from './cluster-database.ts'
import { DISTRIBUTION_KEYS } from './tables.ts'

const OWNER = 'countinghouse_owner'
const ALL_OR_OWN = `coalesce(current_setting('countinghouse.instance') = '*' or current_setting('countinghouse.instance') = instance_id::text, false)`
const FIRST = 'record_versions'

/**
 * Spreads the tables over the nodes by their company, as docs/decisions/0078 plans it: together, with the key in each
 * unique index, a policy without a subquery, no triggers and no foreign keys to tables of the coordinator, and whole old
 * rows in what a moved shard is brought up to date with. Another role than the service's owns them: a shard that is
 * moved is written to by the owner, whom forced row-level security would stop, and so would COPY be, with which the rows
 * that are there are sent.
 */
export async function distributeRecords({ admin }: ClusterDatabase): Promise<void> {
  const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [OWNER])
  if (rowCount === 0) await admin.query(`create role ${OWNER} login`)
  await admin.query(`grant all on schema public to ${OWNER}`)
  const others = Object.keys(DISTRIBUTION_KEYS).filter((table) => table !== FIRST)
  for (const table of [FIRST, ...others]) {
    const statements = await admin.query<{ text: string }>(READY, [table])
    for (const text of [
      ...statements.rows.map((row) => row.text),
      ...[`drop policy one_instance on ${table}`, `alter table ${table} no force row level security`],
      `create policy one_instance on ${table} using (${ALL_OR_OWN}) with check (${ALL_OR_OWN})`,
      ...[`alter table ${table} owner to ${OWNER}`, `grant select, insert, update, delete on ${table} to countinghouse`],
      `select create_distributed_table('${table}', 'company_id'${table === FIRST ? '' : `, colocate_with => '${FIRST}'`})`,
      `alter table ${table} replica identity full`,
    ])
      await admin.query(text)
  }
}

/** Statements that drop foreign keys and triggers of a table, and add the key to each unique index that lacks it. */
const READY = `
  select 'alter table ' || $1 || ' drop constraint ' || quote_ident(conname) as text from pg_constraint where conrelid = $1::regclass and contype = 'f'
  union all select 'drop trigger ' || quote_ident(tgname) || ' on ' || $1 from pg_trigger where tgrelid = $1::regclass and not tgisinternal
  union all select unnest(array[
      case when k.oid is null then 'drop index ' || i.indexrelid::regclass else 'alter table ' || $1 || ' drop constraint ' || quote_ident(k.conname) || ' cascade' end,
      replace(regexp_replace(pg_get_indexdef(i.indexrelid), ' USING btree \\((.*?)\\)', ' USING btree (\\1, company_id)'), 'public.', '')])
    from pg_index i left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u')
    where i.indrelid = $1::regclass and i.indisunique
      and not exists (select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey) and a.attname = 'company_id')`
