import type { Db } from '../../src/store/db/database.ts'

/** Schema as other releases depend on it: names with their definitions, as printed by PostgreSQL. */
export interface Schema {
  /** `table.column`: type, `not null`, default or generation. */
  columns: Readonly<Record<string, Column>>
  /** `table.constraint`. */
  constraints: Readonly<Record<string, string>>
  /** `index`; those of constraints are not listed. */
  indexes: Readonly<Record<string, UniqueIndex>>
  /** `name(argument types)`: result. */
  functions: Readonly<Record<string, string>>
  /** `table.trigger`. */
  triggers: Readonly<Record<string, string>>
}

interface Column {
  type: string
  isNullable: boolean
  hasDefault: boolean
}

interface UniqueIndex {
  table: string
  isUnique: boolean
  definition: string
}

const QUERY = `
  with tables as (
    select oid, relname from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
  )
  select
    (select coalesce(jsonb_object_agg(t.relname || '.' || a.attname, jsonb_build_object('type', format_type(a.atttypid, a.atttypmod),
       'isNullable', not a.attnotnull, 'hasDefault', a.atthasdef or a.attidentity <> '') order by t.relname, a.attname), '{}')
     from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(jsonb_object_agg(t.relname || '.' || c.conname, pg_get_constraintdef(c.oid) order by t.relname, c.conname), '{}')
     from tables t join pg_constraint c on c.conrelid = t.oid and c.contype <> 'n') as constraints,
    (select coalesce(jsonb_object_agg(i.relname, jsonb_build_object('table', t.relname, 'isUnique', x.indisunique, 'definition', pg_get_indexdef(i.oid))
       order by i.relname), '{}')
     from tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
     where not exists (select from pg_constraint c where c.conindid = i.oid and c.conrelid = t.oid)) as indexes,
    (select coalesce(jsonb_object_agg(p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', coalesce(pg_get_function_result(p.oid), '')
       order by p.proname, pg_get_function_identity_arguments(p.oid)), '{}')
     from pg_proc p where p.pronamespace = current_schema()::regnamespace) as functions,
    (select coalesce(jsonb_object_agg(t.relname || '.' || g.tgname, pg_get_triggerdef(g.oid) order by t.relname, g.tgname), '{}')
     from tables t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal) as triggers`

export async function readSchema(db: Db): Promise<Schema> {
  const { rows } = await db.query<{ [Part in keyof Schema]: Schema[Part] }>(QUERY)
  const [schema] = rows
  if (!schema) throw new Error('the schema could not be read')
  return schema
}
