import { timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { exportJWK } from 'jose'
import { isLoopback, rangeMatcher } from '../../model/values/network.ts'
import { findDatabaseFault } from '../../store/db/liveness.ts'
import { readBearer } from '../access/guard.ts'
import type { ApiDeps } from '../context/deps.ts'
import type { ApiSettings } from '../context/settings.ts'
import { notFound, unauthorized, unavailable } from '../errors/errors.ts'
import { sendProblem } from '../errors/problem.ts'
import { isProxied } from '../http/forwarding.ts'

const PATIENCE_MS = 2_000
const NO_ANSWER = 'the database does not answer'
const hidden = { hide: true }

type MetricsSettings = Pick<ApiSettings, 'metrics' | 'trustedProxies'>

export interface HealthDeps extends Pick<ApiDeps, 'database' | 'metrics' | 'pause'> {
  settings: MetricsSettings
}

/** Health routes for machines of the operator: liveness, readiness, metrics. */
export function healthRoutes(deps: HealthDeps): FastifyPluginAsyncTypebox {
  const { database, metrics, settings, pause } = deps
  const mayReadMetrics = metricsGate(settings)
  return async (app) => {
    // The operator's own request tells countinghouse doctor how requests of clients arrive.
    const isTrusted = rangeMatcher(settings.trustedProxies)
    for (const url of ['/healthz', '/livez'])
      app.get(url, { schema: hidden }, async ({ headers, socket }) => {
        const isUntrusted = isProxied(headers) && !isTrusted(socket.remoteAddress ?? '')
        return isUntrusted ? { status: 'ok', proxy: 'untrusted' } : { status: 'ok' }
      })

    /** Ready when the database answers within two seconds, is writable, and was not migrated by a later version. */
    app.get('/readyz', { schema: hidden }, async (_request, reply) => {
      const asked = findDatabaseFault(database).catch(() => NO_ANSWER)
      const reason = await Promise.race([asked, afterwards(PATIENCE_MS)])
      // Not thrown: it would be logged at each probe.
      if (reason !== null) return sendProblem(reply, unavailable(2, undefined, `The service is not ready: ${reason}.`))
      const paused = pause?.current() ?? null
      // Ready: a paused deployment answers reads.
      return paused === null ? { status: 'ready' } : { status: 'ready', paused: paused.reason, since: paused.pausedAt }
    })

    app.get('/metrics', { schema: hidden }, async (request, reply) => {
      mayReadMetrics(request)
      return reply.type(metrics.contentType).send(await metrics.metrics())
    })
  }
}

/** Public keys of our tokens (JWKS). */
export function keyRoutes({ keys }: Pick<ApiDeps, 'keys'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/.well-known/jwks.json', { schema: hidden }, async (_request, reply) => {
      const jwks = await Promise.all(
        keys.signing.all.map(async ({ id, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: id, alg: 'EdDSA', use: 'sig' })),
      )
      return reply.header('cache-control', 'public, max-age=300').send({ keys: jwks })
    })
  }
}

/**
 * Access to metrics: with the token; without one only from this machine, and only where that is allowed: a proxy on
 * this machine that forwards no header looks like the machine itself.
 */
function metricsGate({ metrics, trustedProxies }: MetricsSettings): (request: FastifyRequest) => void {
  const isProxy = rangeMatcher(trustedProxies)
  return ({ headers, socket: { remoteAddress = '' } }) => {
    if (metrics === null) throw notFound('address')
    if (metrics.token !== null) {
      if (!isSame(readBearer(headers.authorization) ?? '', metrics.token.reveal()))
        throw unauthorized('The token of METRICS_TOKEN is needed.')
      return
    }
    const isMachine = isLoopback(remoteAddress) && !isProxy(remoteAddress) && !isProxied(headers)
    if (!metrics.isOpenToMachine || !isMachine) throw notFound('address')
  }
}

function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Resolves after `ms`; does not keep the process alive. */
function afterwards(ms: number): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(NO_ANSWER), ms).unref()
  })
}
