import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { connectionOf } from '../../../src/store/db/connection/database-url.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { fillFirstPublications, fillNotes } from '../../../src/store/snapshot/cluster-columns.ts'
import { NodeSnapshots } from '../../../src/store/snapshot/node-snapshots.ts'
import { openSnapshot } from '../../../src/store/snapshot/open-snapshot.ts'
import { TableDigester } from '../../../src/store/snapshot/table-digest.ts'
import { listTables } from '../../../src/store/snapshot/tables.ts'
import { isOnCluster, serverNote } from '../../harness/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { storeConnection, storeTenants } from '../stored.ts'
import { layOutNodes } from './node-tables.ts'

const test = databaseForTests()
const connectionId = randomUUID()
let node = { host: '', port: 0 }
const insertFile = (shard: string) =>
  test.database.query(
    `insert into nodes.shard_${shard} (instance_id, id, connection_id, name, content_hash, company_id)
    values ($1, gen_random_uuid(), $1, 'a.csv', '', $1)`,
    [connectionId],
  )

async function countRows(rows: AsyncIterable<Buffer>): Promise<number> {
  const digester = new TableDigester()
  for await (const piece of rows) digester.push(piece)
  return digester.end().rows
}

/** Work with sessions that see the nodes, which those of the pool from before do not. */
async function connected<T>(work: (nodes: NodeSnapshots, coordinator: Database) => Promise<T>): Promise<T> {
  const coordinator = openDatabase(test.url, { max: 1 })
  try {
    const client = await coordinator.connect()
    try {
      const nodes = await NodeSnapshots.connect(test.url, client, `select set_config('countinghouse.instance', '*', false)`)
      try {
        return await work(nodes, coordinator)
      } finally {
        await nodes.close()
      }
    } finally {
      client.release()
    }
  } finally {
    await coordinator.end()
  }
}

describe.skipIf(isOnCluster)(`a snapshot of a cluster${serverNote}`, () => {
  beforeEach(async () => {
    const { database } = test
    const { host, port } = new pg.Client(connectionOf(test.url))
    node = { host, port }
    await layOutNodes(database, node)
    await insertFile('1')
    await insertFile('2')
    await insertFile('2')
  })

  it('has the rows of all shards of a table, as of one moment, and those of others from the coordinator', async () => {
    const snapshot = await openSnapshot(test.url)
    try {
      await insertFile('1')
      const rows = new Map<string, number>()
      for (const table of snapshot.tables.filter(({ name }) => ['source_files', 'sync_runs', 'schema_migrations'].includes(name)))
        rows.set(table.name, await countRows(snapshot.readTable(table)))
      expect(rows).toEqual(
        new Map([
          ['schema_migrations', snapshot.migrations.length],
          ['source_files', 3],
          ['sync_runs', 0],
        ]),
      )
    } finally {
      await snapshot.close()
    }
    const later = await openSnapshot(test.url)
    const table = later.tables.find(({ name }) => name === 'source_files')
    if (!table) throw new Error('no such table')
    expect(await countRows(later.readTable(table))).toBe(4)
    await later.close()
  })

  it('names a node that cannot be reached', async () => {
    await test.database.query('update nodes.pg_dist_node set nodeport = 1 where groupid = 1')
    await expect(openSnapshot(test.url)).rejects.toThrow(
      `the node ${node.host}:1 cannot be reached from here, and a backup reads it itself`,
    )
  })

  it('is refused while a node has part of a commit, by the name of the node', async () => {
    await test.database.query(`insert into nodes.unfinished values ('citus_0_1_2')`)
    await expect(openSnapshot(test.url)).rejects.toThrow(
      `the node ${node.host}:${node.port} has part of a commit that is not finished there, as after its loss; begin the backup again in a minute`,
    )
    await test.database.query(`update nodes.unfinished set gid = 'another'`)
    await (await openSnapshot(test.url)).close()
  })

  it('is refused when a shard was moved meanwhile', async () => {
    await connected(async (nodes) => {
      const move = async () => {
        await test.database.query('update nodes.pg_dist_placement set groupid = 0 where shardid = 2')
      }
      await expect(nodes.takeTogether(move)).rejects.toThrow('a shard was moved to another node just now; begin the backup again')
    })
  })

  it('waits for transactions on the nodes, and holds back others until it has its moment', async () => {
    await connected(async (nodes) => {
      const writer = await test.database.connect()
      try {
        await writer.query('begin')
        await writer.query('update two_phase_commits set note = note where id = 0')
        const { rows } = await test.database.query<{ pid: number }>('select pg_backend_pid() as pid')
        expect(rows).toHaveLength(1)
        let isTaken = false
        const taken = nodes.takeTogether(async () => {
          isTaken = true
          return 'moment'
        })
        const isHeld = async () =>
          (
            await test.database.query(
              `select from pg_locks where relation = 'two_phase_commits'::regclass and mode = 'ShareLock' and not granted`,
            )
          ).rowCount === 1
        while (!(await isHeld()));
        expect(isTaken).toBe(false)
        await writer.query('commit')
        expect([await taken, isTaken]).toEqual(['moment', true])
        await writer.query('update two_phase_commits set note = note where id = 0')
      } finally {
        writer.release()
      }
    })
  })

  it('ends its hold when what is taken with it fails', async () => {
    await connected(async (nodes) => {
      await expect(nodes.takeTogether(() => Promise.reject(new Error('no moment')))).rejects.toThrow('no moment')
      const { rowCount } = await test.database.query(
        `select from pg_locks where relation = 'two_phase_commits'::regclass and mode = 'ShareLock'`,
      )
      expect(rowCount).toBe(0)
    })
  })

  it('without the table of commits is an error that leaves no session', async () => {
    await test.database.query('drop table two_phase_commits')
    await connected(async (nodes, coordinator) => {
      await expect(nodes.takeTogether(async () => 1)).rejects.toThrow('two_phase_commits')
      expect(coordinator.totalCount).toBe(1)
    })
  })

  it('reads a table without shards as an empty one', async () => {
    await connected(async (nodes) => {
      await nodes.takeTogether(async () => null)
      const tables = await listTables(test.database)
      const table = tables.find(({ name }) => name === 'raw_pages')
      if (!table) throw new Error('no such table')
      expect(await countRows(nodes.read(table))).toBe(0)
    })
  })
})

describe('what only a cluster keeps is filled when a snapshot is loaded:', () => {
  const own = databaseForTests()
  const asked: number[] = []
  const asOwner = async <T>(work: () => Promise<T>): Promise<T> => {
    asked.push(1)
    return await work()
  }

  it('the first publication, of the connection that published last, and notes of what is gone', async () => {
    const { database } = own
    await database.query('alter table publications add column first_published_at timestamptz')
    await database.query('alter table unplaced_publications add column version bigint, add column is_removed boolean')
    const tenants = await storeTenants(database)
    const [serviceId, unpublished] = [randomUUID(), randomUUID()]
    const published = (day: number) => ({ first_published_at: `'2026-11-0${day}T00:00:00Z'` })
    await storeConnection(database, tenants, { serviceId, status: 26 }, published(1))
    await storeConnection(database, tenants, { serviceId }, published(3))
    await storeConnection(database, tenants, { serviceId: unpublished })
    for (const [key, service] of [
      ['a', serviceId],
      ['b', unpublished],
    ])
      await database.query(
        `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions) values ($1, $2, $3, $4, 1, now(), 0, 0)`,
        [key, tenants.instanceId, tenants.companyId, service],
      )
    await fillFirstPublications(database, asOwner)
    const { rows } = await database.query('select key, first_published_at as at from publications order by key')
    expect([rows, asked.length]).toEqual([
      [
        { key: 'a', at: new Date('2026-11-03T00:00:00Z') },
        { key: 'b', at: null },
      ],
      1,
    ])
    const gone = randomUUID()
    await database.query('insert into unplaced_publications (instance_id, company_id, service_id) values ($1, $2, $3)', [
      ...[tenants.instanceId, tenants.companyId, gone],
    ])
    await fillNotes(database, asOwner)
    const notes = await database.query(
      'select distinct service_id as service, version, is_removed as "isRemoved" from unplaced_publications where instance_id = $1',
      [tenants.instanceId],
    )
    expect(new Map(notes.rows.map(({ service, ...note }) => [service, note]))).toEqual(
      new Map([
        [serviceId, { version: '0', isRemoved: false }],
        [unpublished, { version: '0', isRemoved: false }],
        [gone, { version: '0', isRemoved: true }],
      ]),
    )
    expect(asked).toHaveLength(4)
  })
})
