import type { Registry } from 'prom-client'
import type { PauseState } from '../../jobs/pause-watch.ts'
import { registerBackupMetric } from '../../metrics/backups.ts'
import { registerCountMetrics, registerPoolMetrics } from '../../metrics/database.ts'
import { registerPauseMetric } from '../../metrics/pause.ts'
import { registerProcessMetrics } from '../../metrics/process.ts'
import { registerQueueMetrics } from '../../metrics/queues.ts'
import { ScrapedRegistry } from '../../metrics/scraped-registry.ts'
import { registerSourceMetrics, registerWaitingCalls } from '../../metrics/sources.ts'
import { registerWorkMetrics, type WorkMetrics } from '../../metrics/work.ts'
import { RELEASE } from '../../model/release.ts'
import type { Database } from '../../store/db/database.ts'
import type { SharedRateLimiter } from '../../sync/rate-limits/shared-rate-limiter.ts'
import type { Config } from '../settings/config.ts'

interface MetricsLog {
  warn(facts: object, message: string): void
}

interface OpenMetrics {
  registry: Registry
  work: WorkMetrics
}

/** Metrics of this process. */
export function openMetrics(
  role: Config['role'],
  { database, rateLimiter, pause, log }: { database: Database; rateLimiter: SharedRateLimiter; pause: PauseState; log: MetricsLog },
): OpenMetrics {
  const metrics = new ScrapedRegistry(database, (error) => log.warn({ err: error }, 'metrics could not be read from the database'))
  registerProcessMetrics(metrics, { version: RELEASE, role })
  registerQueueMetrics(metrics.database, database)
  registerSourceMetrics(metrics.database, database)
  registerWaitingCalls(metrics, () => rateLimiter.waiting())
  registerCountMetrics(metrics.database, database)
  registerPoolMetrics(metrics, database)
  registerBackupMetric(metrics.database, database)
  registerPauseMetric(metrics, () => pause.current() !== null)
  return { registry: metrics, work: registerWorkMetrics(metrics) }
}
