import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statementsOf } from '../../src/store/db/cluster/migrate-nodes.ts'
import { listPendingFunctions, replaceFunctions } from '../../src/store/db/functions.ts'
import { migrate, upgradeSchema } from '../../src/store/db/migrate.ts'
import { MIGRATIONS, readMigrations } from '../../src/store/db/migration-files.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus } from './cluster-database.ts'
import { BEFORE_CITUS, findClusterFaults } from './migration-rules.ts'
import { addPublished } from './published.ts'
import { type Published, recordStatements } from './record-statements.ts'
import { NEVER_ON_CLUSTER } from './statement-lists.ts'

const FK = 'foreign key (company_id, instance_id)'

/** What later migrations may do to distributed tables, in the order in which they are tried. */
const ALLOWED = [
  "alter table record_versions add column next_kind text not null default 'plain'",
  'alter table raw_pages add column next_size bigint',
  'alter table raw_pages add constraint raw_pages_size check (next_size > 0) not valid',
  'alter table raw_pages validate constraint raw_pages_size',
  'alter table raw_pages drop constraint raw_pages_size',
  'alter table raw_pages add check (id is not null) not valid',
  'alter table raw_pages alter next_size set default 1',
  'create index sync_runs_next on sync_runs (instance_id, reason, started_at)',
  'create unique index source_files_next on source_files (instance_id, company_id, id)',
  `comment on column raw_pages.next_size is 'bytes; of the answer'`,
  `comment on table raw_pages is 'as they came'`,
  'create unique index publications_next on publications (company_id, key)',
  'alter table record_coverage add column next_key text',
  'alter table record_coverage add foreign key (company_id, next_key) references publications (company_id, key)',
  'drop index sync_runs_next',
  'alter table raw_pages drop column next_size',
  `create table next_things (instance_id uuid not null references instances (id), id uuid not null, primary key (instance_id, id))`,
  `select enforce_instance_isolation('next_things')`,
  `create function next_double(n integer) returns integer language plpgsql as $$ begin
  return n * 2; -- of what; it says
end $$`,
  'analyze raw_pages',
]

/** What Citus, or the service on it, cannot do, with the sentence that says so. */
const REFUSED: readonly [sql: string, fault: RegExp][] = [
  ['create unique index sync_runs_once on sync_runs (instance_id, id)', /has to contain company_id/],
  ['alter table raw_pages add constraint once unique (id)', /has to contain company_id/],
  ['alter table raw_pages add column other uuid unique', /has to contain company_id/],
  [
    `alter table raw_pages add constraint of_instance foreign key (instance_id) references instances (id)`,
    /to one of the coordinator \(instances\)/,
  ],
  [`create table of_runs (company_id uuid, id uuid, foreign key (id) references sync_runs (id))`, /to a distributed one \(sync_runs\)/],
  [
    `alter table companies add constraint x ${FK} references publications (company_id, instance_id)`,
    /to a distributed one \(publications\)/,
  ],
  ['create trigger t after insert on raw_pages for each row execute function fill_company_id()', /refuses triggers/],
  ['create policy p on raw_pages using (instance_id = (select id from instances limit 1))', /a policy of their own/],
  ['alter table raw_pages drop column company_id', /cannot be dropped/],
  ['alter table raw_pages add column other bigint check (other > 0)', /not part of a column/],
]

/** Not tried, or refused for what the service would do with it. */
const UNTRIED = [
  'alter table raw_pages alter company_id type text',
  'alter table public.raw_pages add column other text',
  'create view pages as select * from raw_pages',
  'alter table raw_pages add column at timestamptz default clock_timestamp()',
  'update raw_pages set raw_index = 1',
  'truncate raw_pages',
  'drop table raw_pages',
  `select enforce_instance_isolation('raw_pages')`,
  'do $$ begin alter table raw_pages add column x text; end $$',
  `create function f() returns void language sql as 'delete from raw_pages'`,
]

describe('the rule for migrations that change distributed tables', () => {
  it('every later migration can run on a cluster', async () => {
    const later = (await readMigrations()).filter(({ name }) => name > BEFORE_CITUS)
    for (const { name, sql } of later) expect([name, await findClusterFaults(sql)]).toEqual([name, []])
  })

  it.each(ALLOWED)('allows %s', async (sql) => expect(await findClusterFaults(sql)).toEqual([]))

  it.each(REFUSED)('refuses %s', async (sql, fault) => expect(await findClusterFaults(sql)).toEqual([expect.stringMatching(fault)]))

  it.each(UNTRIED)('refuses what was never tried: %s', async (sql) => expect(await findClusterFaults(sql)).toHaveLength(1))

  it('a migration is divided where its statements end, and nowhere else', () => {
    const body = "create function f() returns text language sql as $x$ select 'a;' -- b;\n; $x$"
    expect(statementsOf(`-- one; two\nselect ';';\n${body};\n/* ; */ select "a;b"; \n`)).toEqual([
      `select ';'`,
      body,
      '/* ; */ select "a;b"',
    ])
  })
})

describe.skipIf(lacksCitus)(`an upgrade of a deployment on a cluster${citusNote}`, () => {
  let folder: string
  let cluster: ClusterDatabase
  let of: Published
  const write = async (name: string, sql: string) => await writeFile(join(folder, name), sql)
  /** Fails without having changed anything. */
  const attempt = async (number: number, sql: string) => {
    const name = `990-attempt-${number}.sql`
    await write(name, sql)
    const done = await migrate(cluster.database, folder).catch((error: Error) => error)
    await rm(join(folder, name))
    return done
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-cluster-migrations-'))
    await cp(MIGRATIONS, folder, { recursive: true, filter: (path) => !path.endsWith('.sql') || basename(path) < BEFORE_CITUS })
    // The deployment of an earlier commit, which lacks the migrations from this one on.
    cluster = await clusterDatabase({ workers: 2, hasOwner: true, migrations: folder })
  }, 240_000)
  afterAll(async () => {
    await cluster?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('a start runs the migrations that it lacks, and the service works', async () => {
    expect(cluster.database.isDistributed).toBe(true)
    const names = (await readMigrations()).map(({ name }) => name)
    expect(await upgradeSchema(cluster.database)).toEqual(names.slice(names.indexOf(BEFORE_CITUS)))
    await cp(MIGRATIONS, folder, { recursive: true })
    of = await addPublished(cluster.database)
    await everyStatementWorks()
  }, 240_000)

  it('migrations of later releases change tables that have rows, on every node, and the service works on', async () => {
    await write('980-next.sql', `${ALLOWED.join(';\n')};\n`)
    await write(
      '981-next-index.sql',
      '-- Transaction: none\ncreate index concurrently if not exists raw_pages_next on raw_pages (instance_id, fetched_at);\n' +
        'drop index concurrently if exists raw_pages_next;\ncreate index concurrently if not exists sync_runs_later on sync_runs (instance_id, reason);\n',
    )
    expect(await migrate(cluster.database, folder)).toEqual(['980-next.sql', '981-next-index.sql'])
    expect(await migrate(cluster.database, folder)).toEqual([])
    await everyStatementWorks()
    const { rows } = await cluster.database.query('select next_kind from record_versions where company_id = $1', [of.companyId])
    expect(rows).toEqual([{ next_kind: 'plain' }])
    for (const index of ['sync_runs_later', 'source_files_next']) expect(await invalidShardsOf(index)).toEqual(['0 of 6'])
  }, 240_000)

  it('newer SQL functions replace those that are there', async () => {
    const functions = join(folder, 'functions')
    await cp(join(MIGRATIONS, '..', 'functions'), functions, { recursive: true })
    const names = await listPendingFunctions(cluster.database, functions)
    expect(names).toEqual([])
    for (const name of await readdir(functions)) {
      const text = await readFile(join(functions, name), 'utf8')
      await writeFile(
        join(functions, name),
        text.replace(/^-- Version: (\d+)/, (_, version: string) => `-- Version: ${Number(version) + 1}`),
      )
    }
    expect((await replaceFunctions(cluster.database, functions)).length).toBeGreaterThan(8)
    await everyStatementWorks()
  }, 240_000)

  it('what the rule refuses for Citus, Citus refuses: the migration fails, and nothing has changed', async () => {
    for (const [number, [sql]] of REFUSED.entries()) {
      const done = await attempt(number, `create table half_${number} (id integer);\n${sql};\n`)
      expect([sql, done instanceof Error]).toEqual([sql, true])
      const { rowCount } = await cluster.database.query(`select from pg_class where relname = 'half_${number}'`)
      expect([sql, rowCount]).toEqual([sql, 0])
    }
    await everyStatementWorks()
  }, 240_000)

  async function everyStatementWorks(): Promise<void> {
    for (const [name, run] of Object.entries(recordStatements(of))) if (!NEVER_ON_CLUSTER.includes(name)) await run(cluster.database)
  }

  /** How many of its indexes on shards are missing or invalid. */
  async function invalidShardsOf(index: string): Promise<string[]> {
    const { rows } = await cluster.admin.query<{ nodes: string }>(
      `select result as nodes from run_command_on_all_nodes($$ select count(*) filter (where not indisvalid) || ' of ' || count(*) from pg_index i
         join pg_class c on c.oid = i.indexrelid where c.relname ~ '^${index}_[0-9]+$' $$)`,
    )
    const counts = rows.map(({ nodes }) => nodes.split(' of ').map(Number))
    const total = (at: number) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0)
    return [`${total(0)} of ${total(1)}`]
  }
})
