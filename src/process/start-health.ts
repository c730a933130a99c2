import Fastify from 'fastify'
import type { Registry } from 'prom-client'
import type { ApiSettings } from '../api/context/settings.ts'
import { notFound } from '../api/errors/errors.ts'
import { handleError, sendProblem } from '../api/errors/problem.ts'
import { healthRoutes } from '../api/routes/health.ts'
import type { PauseState } from '../jobs/pause-watch.ts'
import type { Database } from '../store/db/database.ts'
import type { Logger } from './log.ts'
import { explainPort } from './port.ts'
import type { Listen } from './settings/setting-values.ts'

interface HealthParts {
  database: Database
  metrics: Registry
  settings: ApiSettings
  pause: PauseState
  log: Logger
  closers: (() => Promise<unknown>)[]
}

/** HTTP server for health and metrics of a process that serves nothing else. */
export async function openHealth(listen: Listen, { closers, log, ...deps }: HealthParts): Promise<void> {
  const app = Fastify({ loggerInstance: log, disableRequestLogging: true })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, notFound('address')))
  app.register(healthRoutes(deps))
  closers.push(() => app.close())
  await app.listen(listen).catch((error: unknown) => {
    throw explainPort(error, listen.host, listen.port, 'WORKER_LISTEN')
  })
}
