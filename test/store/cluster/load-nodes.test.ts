import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { DISTRIBUTED_TABLES } from '../../../src/store/db/cluster/distributed-tables.ts'
import { createSession } from '../../../src/store/db/connection/store-client.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { upgradeSchema } from '../../../src/store/db/migrate.ts'
import { NodeLoad } from '../../../src/store/snapshot/load-nodes.ts'
import { beginLoad } from '../../../src/store/snapshot/load-snapshot.ts'
import { openSnapshot } from '../../../src/store/snapshot/open-snapshot.ts'
import { databaseOfOneServer, isOnCluster, serverNote } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { AT, addBooks, addPublication, addVersion, idOf } from '../../records/record-store.ts'
import { type PlainCluster, plainCluster } from './plain-cluster.ts'

/** Functions that are made, each with what Citus was told to do with it. */
const MADE = `
  create table citus.made (id integer generated always as identity, name text, mode text);
  grant all on citus.made to public;
  create function citus.note_made() returns event_trigger language plpgsql as $$ begin
    insert into citus.made (name, mode) select object_identity, pg_catalog.current_setting('citus.create_object_propagation', true)
      from pg_event_trigger_ddl_commands() where object_type = 'function' and schema_name = 'public';
  end $$;
  create event trigger note_made on ddl_command_end when tag in ('CREATE FUNCTION') execute function citus.note_made()`

describe.skipIf(isOnCluster)(`a backup is loaded on a cluster${serverNote}`, () => {
  const source = openForTests(databaseOfOneServer, ({ drop }) => drop())
  const cluster = plainCluster({ isEmpty: true })

  it('with its rows in tables of the nodes, their owner, and what only a cluster keeps', async () => {
    await cluster.admin.query(MADE)
    const books = await addBooks(source.database)
    await addVersion(source.database, books, { id: idOf(1) })
    await addPublication(source.database, books)
    const snapshot = await openSnapshot(source.url)
    const load = await beginLoad(cluster.url, snapshot.migrations)
    try {
      for (const table of snapshot.tables) if (load.has(table)) await load.load(table, snapshot.readTable(table))
      await load.finish(idOf(7))
    } finally {
      await load.close()
      await snapshot.close()
    }
    expect((await cluster.listGiven()).map(({ role, what }) => `${role} ${what.split(' ')[0]}`)).toEqual([
      `${cluster.role} two_phase_commits`,
      ...DISTRIBUTED_TABLES.map((table) => `${cluster.owner} ${table}`),
    ])
    const { rows } = await cluster.admin.query(
      `select (select first_published_at from publications) as first, (select sort_key from record_versions) as key,
         (select array_agg(distinct tableowner::text) from pg_tables where tablename = any($1)) as owners,
         (select tableowner from pg_tables where tablename = 'companies') as other, rows_lack_company() as "isLacking"`,
      [DISTRIBUTED_TABLES],
    )
    expect(rows).toEqual([{ first: AT, key: '01', owners: [cluster.owner], other: cluster.role, isLacking: false }])
    const made = await cluster.admin.query<{ mode: string; names: string[] }>(
      `select mode, array_agg(name order by name) as names from citus.made group by mode order by mode`,
    )
    // While they are made nothing is sent; at the end each is sent once.
    const [deferred, immediate] = made.rows
    expect(made.rows.map(({ mode }) => mode)).toEqual(['deferred', 'immediate'])
    const names = new Set(immediate?.names)
    expect([names.size, names.size > 0, new Set(deferred?.names).isSupersetOf(names)]).toEqual([immediate?.names.length, true, true])
    // It is a database of the service from then on.
    const database = openDatabase(cluster.url, { max: 2 })
    await upgradeSchema(database)
    expect(database.isDistributed).toBe(true)
    await database.end()
  })
})

describe.skipIf(isOnCluster)(`a load${serverNote}`, () => {
  const cluster = plainCluster({ isEmpty: true })

  /** Work in a transaction of the service, which is rolled back. */
  async function within<T>(work: (client: pg.Client, cluster: PlainCluster) => Promise<T>): Promise<T> {
    const client = createSession(cluster.url, 'countinghouse restore')
    await client.connect()
    try {
      await client.query('begin')
      return await work(client, cluster)
    } finally {
      await client.end()
    }
  }
  async function open(client: pg.Client): Promise<NodeLoad> {
    const load = await NodeLoad.open(client)
    if (load === null) throw new Error('there are no nodes')
    return load
  }
  const roleOf = async (client: pg.Client) => (await client.query<{ role: string }>('select current_user as role')).rows[0]?.role

  it('is one of nodes only where there are any, and a role for their tables', async () => {
    await within(async (client) => {
      expect(await NodeLoad.open(client)).toBeInstanceOf(NodeLoad)
      await cluster.admin.query('update citus.pg_dist_node set isactive = false')
      expect(await NodeLoad.open(client)).toBeNull()
      await cluster.admin.query('update citus.pg_dist_node set isactive = true')
    })
  })

  it('changes a table of the nodes as its owner, another as the service', async () => {
    await within(async (client) => {
      const load = await open(client)
      const roles = [await load.own('record_versions', () => roleOf(client)), await load.own('companies', () => roleOf(client))]
      expect([...roles, await roleOf(client)]).toEqual([cluster.owner, cluster.role, cluster.role])
    })
  })

  it('keeps the tables of a backup from before rows knew their company on the coordinator', async () => {
    await within(async (client) => {
      const load = await open(client)
      for (const table of DISTRIBUTED_TABLES.slice(1)) await client.query(`create table ${table} (company_id uuid)`)
      expect(await load.ready()).toBe(false)
      await client.query(`create table ${DISTRIBUTED_TABLES[0]} (id uuid)`)
      expect([await load.ready(), await cluster.listGiven()]).toEqual([false, []])
    })
  })

  it.each<[string, unknown, string, boolean]>([
    ['a null in a column of the table', refused('23502'), 'raw_pages', true],
    ['a null that has no shard', refused('22004'), 'raw_pages', true],
    ['a null in another table', refused('23502'), 'companies', false],
    ['another reason', refused('23505'), 'raw_pages', false],
    ['an error without a code', refused(undefined), 'raw_pages', false],
    ['an error of another kind', Object.assign(new Error('no'), { code: '23502' }), 'raw_pages', false],
  ])('says why rows have no node: %s', async (_what, error, table, isExplained) => {
    await within(async (client) => {
      const explained = (await open(client)).explain(error, table)
      if (!isExplained) return expect(explained).toBe(error)
      expect(explained).toEqual(
        new Error(
          `rows of ${table} lack their company, so no node is theirs: let the service of this backup fill them, which it does by itself, and back it up again; or restore it on one server`,
          { cause: error },
        ),
      )
    })
  })

  function refused(code: string | undefined): pg.DatabaseError {
    return Object.assign(new pg.DatabaseError('null value', 10, 'error'), { code })
  }
})
