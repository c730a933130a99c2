import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import packageFile from '../../package.json' with { type: 'json' }
import { openPages } from '../api/http/open-pages.ts'
import { createApi } from '../api/http/server.ts'
import { type ApiSettings, defaultApiSettings } from '../api/http/settings.ts'
import { portalRoutes } from '../api/routes/portal.ts'
import type { SandboxControls } from '../api/sandbox-controls.ts'
import { connectPages } from '../connect/pages.ts'
import { OwnerLimits } from '../connect/request-limits.ts'
import { showCounts, showPool } from '../metrics/database.ts'
import { showProcess } from '../metrics/process.ts'
import { showQueues } from '../metrics/queues.ts'
import { showSources } from '../metrics/sources.ts'
import { showWork, type WorkMetrics } from '../metrics/work.ts'
import type { Database } from '../store/db/database.ts'
import type { Keys } from '../store/keys/keys.ts'
import type { SyncDeps } from '../sync/deps.ts'
import type { SharedSourceGate } from '../sync/rate-limits/source-gate.ts'
import type { Config } from './config.ts'
import type { Logger } from './log.ts'
import { openPortalFiles } from './portal-files.ts'
import type { StartedMail } from './start-mail.ts'

/** Finished pages kept in memory. */
const PAGE_CACHE_BYTES = 64 * 1024 * 1024

export function apiSettings(config: Config): ApiSettings {
  const { accessTokenMinutes, trustedProxies, metricsToken } = config
  const metricsOpenToMachine = config.environment === 'sandbox'
  return { ...defaultApiSettings(config.baseUrl), accessTokenMinutes, trustedProxies, metricsToken, metricsOpenToMachine }
}

interface OpenMetrics {
  registry: Registry
  work: WorkMetrics
}

export function openMetrics(config: Config, database: Database, gate: SharedSourceGate): OpenMetrics {
  const metrics = new Registry()
  showProcess(metrics, { version: packageFile.version, role: config.role })
  showQueues(metrics, database)
  showSources(metrics, database, gate.waiting)
  showCounts(metrics, database)
  showPool(metrics, database)
  return { registry: metrics, work: showWork(metrics) }
}

/** Everything that answers requests, ready to listen. */
export async function openServer(
  config: Config,
  parts: {
    sync: SyncDeps
    keys: Keys
    settings: ApiSettings
    log: Logger
    metrics: Registry
    sandbox: SandboxControls | undefined
    mail: StartedMail
  },
  closers: (() => Promise<unknown>)[],
): Promise<FastifyInstance> {
  const { sync, keys, settings, log, metrics, sandbox, mail } = parts
  const portal = openPortalFiles(log)
  closers.push(() => portal.close())
  const app = createApi({
    database: sync.database,
    keys,
    sealer: sync.sealer,
    log,
    metrics,
    settings,
    now: sync.now,
    sync,
    pages: openPages(sync.database, { maxBytes: PAGE_CACHE_BYTES }),
    webhooks: { database: sync.database, sealer: sync.sealer, callbackRules: { allowPrivate: config.allowPrivateAddresses } },
    ...(sandbox ? { sandbox } : {}),
    ...(mail.catcher ? { catcher: mail.catcher } : {}),
  })
  closers.push(() => app.close())
  app.register(connectPages({ ...sync, signing: keys.signing, limits: new OwnerLimits() }))
  app.register(portalRoutes(portal.folder))
  await app.ready()
  return app
}
