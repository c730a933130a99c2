import { Gauge, type Registry } from 'prom-client'
import { listInstanceIds } from '../store/access/instances.ts'
import type { Database } from '../store/db/database.ts'
import { listNearBounds, QUOTA_NAMES, type Quota } from '../store/operators/quotas.ts'

/**
 * Quota watch: a periodic task that logs each instance which newly uses 80 % or more of a quota, and a gauge of how many
 * do, as of its last run.
 */
export function quotaWatch(
  database: Database,
  metrics: Registry,
  log: { warn(fields: Record<string, unknown>, message: string): void },
): () => Promise<void> {
  let known = new Set<string>()
  const gauge = new Gauge({
    name: 'countinghouse_instances_near_quota',
    help: 'Instances that use 80 % or more of a quota, counted every ten minutes by a worker',
    labelNames: ['quota'],
    registers: [metrics],
  })
  for (const quota of QUOTA_NAMES) gauge.set({ quota }, 0)
  return async () => {
    const near: { instanceId: string; quota: Quota }[] = []
    for (const instanceId of await listInstanceIds(database)) {
      // One instance that cannot be read leaves the others watched.
      const quotas = await listNearBounds(database, instanceId).catch((error: unknown) => {
        log.warn({ instanceId, err: error }, 'the quotas of an instance could not be read')
        return []
      })
      near.push(...quotas.map((quota) => ({ instanceId, quota })))
    }
    for (const { instanceId, quota } of near) {
      const { name, used, bound } = quota
      if (!known.has(`${instanceId} ${name}`))
        log.warn({ instanceId, quota: name, used, bound }, 'an instance uses 80 % or more of a quota')
    }
    known = new Set(near.map(({ instanceId, quota }) => `${instanceId} ${quota.name}`))
    for (const quota of QUOTA_NAMES) gauge.set({ quota }, near.filter((one) => one.quota.name === quota).length)
  }
}
