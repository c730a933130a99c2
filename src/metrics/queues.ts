import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../store/db/database.ts'
import { countWorkers } from '../store/db/deployment-health.ts'
import { countJobs } from '../store/jobs/queue-depth.ts'
import { sealedCounter } from '../store/keys/sealing-key-counts.ts'
import { countDisabled } from '../store/webhooks/subscriptions.ts'
import { atMostEvery } from './at-most-every.ts'

/** How often the counting of sealed values goes on. */
const SEALED_EVERY_MS = 30_000

/** Gauges of jobs, workers, disabled subscriptions and sealed values. */
export function registerQueueMetrics(metrics: Registry, database: Database): void {
  const registers = [metrics]
  new Gauge({
    name: 'countinghouse_jobs',
    help: 'Jobs by kind and state; state dead waits for a person',
    labelNames: ['kind', 'state'],
    registers,
    async collect() {
      const counts = await countJobs(database)
      this.reset()
      lag.reset()
      for (const { kind, state, count, lagSeconds } of counts) {
        this.set({ kind, state }, count)
        if (state === 'ready') lag.set({ kind }, lagSeconds)
      }
    },
  })
  // After the jobs, which set it: gauges are read in this order.
  const lag = new Gauge({
    name: 'countinghouse_job_lag_seconds',
    help: 'How long the longest due job of a kind has waited',
    labelNames: ['kind'],
    registers,
  })
  new Gauge({
    name: 'countinghouse_subscriptions_disabled',
    help: 'Webhook subscriptions that were disabled, by reason',
    labelNames: ['reason'],
    registers,
    async collect() {
      this.reset()
      for (const { reason, count } of await countDisabled(database)) this.set({ reason }, count)
    },
  })
  new Gauge({
    name: 'countinghouse_workers',
    help: 'Workers with a sign of life in the last 75 seconds',
    registers,
    async collect() {
      this.set((await countWorkers(database)).workers)
    },
  })
  const countSealed = sealedCounter(database)
  const sealed = new Gauge({
    name: 'countinghouse_sealed_values',
    help: 'Sealed values by table and sealing key, as of the last walk over all of them: 10,000 more are counted every 30 seconds at most; a key without any may be deleted',
    labelNames: ['table', 'key'],
    registers,
    collect: atMostEvery(SEALED_EVERY_MS, async () => {
      const counts = await countSealed()
      if (counts === null) return
      sealed.reset()
      for (const { table, key, count } of counts) sealed.set({ table, key }, count)
    }),
  })
}
