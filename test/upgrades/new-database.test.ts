import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Db } from '../../src/store/db/database.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { MIGRATIONS, readMigrations } from '../../src/store/db/migration-files.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'

/** Everything of a schema that a migration can set, one line each. */
const SCHEMA = `
  with own as (select * from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'i', 'v', 'S'))
  select concat_ws(' ', 'relation', relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions::text,
    relreplident, relacl::text) as line from own
  union all select concat_ws(' ', 'column', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    a.attgenerated, a.attidentity, a.attcompression, a.attstorage, a.attstattarget, pg_get_expr(d.adbin, d.adrelid))
    from own c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind <> 'i'
  union all select concat_ws(' ', 'index', c.relname, x.indisvalid, x.indisready, x.indisunique, x.indisprimary, pg_get_indexdef(c.oid))
    from own c join pg_index x on x.indexrelid = c.oid
  union all select concat_ws(' ', 'constraint', c.relname, k.conname, k.convalidated, pg_get_constraintdef(k.oid))
    from own c join pg_constraint k on k.conrelid = c.oid
  union all select concat_ws(' ', 'policy', p.*) from pg_policies p where schemaname = current_schema()
  union all select concat_ws(' ', 'trigger', c.relname, pg_get_triggerdef(t.oid), t.tgenabled) from own c join pg_trigger t on t.tgrelid = c.oid where not t.tgisinternal
  union all select concat_ws(' ', 'function', oid::regprocedure::text, md5(pg_get_functiondef(oid))) from pg_proc
    where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all select concat_ws(' ', 'type', typname, typtype) from pg_type where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd')
  union all select concat_ws(' ', 'statistics', stxname, pg_get_statisticsobjdef(oid)) from pg_statistic_ext where stxnamespace = current_schema()::regnamespace
  union all select concat_ws(' ', 'extension', extname, extversion) from pg_extension
  union all select concat_ws(' ', 'migration', name, checksum, oldest_release) from schema_migrations
  order by line`

const made: TestDatabase[] = []
afterAll(async () => {
  for (const each of made) await each.drop()
})

async function newDatabase() {
  const one = await testDatabase({ migrated: false })
  made.push(one)
  return one.database
}

async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(SCHEMA)
  return rows.map(({ line }) => line)
}

test('a new database gets the schema, to the last line, that files run one by one make', async () => {
  const [atOnce, oneByOne] = [await newDatabase(), await newDatabase()]
  const names = (await readMigrations()).map(({ name }) => name)
  const folder = await mkdtemp(join(tmpdir(), 'first-migration-'))
  await cp(join(MIGRATIONS, names[0] ?? ''), join(folder, names[0] ?? ''))
  expect(await migrate(oneByOne, folder)).toEqual(names.slice(0, 1))
  expect(await migrate(oneByOne)).toEqual(names.slice(1))
  await rm(folder, { recursive: true })

  expect(await migrate(atOnce)).toEqual(names)
  const { rows } = await atOnce.query('select from schema_migrations group by applied_at')
  expect(rows, 'one transaction').toHaveLength(1)
  const [expected, schema] = [await schemaOf(oneByOne), await schemaOf(atOnce)]
  expect(schema.length).toBeGreaterThan(1_000)
  expect(schema).toEqual(expected)
  expect(await migrate(atOnce)).toEqual([])
})
