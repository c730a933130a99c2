import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Histogram, type Registry } from 'prom-client'

const NAME = 'http_request_duration_seconds'
const STATUS_CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Access log and metrics of every request: ids, codes and durations, never a URL with its parameters, a header or a
 * body. Successful reads are logged at `debug`, so that a busy deployment does not spend its time on them.
 */
export function logRequests(app: FastifyInstance, log: FastifyBaseLogger, timeOf: RequestTimer): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    timeOf(request.method, route, reply.statusCode)(reply.elapsedTime / 1000)
    const isGoodRead = (request.method === 'GET' || request.method === 'HEAD') && reply.statusCode < 400
    if (!isGoodRead) log.info(factsOf(request, reply, route), 'request')
    else if (log.level === 'debug' || log.level === 'trace') log.debug(factsOf(request, reply, route), 'request')
    done()
  })
}

function factsOf(request: FastifyRequest, reply: FastifyReply, route: string): Record<string, unknown> {
  const caller = request.verifiedCaller
  return {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    instanceId: caller?.instanceId,
    userId: caller?.userId ?? undefined,
    keyId: caller?.keyId ?? undefined,
  }
}

/** Observes seconds. */
export type RequestTimer = (method: string, route: string, status: number) => (seconds: number) => void

/**
 * One bound observer per method, route and class of status: binding labels costs more than observing. Single codes stay
 * out of the labels: each would be a histogram of its own.
 */
export function requestTimer(metrics: Registry): RequestTimer {
  const histogram = new Histogram({
    name: NAME,
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status_class'],
    buckets: BUCKETS,
    registers: [metrics],
  })
  const bound = new Map<string, (seconds: number) => void>()
  return (method, route, status) => {
    const statusClass = STATUS_CLASSES[Math.floor(status / 100)] ?? 'none'
    const key = `${method} ${statusClass} ${route}`
    const known = bound.get(key)
    if (known) return known
    const labels = histogram.labels({ method, route, status_class: statusClass })
    const observe = (seconds: number) => labels.observe(seconds)
    bound.set(key, observe)
    return observe
  }
}
