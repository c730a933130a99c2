import { expect, it } from 'vitest'
import { databaseForTests } from '../harness/for-tests.ts'

/**
 * First id of objects that are not PostgreSQL's own.
 * Source: https://www.postgresql.org/docs/current/system-catalog-initial-data.html
 */
const FIRST_OWN_ID = 16_384

const test = databaseForTests()

it('has no objects that a backup would miss: no sequences, large objects, views or partitions', async () => {
  const { rows } = await test.database.query(
    `select relname, relkind from pg_class where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i', 't')
     union all select 'large object ' || oid, 'L' from pg_largeobject_metadata`,
  )
  expect(rows).toEqual([])
})

it('has only columns of types whose binary form is the same on every server', async () => {
  const { rows } = await test.database.query(
    `select c.relname, a.attname, a.atttypid::regtype::text as type from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.atttypid >= ${FIRST_OWN_ID}`,
  )
  expect(rows).toEqual([])
})

it('has all tables in the write-ahead log, except staging tables', async () => {
  const { rows } = await test.database.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence <> 'p' order by 1`,
  )
  expect(rows.map(({ relname }) => relname)).toEqual(['recent_changes', 'recent_changes_epoch', 'staged_records', 'staged_runs'])
})
