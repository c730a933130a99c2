import { expect, it } from 'vitest'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { findFreePort, runToEnd } from '../process/service.ts'

const folder = folderForTests()
const test = databaseForTests({ migrated: false })

it('a start on a PostgreSQL that is too old ends at once, says which is needed, and changes nothing', async () => {
  const { database } = test
  await database.query(`
    create schema older;
    create function older.current_setting(name text) returns text language sql as $$
      select case name when 'server_version' then '14.11' when 'server_version_num' then '140011' else pg_catalog.current_setting(name) end $$;
    do $$ begin execute format('alter database %I set search_path = older, pg_catalog, public', current_database()); end $$`)
  const environment = { DATABASE_URL: test.url, ENVIRONMENT: 'production', ROLE: 'worker', DATA_DIR: folder.path }
  const { code, stderr } = await runToEnd({ ...environment, PORT: String(await findFreePort()) })
  expect([code, stderr]).toEqual([1, expect.stringContaining('PostgreSQL 14.11 is too old; it has to be 15 or newer')])
  expect((await database.query(`select from pg_tables where schemaname in ('public', 'older')`)).rows).toEqual([])
})
