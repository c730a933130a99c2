import type { ServerResponse } from 'node:http'
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
  const cut = new WeakSet<FastifyReply>()
  app.decorateReply('headMs', null)
  app.addHook('onRequest', (_request, reply, done) => {
    let isFinished = false
    // NOTE not `writableFinished`, which stays false for an answer within the process (`inject`).
    reply.raw.once('finish', () => {
      isFinished = true
    })
    reply.raw.once('close', () => {
      if (isFinished || !isCut(reply.raw)) return
      cut.add(reply)
      // NOTE Fastify ends a request at the end of its answer or at an error; of one that breaks off it would hear neither.
      reply.raw.emit('error', new BrokenOff())
    })
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    timeOf(request.method, route, reply.statusCode)((reply.headMs ?? reply.elapsedTime) / 1000)
    const isGoodRead = (request.method === 'GET' || request.method === 'HEAD') && reply.statusCode < 400
    if (cut.has(reply)) log.info({ ...factsOf(request, reply, route), isCut: true }, 'request')
    else if (!isGoodRead) log.info(factsOf(request, reply, route), 'request')
    else if (log.level === 'debug' || log.level === 'trace') log.debug(factsOf(request, reply, route), 'request')
    done()
  })
}

/** Whether an unfinished response was begun and has not failed before, so that its error has a listener. */
function isCut(response: ServerResponse): boolean {
  return response.headersSent && response.listenerCount('error') > 0
}

class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
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

declare module 'fastify' {
  interface FastifyReply {
    /** Of an answer whose client decides how long it takes: the time until it began, which is what counts. Null for others. */
    headMs: number | null
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
    help: 'Time from the request to the end of its answer, of a streamed list to its beginning',
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
