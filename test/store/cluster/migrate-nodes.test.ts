import { beforeEach, describe, expect, it } from 'vitest'
import { NodeMigration, statementsOf } from '../../../src/store/db/cluster/migrate-nodes.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { isOnCluster, serverNote } from '../../harness/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { watched } from '../../records/record-store.ts'
import { plainCluster } from './plain-cluster.ts'

describe('a migration is divided', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '', []],
    ['blanks and ends alone', ' ;\n; ', []],
    ['without an end', 'select 1', ['select 1']],
    ['with several', 'select 1; select 2 ;', ['select 1', 'select 2']],
    ['without line comments', '-- first; one\nselect 1; -- last;\n', ['select 1']],
    ['with an end in other comments', 'select /* a; b */ 1; select 2', ['select /* a; b */ 1', 'select 2']],
    ['with an end in a text', `select 'a;b', 'it''s;'; select 2`, [`select 'a;b', 'it''s;'`, 'select 2']],
    ['with an end in a name', 'alter table a add "b;c" int; select 2', ['alter table a add "b;c" int', 'select 2']],
    ['with an end in a body', 'do $$ begin; end $$; select 2', ['do $$ begin; end $$', 'select 2']],
    ['with a named body in it', 'do $x$ $$ ; $$ $x$; select 2', ['do $x$ $$ ; $$ $x$', 'select 2']],
    ['with what only looks like a comment or a body', `select 4 / 2 - 1, $1; select 2`, ['select 4 / 2 - 1, $1', 'select 2']],
    ['over several lines', 'create table a (\n  b int\n);\n\nselect 2', ['create table a (\n  b int\n)', 'select 2']],
  ])('%s', (_what, sql, statements) => expect(statementsOf(sql)).toEqual(statements))
})

/** Statements that a migration of distributed tables consists of, and of others. */
const OF_NODES = [
  'alter table raw_pages add column next_size bigint',
  'ALTER  TABLE\n  raw_pages alter next_size set default 1',
  'alter table if exists raw_pages alter next_size set default 2',
  'alter table only raw_pages alter next_size set default 3',
  'alter table if exists only raw_pages alter next_size set default 4',
  'create index raw_pages_next on raw_pages (next_size)',
  'create index if not exists raw_pages_next on raw_pages (next_size)',
  'create index on only raw_pages (next_size)',
  'create unique index source_files_next on source_files (company_id, instance_id, id)',
  `comment on table raw_pages is 'as they came'`,
  `comment on column raw_pages.next_size is 'bytes; of the answer'`,
  'analyze sync_runs',
  'drop index source_files_next',
  'drop index if exists "raw_pages_next"',
]
const OF_SERVICE = [
  'create table next_things (id integer primary key, name text)',
  'alter table next_things add column raw_pages bigint',
  'alter table if exists raw_pages_of_nobody add column a int',
  'create index next_things_by_name on next_things (name)',
  'drop index next_things_by_name',
  'drop index if exists source_files_none',
  `comment on table next_things is 'alter table raw_pages'`,
  'comment on column next_things.raw_pages is null',
  'analyze next_things',
  'analyze',
  'select count(*) from raw_pages',
  'update next_things set raw_pages = 1',
]

describe.skipIf(isOnCluster)(`a migration on a cluster${serverNote}`, () => {
  const cluster = plainCluster()
  const plain = databaseForTests()
  const texts: string[] = []

  beforeEach(() => {
    texts.length = 0
  })

  async function open(): Promise<NodeMigration> {
    const migration = await NodeMigration.open(cluster.database)
    if (migration === null) throw new Error('the tables are not distributed')
    return migration
  }
  /** What looks up the table of an index is no statement of the migration. */
  const note = (text: string) => {
    if (!text.startsWith('select indrelid')) texts.push(text)
  }
  const asOwner = (text: string) => [`set local role ${cluster.owner}`, text, 'reset role']

  it('is none of nodes where the tables are on one server', async () => {
    expect(await NodeMigration.open(plain.database)).toBeNull()
    await plain.database.query('create table two_phase_commits ()')
    expect(await NodeMigration.open(plain.database)).not.toBeNull()
    await plain.database.query('alter table record_versions rename to others')
    expect(await NodeMigration.open(plain.database)).toBeNull()
  })

  it('changes distributed tables as their owner, and all else as the service', async () => {
    const migration = await open()
    const [changes, others] = [OF_NODES, OF_SERVICE]
    await inTransaction(cluster.database, async (db) => {
      await migration.runWithin(watched(db, note), `${[...changes, ...others].join(';\n')};`, 1_234)
      const { rows } = await db.query(
        `select current_user as role, current_setting('lock_timeout') as timeout, current_setting('citus.multi_shard_modify_mode') as mode,
           current_setting('citus.propagate_set_commands') as propagated, (select tableowner from pg_tables where tablename = 'next_things') as owner`,
      )
      expect(rows).toEqual([{ role: cluster.role, timeout: '1234ms', mode: 'sequential', propagated: 'local', owner: cluster.role }])
    })
    expect(texts).toEqual([
      'savepoint before_nodes',
      `set local citus.propagate_set_commands = 'local'`,
      'set local lock_timeout = 1234',
      `set local citus.multi_shard_modify_mode = 'sequential'`,
      ...changes.flatMap(asOwner),
      ...others,
    ])
    const { rows } = await cluster.admin.query(
      `select column_default as value from information_schema.columns where table_name = 'raw_pages' and column_name = 'next_size'`,
    )
    expect(rows).toEqual([{ value: expect.stringContaining('4') }])
  })

  it('runs what cannot be in a transaction as the owner too, and leaves the session as the service', async () => {
    const migration = await open()
    const client = await cluster.database.connect()
    const session = watched(client, note)
    const alone = [
      'create index concurrently if not exists sync_runs_next on sync_runs (instance_id, reason)',
      'create unique index concurrently sync_runs_own on sync_runs (company_id, instance_id, id)',
      'drop index concurrently if exists sync_runs_next',
      'drop index concurrently sync_runs_own',
    ]
    try {
      for (const text of [...alone, 'create index concurrently companies_next on companies (name)']) await migration.runAlone(session, text)
      expect((await client.query('select current_user as role')).rows).toEqual([{ role: cluster.role }])
    } finally {
      client.release(true)
    }
    expect(texts).toEqual([
      ...alone.flatMap((text) => [`set role ${cluster.owner}`, text, 'reset role']),
      'create index concurrently companies_next on companies (name)',
    ])
  })
})
