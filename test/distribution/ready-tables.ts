import { TWO_PHASE_TABLE } from '../../src/store/db/cluster/cluster-transaction.ts'
import type { Db } from '../../src/store/db/database.ts'
import { DISTRIBUTION_KEYS } from './tables.ts'

/**
 * Prepares the tables for Citus: no triggers, no foreign keys, and the distribution key in each unique index. On any
 * PostgreSQL the service then has to work as on a cluster.
 */
export async function readyTables(db: Db): Promise<void> {
  await db.query(`create table ${TWO_PHASE_TABLE} (id integer primary key, note text)`)
  for (const table of Object.keys(DISTRIBUTION_KEYS)) {
    const { rows } = await db.query<{ text: string }>(READY, [table])
    for (const { text } of rows) await db.query(text)
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
