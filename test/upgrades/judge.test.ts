import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Migration } from '../../src/store/db/migration-files.ts'
import { testDatabase } from '../harness/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { findBreaches } from './compatibility.ts'
import { runAndJudge } from './effects.ts'
import { readSchema, type Schema } from './schema.ts'

const TABLES = `
  create table big (id int primary key, name text not null default '', note text, code int not null, unique (code));
  create unique index big_note on big (note);
  create function twice(n int) returns int language sql as 'select 2 * n'`

const at = databaseForTests({ migrated: false })
let released: Schema

beforeAll(async () => {
  await at.database.query(TABLES)
  released = await readSchema(at.database)
})

function toMigration(sql: string): Migration {
  return { name: '0001.sql', sql, checksum: createHash('sha256').update(sql).digest('hex'), oldestRelease: null, isTransactional: true }
}

/** Effects and breaches of a migration on a separate database. */
async function judge(migration: Migration): Promise<{ effects: string[]; breaches: string[] }> {
  const own = await testDatabase({ migrated: false })
  try {
    await own.database.query(TABLES)
    const effects = await runAndJudge(own.database, migration, new Set(['big']))
    return { effects, breaches: findBreaches(released, await readSchema(own.database)) }
  } finally {
    await own.drop()
  }
}

describe('a migration that the last release could not run with is refused', () => {
  it.each([
    ['alter table big drop column note', 'column big.note is gone'],
    ['alter table big rename column note to remark', 'column big.note is gone'],
    ['drop table big', 'column big.id is gone'],
    ['alter table big alter code type bigint', 'column big.code is bigint, it was integer'],
    ['alter table big alter note set not null', 'column big.note no longer takes null'],
    ['alter table big alter name drop default', 'column big.name has lost its default'],
    ['alter table big add column size int not null', 'column big.size is new, takes no null and has no default'],
    ['alter table big add check (code > 0)', 'constraint big.big_code_check is new: CHECK ((code > 0))'],
    ['alter table big drop constraint big_code_key', 'constraint big.big_code_key is gone, which `on conflict` may name'],
    [
      'create unique index big_name on big (name)',
      'unique index big_name is new: CREATE UNIQUE INDEX big_name ON public.big USING btree (name)',
    ],
    ['drop index big_note', 'unique index big_note is gone, which `on conflict` may name'],
    ['drop function twice', 'function twice(n integer) is gone; give a changed one a new name'],
    [
      "drop function twice; create function twice(n int) returns text language sql as 'select n::text'",
      'function twice(n integer) returns text, it returned integer',
    ],
    [
      'create function no() returns trigger language plpgsql as $$ begin return null; end $$; create trigger no before insert on big for each row execute function no()',
      'trigger big.no is new: CREATE TRIGGER no BEFORE INSERT ON public.big FOR EACH ROW EXECUTE FUNCTION no()',
    ],
  ])('%s', async (sql, breach) => {
    expect((await judge(toMigration(sql))).breaches).toContain(breach)
  })
})

describe('a migration that blocks others from a large table is refused', () => {
  it.each([
    ['alter table big alter code type bigint', 'it rewrites big'],
    ['alter table big add column at timestamptz default clock_timestamp()', 'it rewrites big'],
    ['alter table big set unlogged', 'it rewrites big'],
    ['alter table big alter note set not null', 'it reads all of big while it holds AccessExclusiveLock'],
    ['alter table big add constraint positive check (code > 0)', 'it reads all of big while it holds AccessExclusiveLock'],
    ['alter table big add column size int check (size > 0)', 'it reads all of big while it holds AccessExclusiveLock'],
    ['create index big_name on big (name)', 'it reads all of big while it holds ShareLock'],
    ['create table other (id int references big); insert into other select id from big', 'it reads all of big while it holds'],
    ['update big set note = name', 'it reads all of big while it holds'],
    ['insert into big (id, code) values (1, 1)', 'it fills big'],
  ])('%s', async (sql, effect) => {
    expect((await judge(toMigration(sql))).effects).toEqual([expect.stringContaining(effect)])
  })

  it('outside a transaction too', async () => {
    const sql = 'create index concurrently if not exists big_name on big (name);\nupdate big set note = name;\n'
    expect((await judge({ ...toMigration(sql), isTransactional: false })).effects).toEqual([
      'outside a transaction it may not: update big set note = name',
    ])
  })
})

describe('a migration that only adds passes', () => {
  it.each([
    'alter table big add column size int',
    "alter table big add column kind text not null default 'plain'",
    'alter table big add column size int; alter table big add constraint size_rule check (size > 0) not valid',
    'alter table big add constraint positive check (code > 0) not valid; alter table big drop constraint positive',
    'create table small (id int primary key, big_id int references big)',
    'create table small (id int primary key); insert into small values (1); create index on small (id)',
    'drop index if exists nothing',
    "create or replace function twice(n int) returns int language sql as 'select n + n'",
  ])('%s', async (sql) => {
    expect(await judge(toMigration(sql))).toEqual({ effects: [], breaches: [] })
  })

  it('a concurrently created index', async () => {
    const sql = '-- Transaction: none\ncreate index concurrently if not exists big_name on big (name);\n'
    expect(await judge({ ...toMigration(sql), isTransactional: false })).toEqual({ effects: [], breaches: [] })
  })
})
