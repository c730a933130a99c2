import { collectDefaultMetrics, Registry } from 'prom-client'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import { createApi } from '../../src/api/server.ts'
import { OwnerRateLimits } from '../../src/connect/http/request-limits.ts'
import { connectPages } from '../../src/connect/pages.ts'
import { instanceScopedHandler } from '../../src/jobs/instance-scoped-handler.ts'
import { type Handler, startWorker } from '../../src/jobs/worker.ts'
import { ExportProcess } from '../../src/process/exports/export-process.ts'
import { createLog } from '../../src/process/log.ts'
import { lowerPriority } from '../../src/process/system/below-normal-priority.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { NO_PROVIDERS } from '../../test/harness/app/api-deps.ts'
import { openBank } from '../bank/bank.ts'
import { BASE_URL, createSync } from '../deployment.ts'
import { serveForBench } from './child.ts'

export interface CountinghouseRequest {
  databaseUrl: string
  dataDir: string
  /** 0 disables the page cache. */
  pageCacheBytes: number
  /** Export of traces; tracing is off if absent. */
  tracing?: { tracesUrl: string; ratio: number }
  /** Whether the process also writes exports, as the service does. */
  hasWorker?: boolean
  /** Whether it is a worker beside the API, with the priority of one. */
  isBeside?: boolean
}

/** Our complete server on the benchmark's database, as built by `start.ts` but without request limits. */
await serveForBench(async (request) => {
  const { databaseUrl, dataDir, pageCacheBytes, tracing, hasWorker = false, isBeside = false } = JSON.parse(request) as CountinghouseRequest
  if (isBeside) lowerPriority()
  const database = openDatabase(databaseUrl, { max: 16 })
  const keys = await openKeys(dataDir)
  const sync = createSync(database, keys, openBank(0))
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  if (tracing) {
    const { startOpenTelemetry } = await import('../../src/process/telemetry/open-telemetry.ts')
    const sampler = { name: 'parentbased_traceidratio', ratio: tracing.ratio } as const
    const settings = { tracesUrl: tracing.tracesUrl, metricsUrl: null, sampler, spanDelayMs: 5_000, metricIntervalMs: 60_000 }
    startOpenTelemetry(settings, {
      facts: { version: 'bench', role: 'api' },
      metrics,
      onFailure: (message) => process.stderr.write(message),
    })
  }
  const most = 1_000_000_000
  const app = createApi({
    database,
    keys,
    sealer: sync.sealer,
    log: createLog({ level: 'info' }),
    metrics,
    settings: { ...defaultApiSettings(BASE_URL), requestLimits: { perSession: most, perInstance: most, perNetwork: most } },
    providers: NO_PROVIDERS,
    now: sync.now,
    sync,
    pageCache: createPageCache(database, { maxBytes: pageCacheBytes }),
    webhooks: { database, sealer: sync.sealer, callbackRules: { allowPrivate: false } },
  })
  app.register(connectPages({ ...sync, signing: keys.signing, limits: new OwnerRateLimits() }))
  if (hasWorker)
    startWorker({
      database,
      handlers: { export: isBeside ? syncHandlers(sync).export : exportsOfAChild() },
      concurrency: 8,
      onError: (error) => process.stderr.write(`${String(error)}\n`),
    })
  /** As a process of both roles writes them. */
  function exportsOfAChild(): Handler {
    const addresses = { databaseUrl, databaseDirectUrl: null, databaseReadUrl: null, databasePassword: null }
    const settings = { ...addresses, maxStalenessMs: 0, isDistributed: false, isEmbedded: true, dataDir, keys: null }
    const exporting = new ExportProcess({ database, log: sync.log, settings })
    return instanceScopedHandler((job, signal) => exporting.run(job, signal))
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
})
