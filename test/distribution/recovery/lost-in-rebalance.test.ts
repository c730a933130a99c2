import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/store/db/database.ts'
import { checkServer } from '../../../src/store/db/server-check.ts'
import { guideBlock } from '../../guides/guide-blocks.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { Cluster } from '../cluster.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus, portOf, programsOfCluster } from '../cluster-database.ts'
import { countAccounts, startLoad } from '../cluster-load.ts'
import { addPublished } from '../published.ts'
import type { Published } from '../record-statements.ts'
import { administer, countShards, onPort } from '../shards.ts'
import { RECOVERED_MS } from './proxied-cluster.ts'

const COMPANIES = 12
/** Numbers of nodes in the cluster: a worker with shards, and the one that joins. */
const [WORKER, JOINING] = [1, 3]

const REBALANCE = `select rebalance_table_shards('record_versions')`

interface Nodes {
  cluster: Cluster
  at: ClusterDatabase
  companies: Published[]
  close(): Promise<void>
}

/** A coordinator and two workers with companies, and a worker that has not joined. */
async function openNodes(): Promise<Nodes> {
  const cluster = await Cluster.start(await programsOfCluster(), 4, {
    'citus.recover_2pc_interval': '1s',
    'citus.node_connection_timeout': '2s',
  })
  try {
    const at = await clusterDatabase({ url: cluster.url, workers: 2, hasOwner: true })
    const companies: Published[] = []
    for (let number = 0; number < COMPANIES; number += 1) companies.push(await addPublished(at.database))
    const close = async () => {
      await Promise.all([at.database.end(), at.admin.end()])
      await cluster.stop()
    }
    return { cluster, at, companies, close }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Blocks of the guide about a node that joins, and about one that is lost meanwhile. */
const blocks = {
  join: () => guideBlock('citus.md', 'rebalance_table_shards'),
  clean: () => guideBlock('citus.md', 'citus_cleanup_orphaned_resources'),
  leave: () => guideBlock('citus.md', 'citus_drain_node'),
}

describe.skipIf(lacksCitus)(`a node that is lost while shards are moved${citusNote}`, () => {
  const nodes = openForTests(openNodes)

  it.each([
    ['the node that the shards come from', WORKER],
    ['the node that they go to', JOINING],
  ])(
    '%s: the move fails, nothing is lost or torn, and the same move works afterwards',
    async (_, victim) => {
      const { cluster, at, companies } = nodes
      const { database } = at
      const [joining = 0, lost = 0] = [at.ports[JOINING], at.ports[victim]]
      const count = () => countAccounts(database, companies)
      const before = await count()
      const load = startLoad(database, companies, Number.POSITIVE_INFINITY)
      const move = administer(at, onPort(blocks.join(), joining)).then(
        () => 'moved',
        (error: Error) => error.message,
      )
      await untilSubscribed(at, joining)
      await cluster.kill(victim)
      expect(await move).toContain(`127.0.0.1:${lost}`)
      const ports = await Promise.all(companies.map(({ companyId }) => portOf(at.admin, companyId)))
      const elsewhere = companies.filter((_, number) => ports[number] !== lost)
      expect(elsewhere.length).toBeGreaterThan(0)
      expect(await countAccounts(database, elsewhere)).toBeGreaterThanOrEqual(elsewhere.length)

      await cluster.startAgain(victim)
      await until('every company is read', () => count().catch(() => null), RECOVERED_MS)
      await administer(at, blocks.clean())
      await administer(at, REBALANCE)
      const { written, errors, torn } = await load.stop()
      expect(torn).toEqual([])
      expect(written).toBeGreaterThan(0)
      if (elsewhere.length < companies.length) expect(errors.map(String).join()).toContain(`127.0.0.1:${lost}`)
      const after = await count()
      // An error during a commit does not say whether it was one.
      expect(after).toBeGreaterThanOrEqual(before + written)
      expect(after).toBeLessThanOrEqual(before + written + errors.length)
      expect(await countShards(at, joining)).toBeGreaterThan(0)
      expect(await checkServer(database)).toMatchObject({ fault: null })

      await administer(at, onPort(blocks.leave(), joining))
      expect(await count()).toBe(after)
    },
    300_000,
  )
})

/** Waits until a node copies a shard: it has a subscription then. */
async function untilSubscribed({ url }: ClusterDatabase, port: number): Promise<void> {
  const node = openDatabase(`postgres://postgres@127.0.0.1:${port}${new URL(url).pathname}`, { max: 1 })
  node.on('error', () => undefined)
  await until('a shard is copied', async () => ((await node.query('select from pg_subscription')).rowCount ? true : null))
  await node.end()
}
