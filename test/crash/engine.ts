import { createSources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress, type Egress } from '../../src/egress/egress.ts'
import { startTicker } from '../../src/jobs/ticker.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import type { CrashHook } from '../../src/model/crash-points.ts'
import type { Database } from '../../src/store/db/database.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { enqueueDue } from '../../src/sync/runs/schedule.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { SILENT, syncDeps } from '../harness/app/sync-deps.ts'
import { simulatedSource } from '../simulation/connector.ts'

export interface EngineParts {
  database: Database
  keys: Keys
  /** Address of the simulated source. */
  sourceUrl: string
  crashPoint?: CrashHook
  /** 0 by default: nobody reads from a cache. */
  readLeaseMs?: number
  onError(error: unknown): void
}

export function createSync({
  database,
  keys,
  sourceUrl,
  crashPoint,
  readLeaseMs = 0,
  onError,
}: EngineParts): SyncDeps & { egress: Egress } {
  const egress = createEgress({ allowPrivate: true })
  const now = () => new Date()
  const sources = createSources([{ ...simulatedSource, hosts: { api: sourceUrl } }], {
    settings: {},
    simulators: {},
    createKit: (app, hosts) => createKit({ egress, app, hosts, now, allowPrivate: true }),
  })
  const log = { ...SILENT, error: (fields: Record<string, unknown>) => onError(fields.err ?? fields) }
  return { egress, ...syncDeps({ database, keys, sources, log, now, readLeaseMs, ...(crashPoint ? { crashPoint } : {}) }) }
}

/** A worker with dispatcher and ticker, composed as in `start.ts`. */
export function startEngine(parts: EngineParts): { sync: SyncDeps; stop(): Promise<void> } {
  const { database, crashPoint, onError } = parts
  const sync = createSync(parts)
  const { egress, sealer, log } = sync
  const worker = startWorker({ database, handlers: syncHandlers(sync), concurrency: 3, onError })
  const dispatcher = new Dispatcher({ database, egress, sealer, log, ...(crashPoint ? { crashPoint } : {}) })
  dispatcher.start()
  const ticker = startTicker([{ name: 'queue due syncs', everyMs: 1_000, run: () => enqueueDue(database) }], onError)
  return {
    sync,
    stop: async () => {
      await Promise.all([ticker.stop(), worker.stop(), dispatcher.stop()])
      await egress.close()
    },
  }
}
