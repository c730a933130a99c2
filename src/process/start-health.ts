import Fastify, { LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { createListener, listenText, type ServerTls } from '../api/context/server-tls.ts'
import { notFound } from '../api/errors/errors.ts'
import { handleError, sendProblem } from '../api/errors/problem.ts'
import { healthRoutes, type ProcessLife } from '../api/routes/health.ts'
import { compileSchemasLazily, noOwnCompilers } from '../api/schemas/lazy-schemas.ts'
import type { PauseState } from '../jobs/pause-watch.ts'
import { isLoopback } from '../model/values/network.ts'
import type { Secret } from '../model/values/secret.ts'
import type { Database } from '../store/db/database.ts'
import type { Logger } from './log.ts'
import { explainPort } from './port.ts'
import type { Listen } from './settings/setting-values.ts'

const SILENT_MS = 30_000
/** Of a request and of a handshake; Node's own interval of checks would add half a minute. */
const TIMEOUTS = { requestTimeout: 10_000, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 }
/** Prometheus and probes need a few. */
const MAX_CONNECTIONS = 100

interface HealthSettings {
  metricsListen: Listen | null
  /** Null if only this machine may read metrics. */
  metricsToken: Secret | null
}

interface HealthParts {
  database: Database
  metrics: Registry
  /** Null for plain HTTP. */
  tls: ServerTls | null
  pause: PauseState
  life: Readonly<ProcessLife>
  log: Logger
  closers: (() => Promise<unknown>)[]
}

/** HTTP server for metrics and health alone, beside or instead of the API's, where the settings name its address. */
export async function openHealth(config: HealthSettings, { closers, log, tls, ...deps }: HealthParts): Promise<void> {
  const { metricsListen: listen, metricsToken: token } = config
  if (listen === null) return
  const app = Fastify({
    schemaController: noOwnCompilers,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (handler) => createListener(tls, TIMEOUTS, handler, log).setTimeout(SILENT_MS),
  })
  compileSchemasLazily(app)
  app.server.maxConnections = MAX_CONNECTIONS
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, notFound('address')))
  app.register(healthRoutes({ ...deps, settings: { metrics: { token, isOpenToMachine: true }, trustedProxies: [] } }))
  closers.push(() => app.close())
  await app.listen({ ...listen, ...listenText(tls) }).catch((error: unknown) => {
    throw explainPort(error, listen.host, listen.port, 'METRICS_LISTEN')
  })
  if (token === null && !isLoopback(listen.host))
    log.warn('METRICS_LISTEN answers other machines, but /metrics only this one; set METRICS_TOKEN, which they then need')
}
