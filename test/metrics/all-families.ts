import { createServer } from 'node:http'
import { pino } from 'pino'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { requestTimer } from '../../src/api/http/access-log.ts'
import { limitConnections } from '../../src/api/http/connection-limit.ts'
import { ScrapedRegistry } from '../../src/metrics/scraped-registry.ts'
import { openMetrics } from '../../src/process/telemetry/open-metrics.ts'
import type { Database } from '../../src/store/db/database.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'

/** All metric families of the service, each with a sample. */
export async function allFamilies(database: Database): Promise<{ text: string; names: string[] }> {
  const rateLimiter = new SharedRateLimiter(database, { onError: () => undefined })
  const { registry } = openMetrics('all', {
    database,
    rateLimiter,
    pause: { current: () => null, find: async () => null },
    log: pino({ level: 'silent' }),
  })
  requestTimer(registry)('GET', '/readyz', 200)(0.01)
  limitConnections(createServer(), { maxConnections: 1, metrics: registry, log: pino({ level: 'silent' }), now: () => new Date() })
  await registry.metrics()
  await rateLimiter.close()
  if (!(registry instanceof ScrapedRegistry)) throw new Error('the service has no metrics')
  const all = Registry.merge([registry, registry.database])
  const names = all.getMetricsAsArray().map(({ name }) => name)
  for (const name of names) {
    const metric = all.getSingleMetric(name)
    // A metric that reads its value on scrape would remove the sample.
    if (metric) Reflect.set(metric, 'collect', undefined)
    const labels = Object.fromEntries(labelsOf(metric).map((label) => [label, 'any']))
    if (metric instanceof Gauge) metric.set(labels, 1)
    else if (metric instanceof Counter) metric.inc(labels, 1)
    else if (metric instanceof Histogram) metric.observe(labels, 1)
  }
  const texts = await Promise.all(names.map((name) => all.getSingleMetricAsString(name)))
  return { text: texts.map((text) => `${text}\n`).join(''), names }
}

function labelsOf(metric: unknown): string[] {
  return metric !== null && typeof metric === 'object' && 'labelNames' in metric && Array.isArray(metric.labelNames)
    ? metric.labelNames.map(String)
    : []
}
