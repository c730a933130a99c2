import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { awaitDatabase } from '../../../src/store/db/await-database.ts'
import { TWO_PHASE_TABLE } from '../../../src/store/db/cluster/cluster-transaction.ts'
import { DISTRIBUTED_TABLES } from '../../../src/store/db/cluster/distributed-tables.ts'
import { NoPrimary } from '../../../src/store/db/connection/servers.ts'
import { type Database, openDatabase } from '../../../src/store/db/database.ts'
import { findDatabaseFault } from '../../../src/store/db/liveness.ts'
import { checkServer } from '../../../src/store/db/server-check.ts'
import { findCitus, readCitusNodes, readServerSettings } from '../../../src/store/db/server-settings.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'

/**
 * What a server, a pooler or Citus would say, by names that come before those of PostgreSQL. `process`: how the process
 * that answers is seen by way of a pooler.
 */
const SAYS = `
  create schema says;
  create table says.settings (name text primary key, value text);
  create table says.process (kind text);
  create table says.extensions (extname name, extversion text);
  create table says.pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, isactive boolean);
  create table says.pg_dist_partition (logicalrelid regclass);
  create sequence says.turns;
  create function says.current_setting(text) returns text language sql as
    $$ select coalesce((select value from says.settings where name = $1), pg_catalog.current_setting($1)) $$;
  create function says.current_setting(text, boolean) returns text language sql as
    $$ select coalesce((select value from says.settings where name = $1), pg_catalog.current_setting($1, $2)) $$;
  create view says.pg_extension as select extname, extversion from pg_catalog.pg_extension union all table says.extensions;
  create view says.pg_stat_ssl as select pid, coalesce((select value = 'on' from says.settings where name = 'ssl'), ssl) as ssl from pg_catalog.pg_stat_ssl;
  create function says.citus_check_connection_to_node(text, integer) returns boolean language sql as 'select $2 <> 3';
  create function says.run_command_on_all_nodes(text) returns table (nodeid integer, success boolean, result text) language sql as
    $$ values (1, true, 'on'), (2, false, 'no such node') $$;
  create function says.pg_backend_pid() returns integer language plpgsql as $$ begin
    case (select kind from says.process)
      when 'session' then return pg_catalog.pg_backend_pid() + 1000000;
      when 'shared' then return 1;
      when 'moving' then return pg_catalog.nextval('says.turns') / 2;
      when 'statement' then
        if now() <> statement_timestamp() and current_query() like 'select pg_backend_pid()%' then raise 'no transactions' using errcode = '08P01'; end if;
        return 1;
      when 'broken' then
        if now() <> statement_timestamp() and current_query() like 'select pg_backend_pid()%' then raise 'out of memory' using errcode = '53200'; end if;
        return 1;
      else return pg_catalog.pg_backend_pid();
    end case;
  end $$`

const test = openForTests(databaseOfOneServer, ({ drop }) => drop())
/** Plain, and another database. */
const other = openForTests(databaseOfOneServer, ({ drop }) => drop())
let name = ''
const opened: Database[] = []

beforeEach(async () => {
  if (name !== '') return
  await test.database.query(SAYS)
  name = (await test.database.query<{ name: string }>('select quote_ident(current_database()) as name')).rows[0]?.name ?? ''
  await test.database.query(`alter database ${name} set search_path = public, says, pg_catalog`)
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.end()
  await test.database.query('truncate says.settings, says.process, says.extensions, says.pg_dist_node, says.pg_dist_partition')
  await test.database.query('alter sequence says.turns restart')
})

function open(url = test.url, directUrl?: string): Database {
  const database = openDatabase(url, { max: 4, directUrl })
  database.on('error', () => undefined)
  opened.push(database)
  return database
}
const say = async (settings: Record<string, string>) => {
  for (const [key, value] of Object.entries(settings)) await test.database.query('insert into says.settings values ($1, $2)', [key, value])
}
const pool = async (kind: string) => {
  await test.database.query('insert into says.process values ($1)', [kind])
}
async function distribute(tables: readonly string[]): Promise<void> {
  await test.database.query(`insert into says.extensions values ('citus', '13.2-1')`)
  await test.database.query(`create table if not exists ${TWO_PHASE_TABLE} (id integer)`)
  for (const table of tables) await test.database.query('insert into says.pg_dist_partition values ($1)', [table])
}

const SOUND = { fault: null, isEncrypted: false, pooler: 'none', citus: null }

describe('the server of a deployment', () => {
  it('is taken as it is', async () => {
    const database = open()
    expect([await checkServer(database), database.isDistributed]).toEqual([SOUND, false])
  })

  it.each([
    ['140012', '14.12 (Debian)', 'PostgreSQL 14.12 (Debian) is too old; it has to be 15 or newer'],
    ['149999', '14.99', 'PostgreSQL 14.99 is too old; it has to be 15 or newer'],
    ['150000', '15.0', null],
  ])('of version %s', async (server_version_num, server_version, message) => {
    await say({ server_version_num, server_version })
    const checked = checkServer(open())
    if (message === null) expect(await checked).toEqual(SOUND)
    else await expect(checked).rejects.toMatchObject({ name: 'UnsupportedDatabase', message })
  })

  it('says whether it is read-only, and the connection encrypted', async () => {
    await say({ transaction_read_only: 'on', ssl: 'on' })
    const database = open()
    expect(await checkServer(database)).toEqual({ ...SOUND, fault: 'the database is read-only', isEncrypted: true })
    expect([await findDatabaseFault(database), await findDatabaseFault(other.database)]).toEqual(['the database is read-only', null])
  })

  it.each([new NoPrimary('no server accepts writes'), new Error('broken')])(
    'that gives no connection has a fault or none: %s',
    async (error) => {
      const asked = findDatabaseFault({ query: () => Promise.reject(error) })
      if (error instanceof NoPrimary) expect(await asked).toBe('no server accepts writes')
      else await expect(asked).rejects.toBe(error)
    },
  )

  it('has a fault where a later release needs a later version', async () => {
    await other.database.query(`update schema_migrations set oldest_release = '999.1.0' where name like '00%'`)
    try {
      expect(await findDatabaseFault(other.database)).toMatch(
        /^a later version has migrated this database \(0\d\d-.*\.sql\); it needs version 999\.1\.0 or later, and this is \d/,
      )
    } finally {
      await other.database.query('update schema_migrations set oldest_release = null')
    }
  })
})

describe('what is between this process and the server', () => {
  it.each([
    ['session', 'session'],
    ['shared', 'transaction'],
    ['moving', 'transaction'],
  ])('%s: a pooler in %s mode', async (kind, mode) => {
    await pool(kind)
    const database = open(test.url, test.url)
    const checked = checkServer(database)
    if (mode === 'session') expect(await checked).toEqual({ ...SOUND, pooler: 'session' })
    // What gives sessions is behind the same pooler here.
    else
      await expect(checked).rejects.toThrow(
        'DATABASE_DIRECT_URL is the address of a pooler in transaction mode; give it that of PostgreSQL itself, or of a pool in session mode',
      )
  })

  it.each([
    ['shared', 'a pooler in transaction mode is in front of the database; set DATABASE_DIRECT_URL, for what needs a session of its own'],
    ['statement', 'a pooler in statement mode is in front of the database, which cannot hold a transaction; set it to transaction mode'],
  ])('%s: is refused without another address', async (kind, message) => {
    await pool(kind)
    await expect(checkServer(open())).rejects.toThrow(message)
  })

  it('in statement mode is refused with another address, too, and as that address', async () => {
    await pool('statement')
    await expect(checkServer(open(test.url, other.url))).rejects.toThrow('a pooler in statement mode is in front of the database')
    await expect(checkServer(open(other.url, test.url))).rejects.toThrow('DATABASE_DIRECT_URL is the address of a pooler in statement mode')
  })

  it('is not known where the server fails', async () => {
    await pool('broken')
    await expect(checkServer(open())).rejects.toMatchObject({ code: '53200' })
  })

  it('takes sessions of a pool in session mode, and none of another database', async () => {
    await pool('session')
    expect(await checkServer(open(other.url, test.url))).toEqual({
      ...SOUND,
      fault: 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases',
    })
    await test.database.query('truncate says.process')
    expect(await checkServer(open(test.url, test.url))).toEqual(SOUND)
  })

  it('has only connections that are given back or closed', async () => {
    for (const kind of ['none', 'session', 'statement']) {
      await test.database.query('truncate says.process')
      await pool(kind)
      const database = open()
      await checkServer(database).catch(() => undefined)
      expect([kind, database.totalCount - database.idleCount]).toEqual([kind, 0])
    }
  })
})

describe('the tables of a deployment', () => {
  const OURS = [TWO_PHASE_TABLE, ...DISTRIBUTED_TABLES]

  it('may all be on the coordinator, whatever nodes there are', async () => {
    await distribute([])
    await test.database.query(
      `insert into says.pg_dist_node values (1, 0, 'main', 1, true), (2, 1, 'one', 2, true), (3, 2, 'two', 3, false)`,
    )
    const database = open()
    expect([await checkServer(database), database.isDistributed]).toEqual([
      { ...SOUND, citus: { version: '13.2-1', workers: 1, inactive: 1, tables: [] } },
      false,
    ])
    expect(await readCitusNodes(database)).toEqual([
      { name: 'main:1', isThere: true, synchronousCommit: 'on' },
      { name: 'one:2', isThere: true, synchronousCommit: null },
      { name: 'two:3', isThere: false, synchronousCommit: null },
    ])
    expect(await findCitus(other.database)).toBeNull()
  })

  it('may be distributed as a first start does it', async () => {
    await distribute(OURS)
    const database = open()
    expect([await checkServer(database), database.isDistributed]).toEqual([
      { ...SOUND, citus: { version: '13.2-1', workers: 0, inactive: 0, tables: OURS.toSorted() } },
      true,
    ])
    await expect(checkServer(open(test.url, test.url))).rejects.toThrow(
      'the tables are distributed by Citus, which does not work behind a pooler in transaction mode: give DATABASE_URL the address of the coordinator',
    )
  })

  it.each<[string, readonly string[], string]>([
    ['one more', [...OURS, 'companies'], `companies, ${OURS.toSorted().join(', ')}`],
    ['one less', OURS.slice(1), OURS.slice(1).toSorted().join(', ')],
    ['another alone', ['companies'], 'companies'],
  ])('are refused with %s', async (_which, tables, named) => {
    await distribute(tables)
    await expect(checkServer(open())).rejects.toThrow(
      `Citus manages ${named}; this release works with all tables on the coordinator, or with exactly those distributed that the first start distributes: call undistribute_table for each`,
    )
  })
})

describe('a start', () => {
  const never = new AbortController().signal

  it('waits for a server that is not there or not writable yet, and says why once', async () => {
    const reasons: string[] = []
    const gone = open('postgres://nobody@127.0.0.1:1/none')
    const giveUp = new AbortController()
    const waiting = awaitDatabase(
      gone,
      (reason) => {
        reasons.push(reason)
        giveUp.abort()
      },
      giveUp.signal,
    )
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    expect(reasons).toEqual([expect.stringContaining('ECONNREFUSED')])
    await say({ transaction_read_only: 'on' })
    const facts = await awaitDatabase(
      open(),
      async (reason) => {
        reasons.push(reason)
        await test.database.query('truncate says.settings')
      },
      never,
    )
    expect([facts, reasons.slice(1)]).toEqual([SOUND, ['the database is read-only']])
  })

  it.each([
    ['53300', true],
    ['57P03', true],
    ['08006', true],
    ['28P01', false],
    ['42501', false],
    ['X08', false],
  ])('at an error with %s waits: %s', async (code, isTransient) => {
    await test.database.query(
      `create or replace function says.pg_is_in_recovery() returns boolean language plpgsql as
       $$ begin if pg_catalog.current_setting('application_name') = 'failing' then raise 'refused' using errcode = '${code.padEnd(5, '0')}'; end if; return false; end $$`,
    )
    const database = openDatabase(test.url, { name: 'failing' })
    opened.push(database)
    const giveUp = new AbortController()
    const reasons: string[] = []
    const waiting = awaitDatabase(
      database,
      (reason) => {
        reasons.push(reason)
        giveUp.abort()
      },
      giveUp.signal,
    )
    try {
      if (isTransient) await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
      else await expect(waiting).rejects.toMatchObject({ name: 'UnsupportedDatabase', message: 'the database cannot be used: refused' })
      expect(reasons).toEqual(isTransient ? ['refused'] : [])
    } finally {
      await test.database.query('drop function says.pg_is_in_recovery')
    }
  })

  it('ends at once where an operator has to change something', async () => {
    await say({ server_version_num: '140000', server_version: '14' })
    await expect(awaitDatabase(open(), () => undefined, never)).rejects.toThrow('PostgreSQL 14 is too old')
  })
})

it('the settings of a server are read as they are', async () => {
  const database = open()
  await test.database.query('truncate says.settings')
  const { rows } = await test.database.query<{ most: string; kept: string; role: string }>(
    `select current_setting('max_connections') as most, current_setting('superuser_reserved_connections') as kept, current_user as role`,
  )
  const plain = {
    ...{ encoding: 'UTF8', fsync: false, fullPageWrites: false, synchronousCommit: false, autovacuum: true },
    ...{ role: rows[0]?.role, isExemptFromRowSecurity: false, isReadOnly: false },
  }
  await say({ reserved_connections: '0', fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'on' })
  const connections = Number(rows[0]?.most) - Number(rows[0]?.kept)
  expect(await readServerSettings(database)).toEqual({ ...plain, connections })
  await test.database.query('truncate says.settings')
  await say({
    ...{ reserved_connections: '3', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'local', autovacuum: 'off' },
    ...{ server_encoding: 'LATIN1', max_connections: '40', superuser_reserved_connections: '5', transaction_read_only: 'on' },
  })
  expect(await readServerSettings(database)).toEqual({
    ...{ ...plain, encoding: 'LATIN1', fsync: true, fullPageWrites: true, synchronousCommit: true, autovacuum: false },
    ...{ connections: 32, isReadOnly: true },
  })
})
