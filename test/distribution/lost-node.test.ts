import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listPublicationChanges } from '../../src/store/records/publication-changes.ts'
import { findPublication } from '../../src/store/records/publications.ts'
import { listEvents } from '../../src/store/webhooks/feed-pages.ts'
import { requestRefresh } from '../../src/sync/connection/connection-actions.ts'
import { findFaults } from '../crash/checker.ts'
import { startEngine } from '../crash/engine.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from '../crash/harness.ts'
import { until } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { Cluster } from './cluster.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus, portOf, programsOfCluster } from './cluster-database.ts'
import { type CutProxy, openCutProxy } from './cut-proxy.ts'

const SEED = Number(process.env.SEED ?? 4711)
/** The node that is lost; the coordinator is node 0. */
const LOST = 1
/** Longer than the coordinator takes to look for parts that are not committed, and a retry of a job. */
const RECOVERED_MS = 60_000
const READ_LEASE_MS = 20

describe.skipIf(lacksCitus)(`a node that is lost, its processes killed with SIGKILL${citusNote}`, () => {
  let cluster: Cluster
  let proxy: CutProxy
  let at: ClusterDatabase
  let harness: CrashHarness
  /** A company on the node that is lost, and one on another. */
  let lost: string
  let other: string

  beforeAll(async () => {
    cluster = await Cluster.start(await programsOfCluster(), 3, {
      'citus.recover_2pc_interval': '1s',
      'citus.node_connection_timeout': '2s',
    })
    const ports = cluster.url.match(/(?<=127\.0\.0\.1:)\d+/g)?.map(Number) ?? []
    proxy = await openCutProxy(ports[LOST] ?? 0)
    at = await clusterDatabase({ url: cluster.url, workers: 2, hasOwner: true, reachedAt: ports.with(LOST, proxy.port) })
    harness = await openCrashHarness(at.database, at.url, SEED)
    for (let round = 0; round < 4; round += 1) changeBooks(harness)
    const nodes = new Map<boolean, string>()
    while (nodes.size < 2) {
      const companyId = await harness.addCompany()
      nodes.set((await portOf(at.admin, companyId)) === proxy.port, companyId)
    }
    lost = nodes.get(true) ?? ''
    other = nodes.get(false) ?? ''
    harness.companyIds.splice(0, harness.companyIds.length, lost, other)
    for (const companyId of harness.companyIds) await harness.connect(companyId)
    await harness.finish()
  }, 240_000)
  afterAll(async () => {
    await harness?.close()
    // The databases go with their cluster.
    await Promise.all([at?.database.end(), at?.admin.end()])
    await proxy?.close()
    await cluster?.stop()
  })

  const events = async () =>
    (await listEvents(at.database, { instanceId: harness.instanceId, after: null, limit: 500, mayReadAudit: false })).events.length
  const committed = async () => {
    const { rows } = await at.database.query<{ count: number }>('select count(*)::int as count from events where instance_id = $1', [
      harness.instanceId,
    ])
    return rows[0]?.count ?? 0
  }

  it('between the two phases of a publication: no event tells of it and no page is kept before the node shows it', async () => {
    const before = await events()
    changeBooks(harness)
    await requestRefresh(harness.sync, harness.target(lost))
    const end = Promise.withResolvers<void>()
    let isArmed = false
    const engine = startEngine({
      ...harness.engineParts,
      readLeaseMs: READ_LEASE_MS,
      onError: () => undefined,
      crashPoint: async (point) => {
        if (point !== 'before-publish-commit' || isArmed) return
        isArmed = true
        proxy.cutAt('COMMIT PREPARED', () => void cluster.kill(LOST).then(end.resolve, end.reject))
      },
    })
    try {
      await end.promise
      // The coordinator has committed its half.
      await until('the events of the publication', async () => ((await committed()) > before ? true : null))
      expect(await events()).toBe(before)
      await expect(findPublication(at.database, harness.target(lost))).rejects.toThrow()
      expect(await findPublication(at.database, harness.target(other))).not.toBeNull()
      const { changes } = await listPublicationChanges(at.database)
      expect(changes.filter(({ isOpen }) => isOpen)).toHaveLength(1)
      await cluster.startAgain(LOST)
      await until('the events, once the node has recovered', async () => ((await events()) > before ? true : null), RECOVERED_MS)
    } finally {
      await engine.stop()
    }
    await harness.refreshAll()
    await harness.finish()
    expect(await findFaults(harness)).toEqual([])
  }, 240_000)

  it(
    'during syncs, again and again: nothing is lost or half published, and everything goes on by itself',
    async () => {
      const engine = startEngine({ ...harness.engineParts, onError: () => undefined })
      try {
        for (let kill = 0; kill < effort.nodeKills; kill += 1) {
          changeBooks(harness)
          await harness.refreshAll()
          await Promise.race([harness.contacts(1 + harness.random.below(8)), until('the calls', () => null, 2_000).catch(() => undefined)])
          await cluster.kill(LOST)
          expect(await findPublication(at.database, harness.target(other))).not.toBeNull()
          await cluster.startAgain(LOST)
        }
        await harness.whenDone()
      } finally {
        await engine.stop()
      }
      await harness.finish()
      expect(await findFaults(harness)).toEqual([])
      reportFigure('citus: SIGKILLs of a node during syncs', effort.nodeKills)
    },
    60_000 + effort.nodeKills * 60_000,
  )
})
