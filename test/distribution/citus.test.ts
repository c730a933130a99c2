import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TWO_PHASE_TABLE } from '../../src/store/db/cluster/cluster-transaction.ts'
import { DISTRIBUTED_TABLES } from '../../src/store/db/cluster/distributed-tables.ts'
import { type Database, type Db, inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { checkServer } from '../../src/store/db/server-check.ts'
import { findCitus } from '../../src/store/db/server-settings.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus } from './cluster-database.ts'
import { countAccounts, startLoad } from './cluster-load.ts'
import { tableUses } from './keyed-tables.ts'
import { NOT_YET } from './not-yet.ts'
import { addPublished } from './published.ts'
import { type Published, recordStatements } from './record-statements.ts'
import { recordStatementsOf } from './recorder.ts'
import { connect, inScope } from './scoped-client.ts'
import { administer, countShards, onPort } from './shards.ts'
import { squeezed } from './source-statements.ts'
import { NEVER_ON_CLUSTER, OF_ALL_SHARDS_ON_CLUSTER } from './statement-lists.ts'
import { DISTRIBUTION_KEYS, isDistributed } from './tables.ts'

const OTHER_POLICY = 'create policy other on record_versions'
/** Some of their statements ask several shards. */
const OF_SEVERAL = new Set(OF_ALL_SHARDS_ON_CLUSTER)

describe.skipIf(lacksCitus)(`on a cluster of Citus${citusNote}`, () => {
  let cluster: ClusterDatabase
  let of: Published
  beforeAll(async () => {
    cluster = await clusterDatabase({ workers: 2 })
    of = await addPublished(cluster.database)
  }, 240_000)
  afterAll(async () => await cluster?.drop())

  it('the tables stay on the coordinator, where every statement on records works', async () => {
    expect(await findCitus(cluster.database)).toMatchObject({ workers: 2, inactive: 0, tables: [] })
    for (const run of Object.values(recordStatements(of))) await run(cluster.database)
    expect(await checkServer(cluster.database)).toMatchObject({ fault: null, citus: { tables: [] } })
  })

  it('the service does not start where a table was distributed by hand', async () => {
    await cluster.admin.query(`select create_reference_table('version_horizon')`)
    await expect(checkServer(cluster.database)).rejects.toThrow(/Citus manages version_horizon; this release works with/)
    await cluster.admin.query(`select undistribute_table('version_horizon')`)
  }, 240_000)
})

describe.skipIf(lacksCitus)(`on a cluster of Citus that has a role to own distributed tables${citusNote}`, () => {
  let cluster: ClusterDatabase
  let nodes: Database
  let of: Published
  let client: pg.Client
  beforeAll(async () => {
    cluster = await clusterDatabase({ workers: 2, hasOwner: true })
    nodes = cluster.database
    of = await addPublished(nodes)
    client = await connect(cluster.url)
  }, 240_000)
  afterAll(async () => {
    await client?.end()
    await cluster?.drop()
  })

  it('the first start has distributed the tables', async () => {
    expect(nodes.isDistributed).toBe(true)
    expect((await findCitus(nodes))?.tables).toEqual([TWO_PHASE_TABLE, ...DISTRIBUTED_TABLES].toSorted())
    expect(await checkServer(nodes)).toMatchObject({ fault: null })
  })

  it('the store’s functions work there, and each of their statements goes to one shard, or is listed', async () => {
    const database = openDatabase(cluster.url, { max: 2, isDistributed: true })
    const sent = recordStatementsOf(database)
    const [plans, listed] = [new Set<string>(), new Set<string>()]
    const faults: string[] = []
    for (const [name, run] of Object.entries(recordStatements(of))) {
      if (NEVER_ON_CLUSTER.includes(name)) continue
      sent.length = 0
      const failure = await run(database).catch((error: Error) => error)
      for (const [number, { text, values }] of [...sent].entries()) {
        if (!(await tableUses(text, DISTRIBUTION_KEYS)).some(isDistributed)) continue
        const plan = await inScope(client, '*', () => client.query(`explain (costs off) ${text}`, values)).catch((error: Error) => error)
        const told = plan instanceof Error ? plan.message : plan.rows.map((row) => row['QUERY PLAN']).join('\n')
        if (OF_SEVERAL.has(name) && !(plan instanceof Error)) continue
        if (told.includes('Task Count: 1\n') && !told.includes('Distributed Subplan')) plans.add(`${name}, statement ${number + 1}`)
        else {
          const known = NOT_YET.find(({ begins }) => begins.test(squeezed(text)))
          if (known) listed.add(known.reason)
          else faults.push(`${name}: ${told}\n${text}`)
        }
      }
      if (failure instanceof Error) faults.push(`${name}: ${failure.message}`)
    }
    await database.end()
    expect(faults).toEqual([])
    expect(plans.size).toBeGreaterThan(90)
    expect([...listed].toSorted(), 'a reason that has gone').toEqual(NOT_YET.map(({ reason }) => reason).toSorted())
  })

  it('rows of another instance stay hidden on the nodes, and without a scope every row is', async () => {
    const count = async () =>
      (await client.query('select count(*)::int as count from record_versions where company_id = $1', [of.companyId])).rows
    expect(await inScope(client, of.instanceId, count)).toEqual([{ count: 1 }])
    expect(await inScope(client, crypto.randomUUID(), count)).toEqual([{ count: 0 }])
    // An error, or nothing on a connection that had a scope before.
    const seen = await count().catch((error: Error) => error.message)
    expect(typeof seen === 'string' ? seen.includes('countinghouse.instance') : seen[0]?.count === 0).toBe(true)
  })

  it('what the plan rests on holds still', async () => {
    const columns =
      'instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id, raw_index, mapping_version'
    const rows = `insert into record_versions (${columns})
      select $1, $2, $1, 'Accounts', g, '-infinity', '', $1, '{}', '', '', $1, 0, 1 from unnest($3::uuid[]) g`
    const write = async (end: string) => await client.query(rows + end, [of.instanceId, of.companyId, [crypto.randomUUID()]])
    const inOwn = async (work: () => Promise<unknown>) => await inScope(client, of.instanceId, work)
    await expect(
      inOwn(() => write('')),
      'rows without a table are sent with COPY',
    ).rejects.toThrow('COPY FROM not supported')
    await inOwn(() => write(' returning 1'))
    await expect(
      inOwn(() => client.query('update record_versions set valid_to = clock_timestamp() where company_id = $1', [of.companyId])),
    ).rejects.toThrow('VOLATILE')
    const hidden = `${OTHER_POLICY} using (instance_id = (select id from instances limit 1))`
    await expect(cluster.admin.query(hidden), 'a policy with a subquery').rejects.toThrow(/SubLink|subquer/)
    await client.query('begin')
    await client.query(`select set_config('countinghouse.instance', $1, true)`, [of.instanceId])
    const seen = client.query('select from record_versions where company_id = $1', [of.companyId])
    expect(
      await seen.then(
        ({ rowCount }) => rowCount,
        () => 0,
      ),
      'a setting that is no SET LOCAL',
    ).toBe(0)
    await client.query('rollback')
  })

  it('a transaction that changes a node and the coordinator is committed in two phases, and one that only reads a node is not', async () => {
    const prepared = async (work: (db: Db) => Promise<unknown>) => {
      const before = await countPrepared(cluster)
      await inTransaction(nodes, work)
      return (await countPrepared(cluster)) - before
    }
    const read = (db: Db) => db.query('select from record_versions where company_id = $1', [of.companyId])
    const change = (db: Db) => db.query('update record_versions set raw_index = 1 where company_id = $1', [of.companyId])
    const rename = (db: Db) => db.query(`update companies set name = 'other' where id = $1`, [of.companyId])
    expect(await prepared(async (db) => [await change(db), await rename(db)])).toBe(1)
    expect(await prepared(async (db) => [await read(db), await rename(db)])).toBe(0)
    // What Citus does by itself.
    const before = await countPrepared(cluster)
    await inScope(client, '*', async () => {
      await client.query('update record_versions set raw_index = 2 where company_id = $1', [of.companyId])
      await client.query(`update companies set name = 'another' where id = $1`, [of.companyId])
    })
    expect((await countPrepared(cluster)) - before).toBe(0)
  })

  it('the scope of the service reaches the nodes, for single statements too', async () => {
    const count = () => countAccounts(nodes, [of])
    const all = await count()
    expect(all).toBeGreaterThan(0)
    expect(await withinInstance(of.instanceId, count)).toBe(all)
    expect(await withinInstance(crypto.randomUUID(), count)).toBe(0)
  })

  it('a node joins, takes shards and leaves, as the guide says, while records are published and read, without an error and with no page torn', async () => {
    const [, , , added] = cluster.ports
    if (added === undefined) throw new Error('the cluster needs a fourth node')
    const companies: Published[] = []
    for (let number = 0; number < 20; number += 1) companies.push(await addPublished(nodes))
    const shards: number[] = []
    const running = startLoad(nodes, companies)
    const moved = (async () => {
      await administer(cluster, onPort(guideBlock('citus.md', 'rebalance_table_shards'), added))
      shards.push(await countShards(cluster, added))
      await administer(cluster, onPort(guideBlock('citus.md', 'citus_drain_node'), added))
      shards.push(await countShards(cluster, added))
    })()
    const { written, read, errors, torn } = await moved.then(running.stop, async (error) => {
      await running.stop()
      throw error
    })
    expect(errors).toEqual([])
    expect(torn).toEqual([])
    expect(written).toBeGreaterThan(20)
    expect(read).toBeGreaterThan(20)
    expect(shards).toEqual([expect.any(Number), 0])
    expect(shards[0]).toBeGreaterThan(0)
    expect(await countAccounts(nodes, companies)).toBe(companies.length + written)
  }, 300_000)
})

/** Parts of transactions that Citus committed in two phases. NOTE it clears them up from time to time; each node keeps its own. */
async function countPrepared({ admin }: ClusterDatabase): Promise<number> {
  const { rows } = await admin.query<{ count: number }>('select count(*)::int as count from pg_dist_transaction')
  return rows[0]?.count ?? 0
}
