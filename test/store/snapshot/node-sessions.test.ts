import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectionOf } from '../../../src/store/db/connection/database-url.ts'
import { createSession } from '../../../src/store/db/connection/store-client.ts'
import { NodeSnapshots } from '../../../src/store/snapshot/node-snapshots.ts'
import { openSnapshot, type Snapshot } from '../../../src/store/snapshot/open-snapshot.ts'
import { isOnCluster, serverNote } from '../../harness/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { DatabaseProxy } from '../database-proxy.ts'
import { layOutNodes } from './node-tables.ts'

const test = databaseForTests()
const proxies: DatabaseProxy[] = []
let open: { close(): Promise<unknown> }[] = []

/** Waits for locks are short, and noted with what was asked for. */
const SHORT_WAITS = (ms: number) => `
  create table nodes.timeouts (value text);
  create function nodes.set_config(name text, value text, is_local boolean) returns text language plpgsql as $$ begin
    if name = 'lock_timeout' then insert into nodes.timeouts values (value); end if;
    return pg_catalog.set_config(name, case name when 'lock_timeout' then '${ms}ms' else value end, is_local);
  end $$`

async function countSessions(): Promise<number> {
  const text = `select from pg_stat_activity where datname = current_database() and application_name = 'countinghouse backup'`
  return (await test.database.query(text)).rowCount ?? 0
}
const awaitSessions = async (count: number) =>
  await until(`${count} sessions`, async () => ((await countSessions()) === count ? true : null))

/** A port in front of the server, closed after the test. */
async function openProxy(host?: string): Promise<DatabaseProxy> {
  const proxy = await DatabaseProxy.open(test.url, host)
  proxies.push(proxy)
  return proxy
}

async function takeSnapshot(url: string): Promise<Snapshot> {
  const snapshot = await openSnapshot(url)
  open.push(snapshot)
  return snapshot
}

describe.skipIf(isOnCluster)(`the sessions of a snapshot of a cluster${serverNote}`, () => {
  beforeEach(async () => {
    const { host, port } = new pg.Client(connectionOf(test.url))
    await layOutNodes(test.database, { host, port })
  })
  afterEach(async () => {
    for (const each of open) await each.close().catch(() => undefined)
    open = []
    for (const proxy of proxies.splice(0)) proxy.close()
  })

  const moveNode = async ({ host, port }: { host: string; port: number }) => {
    await test.database.query('update nodes.pg_dist_node set nodename = $1, nodeport = $2 where groupid = 1', [host, port])
  }

  it('are one for each node besides the coordinator’s own, which end with it', async () => {
    const snapshot = await takeSnapshot(test.url)
    // That which held transactions is about to end.
    await awaitSessions(3)
    expect(snapshot).toMatchObject({ takenAt: expect.any(Date), serverVersion: expect.any(String), keyFingerprint: null })
    await snapshot.close()
    await awaitSessions(0)
  })

  it('keep each shard on its node, and hold back no transaction', async () => {
    await takeSnapshot(test.url)
    const { rows } = await test.database.query<{ name: string; sessions: number }>(
      `select relation::regclass::text as name, count(*)::int as sessions from pg_locks
       where relation in ('nodes.shard_1'::regclass, 'nodes.shard_2'::regclass, 'two_phase_commits'::regclass) and granted and mode <> 'ShareLock'
         and pid <> pg_backend_pid() group by 1 order by 1`,
    )
    expect(rows).toEqual([
      { name: 'nodes.shard_1', sessions: 1 },
      { name: 'nodes.shard_2', sessions: 1 },
    ])
    await test.database.query(`insert into two_phase_commits values (1, 'later')`)
  })

  it.each([
    ['127.0.0.1', '::1'],
    ['::1', '127.0.0.1'],
  ])('reach a node at its address %s, with the login of the coordinator at %s', async (host, other) => {
    const [coordinator, node] = [await openProxy(other), await openProxy(host)]
    await moveNode(node)
    const snapshot = await takeSnapshot(coordinator.url.replace(coordinator.address, `${coordinator.address},localhost:1`))
    expect(node.open).toBe(1)
    await awaitSessions(3)
    await snapshot.close()
    await until('the session on the node is over', () => (node.open === 0 ? true : null))
  })

  it('reach a node by its port where the coordinator is reached by a socket', async () => {
    const node = await openProxy()
    await moveNode(node)
    await takeSnapshot(test.url)
    expect(node.open).toBe(1)
  })

  it('are none where a node cannot be reached, and its name is told', async () => {
    await moveNode({ host: '127.0.0.1', port: 1 })
    const error = await openSnapshot(test.url).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      message: 'the node 127.0.0.1:1 cannot be reached from here, and a backup reads it itself',
      cause: { code: 'ECONNREFUSED' },
    })
    await awaitSessions(0)
  })

  it('that break are an error of what is read next, and of nothing else', async () => {
    const snapshot = await takeSnapshot(test.url)
    await test.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'countinghouse backup'`,
    )
    await awaitSessions(0)
    for (const name of ['source_files', 'companies']) {
      const table = snapshot.tables.find((one) => one.name === name)
      if (!table) throw new Error('no such table')
      await expect(snapshot.readTable(table).toArray()).rejects.toThrow()
    }
  })

  it('that hold transactions have their name too, and break with an error alone', async () => {
    const coordinator = createSession(test.url, 'coordinator')
    await coordinator.connect()
    const nodes = await NodeSnapshots.connect(test.url, coordinator, `select set_config('countinghouse.instance', '*', false)`)
    open.push(nodes, { close: () => coordinator.end() })
    const breakHold = async () =>
      (
        await test.database.query(
          `select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a using (pid)
           where l.relation = 'two_phase_commits'::regclass and l.mode = 'ShareLock' and a.application_name = 'countinghouse backup'`,
        )
      ).rowCount
    let broken: number | null = null
    const taken = nodes.takeTogether(async () => {
      broken = await breakHold()
      await until('it is gone', async () => ((await breakHold()) === 0 ? true : null))
    })
    await expect(taken).rejects.toThrow()
    expect(broken).toBe(1)
  })

  describe('that have to wait for a transaction on the nodes', () => {
    /** Snapshots of the nodes, while a transaction of them is open. */
    async function begin(waitMs: number) {
      await test.database.query(SHORT_WAITS(waitMs))
      const writer = createSession(test.url, 'writer')
      const coordinator = createSession(test.url, 'coordinator')
      for (const client of [writer, coordinator]) await client.connect()
      await writer.query('begin')
      await writer.query('update two_phase_commits set note = note where id = 0')
      const nodes = await NodeSnapshots.connect(test.url, coordinator, `select set_config('countinghouse.instance', '*', false)`)
      open.push(nodes, { close: () => coordinator.end() }, { close: () => writer.end() })
      const id = randomUUID()
      return { writer, id, taken: nodes.takeTogether(async () => id) }
    }

    it('let others go first, and try again', async () => {
      const { writer, taken, id } = await begin(100)
      const begun = new Set<unknown>()
      await until('it has tried three times', async () => {
        const text = `select waitstart::text as at from pg_locks where relation = 'two_phase_commits'::regclass and not granted and waitstart is not null`
        for (const { at } of (await test.database.query<{ at: string }>(text)).rows) begun.add(at)
        return begun.size >= 3 ? true : null
      })
      await writer.query('commit')
      expect(await taken).toBe(id)
      expect((await test.database.query('select value from nodes.timeouts')).rows).toEqual([{ value: '2000ms' }])
    })

    it('give up after a minute, and hold nothing', async () => {
      const { writer, taken } = await begin(1)
      await expect(taken).rejects.toThrow('a transaction on the nodes did not end for a minute; begin the backup again')
      // Those on the nodes; what held them is gone.
      await awaitSessions(2)
      await writer.query('commit')
    })
  })
})
