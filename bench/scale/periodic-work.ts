import { Registry } from 'prom-client'
import { type AuditWriter, ownScope, withinActor } from '../../src/audit/actor.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { Activity } from '../../src/jobs/activity.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { registerWorkMetrics } from '../../src/metrics/work.ts'
import { createLog } from '../../src/process/log.ts'
import { listPeriodicTasks, type WorkerParts } from '../../src/process/start-workers.ts'
import { openMetrics } from '../../src/process/telemetry/open-metrics.ts'
import type { Database } from '../../src/store/db/database.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import { listPublicationChanges } from '../../src/store/records/publication-changes.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'

/** Prepares a piece of work on the given pool; what it returns does the work once. */
export type PeriodicWork = (database: Database) => () => Promise<unknown>

const RETENTION = { runs: 13, links: 13, timeline: 24, sourceFiles: 24, rawPages: 24, versions: null, receipts: null }
const NEVER_PAUSED = { current: () => null, find: async () => null }
const silent = createLog({ level: 'silent' })

/** Everything that a process repeats by itself, by name. Tasks that go on until nothing is left end once `isStopping`. */
export function listPeriodicWork(
  deps: SyncDeps,
  keys: Keys,
  isStopping: () => boolean = () => false,
): Readonly<Record<string, PeriodicWork>> {
  const writer: AuditWriter = { key: () => new Uint8Array(32), now: () => new Date() }
  const egress = createEgress({ allowPrivate: false })
  const tasksOf = (database: Database) => listPeriodicTasks({ ...deps, database }, toParts(keys, writer, egress), isStopping)
  const tasks = tasksOf(deps.database).map(({ name }, index): [string, PeriodicWork] => [
    name,
    (database) => {
      const task = tasksOf(database)[index]
      return () => withinActor(ownScope(writer, 'job'), async () => await task?.run())
    },
  ])
  return {
    ...Object.fromEntries(tasks),
    'metrics on a scrape': (database) => {
      const rateLimiter = new SharedRateLimiter(database, { onError: () => undefined })
      return async () => {
        // A registry for each scrape: otherwise the second one would show what the first has counted.
        await openMetrics('all', { database, rateLimiter, pause: NEVER_PAUSED, log: silent }).registry.metrics()
        await rateLimiter.close()
      }
    },
    dispatcher: (database) => {
      const dispatcher = new Dispatcher({ database, egress, sealer: deps.sealer, log: silent })
      return () => dispatcher.runOnce()
    },
    'job worker: claims and heartbeat': (database) => () =>
      startWorker({
        database,
        handlers: { none: async () => ({ done: true }) },
        concurrency: 8,
        onError: (error) => {
          throw error
        },
      }).stop(),
    'announced changes': (database) => () => listPublicationChanges(database),
  }
}

function toParts(keys: Keys, writer: AuditWriter, egress: WorkerParts['egress']): WorkerParts {
  return {
    egress,
    log: silent,
    closers: [],
    keys,
    writer,
    retention: RETENTION,
    auditMonths: 12,
    auditSink: null,
    mailServer: null,
    exports: null,
    publicUrl: 'http://127.0.0.1:8080',
    work: registerWorkMetrics(new Registry()),
    pause: NEVER_PAUSED,
    activity: new Activity(),
    metrics: new Registry(),
  }
}
