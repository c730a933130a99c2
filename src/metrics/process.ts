import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

const HOUR_MS = 3_600_000
/**
 * Gauges of the event loop monitor, which wakes an idle process ninety times a second; the one other gauge measures on
 * scrape.
 */
const MONITORED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((name) => `nodejs_eventloop_lag_${name}_seconds`)
/** Gauges whose names end like a counter's, which `promtool check metrics` refuses. */
const MISNAMED = ['handles', 'requests', 'resources'].map((name) => `nodejs_active_${name}_total`)

/** Memory, CPU and event loop of this process, and its version. */
export function registerProcessMetrics(metrics: Registry, facts: { version: string; role: string }): void {
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: HOUR_MS })
  for (const name of [...MONITORED, ...MISNAMED]) metrics.removeSingleMetric(name)
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the last reading in which the event loop was busy, from 0 to 1',
    registers: [metrics],
    collect() {
      const now = performance.eventLoopUtilization()
      this.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
  })
  new Gauge({
    name: 'countinghouse_info',
    help: 'Always 1; the labels say which version runs and in which role',
    labelNames: ['version', 'role'],
    registers: [metrics],
  }).set(facts, 1)
}
