import { listEvents } from '../../../src/store/webhooks/feed-pages.ts'
import { requestRefresh } from '../../../src/sync/connection/connection-actions.ts'
import { findFaults } from '../../crash/checker.ts'
import { startEngine } from '../../crash/engine.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from '../../crash/harness.ts'
import { Cluster } from '../cluster.ts'
import { type ClusterDatabase, clusterDatabase, programsOfCluster } from '../cluster-database.ts'
import { type CutProxy, openCutProxy } from '../cut-proxy.ts'

const SEED = Number(process.env.SEED ?? 4711)
export const COORDINATOR = 0
/** The node that the others reach through the proxy. */
export const PROXIED = 1
/** Longer than a start, than the coordinator takes to look for parts that are not committed, and than a retry of a job. */
export const RECOVERED_MS = 60_000

/** A coordinator and two workers, one of them behind a proxy that can cut a connection; without companies. */
export interface ProxiedCluster {
  cluster: Cluster
  proxy: CutProxy
  at: ClusterDatabase
  harness: CrashHarness
  /** Number of events that have their place in the feed. */
  countEvents(): Promise<number>
  /** An engine that publishes this company, on the proxied worker; `node` is killed between the two phases of the commit. */
  loseWithinCommit(
    companyId: string,
    node: number,
    readLeaseMs?: number,
  ): Promise<{ engine: ReturnType<typeof startEngine>; lost: Promise<void> }>
  /** Faults of what is stored, once all has been refreshed and nothing is left to do. */
  findFaults(): Promise<string[]>
  close(): Promise<void>
}

export async function openProxiedCluster(): Promise<ProxiedCluster> {
  const cluster = await Cluster.start(await programsOfCluster(), 3, {
    'citus.recover_2pc_interval': '1s',
    'citus.node_connection_timeout': '2s',
  })
  return await open(cluster).catch(async (error: unknown) => {
    await cluster.stop()
    throw error
  })
}

async function open(cluster: Cluster): Promise<ProxiedCluster> {
  const ports = cluster.url.match(/(?<=127\.0\.0\.1:)\d+/g)?.map(Number) ?? []
  const proxy = await openCutProxy(ports[PROXIED] ?? 0)
  const at = await clusterDatabase({ url: cluster.url, workers: 2, hasOwner: true, reachedAt: ports.with(PROXIED, proxy.port) })
  const harness = await openCrashHarness(at.database, at.url, SEED)
  for (let round = 0; round < 4; round += 1) changeBooks(harness)
  return {
    ...{ cluster, proxy, at, harness },
    countEvents: async () =>
      (await listEvents(at.database, { instanceId: harness.instanceId, after: null, limit: 500, mayReadAudit: false })).events.length,
    loseWithinCommit: async (companyId, node, readLeaseMs) => {
      changeBooks(harness)
      await requestRefresh(harness.sync, harness.target(companyId))
      const { promise: lost, resolve, reject } = Promise.withResolvers<void>()
      let isArmed = false
      const engine = startEngine({
        ...harness.engineParts,
        ...(readLeaseMs === undefined ? {} : { readLeaseMs }),
        onError: () => undefined,
        crashPoint: async (point) => {
          if (point !== 'before-publish-commit' || isArmed) return
          isArmed = true
          proxy.cutAt('COMMIT PREPARED', () => void cluster.kill(node).then(resolve, reject))
        },
      })
      return { engine, lost }
    },
    findFaults: async () => {
      await harness.refreshAll()
      await harness.finish()
      return await findFaults(harness)
    },
    close: async () => {
      await harness.close()
      // The databases go with their cluster.
      await Promise.all([at.database.end(), at.admin.end()])
      await proxy.close()
      await cluster.stop()
    },
  }
}
