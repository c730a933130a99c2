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

/** One observer per method, route and class of status, which `metrics` exports as a histogram. */
export function requestTimer(metrics: Registry): RequestTimer {
  const histogram = new RequestHistogram()
  // A registry asks a metric for its name and its values, and resets it.
  metrics.registerMetric(histogram as Pick<Histogram<Label>, 'get' | 'reset'> as Histogram<Label>)
  return (method, route, status) => histogram.observerOf(method, route, status)
}

type Label = 'method' | 'route' | 'status_class'

type Values = Awaited<ReturnType<Histogram<Label | 'le'>['get']>>['values']

/** Requests of one method, route and class of status. */
class Series {
  readonly labels: Readonly<Record<Label, string>>
  sum = 0
  /** Values in each bucket that are in none before it; the last bucket has no bound. */
  readonly counts = [...BUCKETS, Number.POSITIVE_INFINITY].map(() => 0)

  constructor(labels: Readonly<Record<Label, string>>) {
    this.labels = labels
  }

  readonly observe = (seconds: number): void => {
    let bucket = 0
    while (seconds > (BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += seconds
  }

  /** Cumulative counts, the sum and the number of values. */
  values(): Values {
    const { labels, sum } = this
    let count = 0
    const buckets = this.counts.map((inBucket, at) => {
      count += inBucket
      return { labels: { le: BUCKETS[at] ?? '+Inf', ...labels }, value: count, metricName: `${NAME}_bucket` }
    })
    return [...buckets, { labels, value: sum, metricName: `${NAME}_sum` }, { labels, value: count, metricName: `${NAME}_count` }]
  }
}

/**
 * Histogram of requests. Single codes stay out of the labels: each would be a histogram of its own. NOTE that of
 * prom-client checks and hashes the labels of each value, which takes a thirtieth of a cached read.
 */
class RequestHistogram {
  readonly name = NAME
  readonly #byRoute = new Map<string, Series[]>()
  readonly #description = new Histogram<Label>({
    name: NAME,
    help: 'Time from the request to the end of its answer, of a streamed list to its beginning',
    registers: [],
  })

  observerOf(method: string, route: string, status: number): (seconds: number) => void {
    const statusClass = STATUS_CLASSES[Math.floor(status / 100)] ?? 'none'
    const ofRoute = this.#byRoute.get(route) ?? []
    const known = ofRoute.find(({ labels }) => labels.method === method && labels.status_class === statusClass)
    if (known) return known.observe
    const added = new Series({ method, route, status_class: statusClass })
    this.#byRoute.set(route, [...ofRoute, added])
    return added.observe
  }

  async get(): Promise<Awaited<ReturnType<Histogram<Label | 'le'>['get']>>> {
    const values = [...this.#byRoute.values()].flat().flatMap((series) => series.values())
    return { ...(await this.#description.get()), values }
  }

  reset(): void {
    this.#byRoute.clear()
  }
}
