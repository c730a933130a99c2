import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isLoopback, rangeMatcher } from '../../model/values/network.ts'
import { isSameSecret } from '../../model/values/secret.ts'
import { findDatabaseFault } from '../../store/db/liveness.ts'
import { readBearer } from '../access/guard.ts'
import type { ApiDeps } from '../context/deps.ts'
import type { ApiSettings } from '../context/settings.ts'
import { notFound, unauthorized, unavailable } from '../errors/errors.ts'
import { sendProblem } from '../errors/problem.ts'
import { isProxied } from '../http/forwarding.ts'
import { strict } from '../schemas/schemas.ts'

const TIMEOUT_MS = 2_000
const NO_ANSWER = 'the database does not answer'
const hidden = { hide: true }
const LIVE = {
  tags: ['Health'],
  summary: 'Whether the process runs',
  description:
    'Touches nothing else. `/healthz` is another name of it. `proxy`: forwarded headers came from an address that TRUSTED_PROXIES does not name.',
  security: [],
  operationId: 'getLiveness',
  response: { 200: strict({ status: Type.Literal('ok'), proxy: Type.Optional(Type.Literal('untrusted')) }) },
}
const READY = {
  tags: ['Health'],
  summary: 'Whether the process can serve',
  description:
    '503 with the reason while the database does not answer within two seconds, is read-only, or has a schema that this version can no longer work with, and at METRICS_LISTEN while the process starts or stops. `paused`: a paused deployment answers reads, and neither reads sources nor sends.',
  security: [],
  operationId: 'getReadiness',
  response: {
    200: strict({
      status: Type.Literal('ready'),
      paused: Type.Optional(Type.String()),
      since: Type.Optional(Type.String({ format: 'date-time' })),
    }),
  },
}

/** Probes are answered without loading what compiles schemas. */
const plainJson = () => JSON.stringify

type MetricsSettings = Pick<ApiSettings, 'metrics' | 'trustedProxies'>

/** Stage of a process between its start and its end. */
export interface ProcessLife {
  phase: 'starting' | 'running' | 'stopping'
}

export interface HealthDeps extends Pick<ApiDeps, 'database' | 'metrics' | 'pause'> {
  settings: MetricsSettings
  /** For an address that answers before and after the public one; the public one answers in between only. */
  life?: Readonly<ProcessLife>
}

/** Health routes for machines of the operator: liveness, readiness, metrics. */
export function healthRoutes(deps: HealthDeps): FastifyPluginAsyncTypebox {
  const { database, metrics, settings, pause, life } = deps
  const mayReadMetrics = metricsGate(settings)
  return async (app) => {
    // The operator's own request shows countinghouse doctor how requests of clients arrive.
    const isTrusted = rangeMatcher(settings.trustedProxies)
    const tellLiveness = async ({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>) => {
      const isUntrusted = isProxied(headers) && !isTrusted(socket.remoteAddress ?? '')
      return isUntrusted ? { status: 'ok' as const, proxy: 'untrusted' as const } : { status: 'ok' as const }
    }
    app.get('/livez', { schema: LIVE, serializerCompiler: plainJson }, tellLiveness)
    app.get('/healthz', { schema: hidden }, tellLiveness)

    /** Ready when the database answers within two seconds, is writable, and was not migrated by a later version. */
    app.get('/readyz', { schema: READY, serializerCompiler: plainJson }, async (_request, reply) => {
      const asked = findDatabaseFault(database).catch(() => NO_ANSWER)
      const fault = await Promise.race([asked, afterwards(TIMEOUT_MS)])
      const reason = life === undefined || life.phase === 'running' ? fault : `it is ${life.phase}`
      // Not thrown: it would be logged at each probe.
      if (reason !== null) return sendProblem(reply, unavailable(2, undefined, `The service is not ready: ${reason}.`))
      const paused = (await pause?.find()) ?? null
      // Ready: a paused deployment answers reads.
      return paused === null
        ? { status: 'ready' as const }
        : { status: 'ready' as const, paused: paused.reason, since: paused.pausedAt.toISOString() }
    })

    app.get('/metrics', { schema: hidden }, async (request, reply) => {
      mayReadMetrics(request)
      return reply.type(metrics.contentType).send(await metrics.metrics())
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
      if (!isSameSecret(readBearer(headers.authorization) ?? '', metrics.token.reveal()))
        throw unauthorized('The token of METRICS_TOKEN is needed.')
      return
    }
    const isMachine = isLoopback(remoteAddress) && !isProxy(remoteAddress) && !isProxied(headers)
    if (!metrics.isOpenToMachine || !isMachine) throw notFound('address')
  }
}

/** Resolves after `ms`; does not keep the process alive. */
function afterwards(ms: number): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(NO_ANSWER), ms).unref()
  })
}
