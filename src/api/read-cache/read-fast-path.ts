import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { activeTracer } from '../../tracing/spans.ts'
import { DATA_READ } from '../access/caller.ts'
import { type Guard, mayCall } from '../access/guard.ts'
import type { RequestTimer } from '../http/access-log.ts'
import { InstanceShares } from '../http/instance-shares.ts'
import type { CallerLimits } from '../http/request-limits.ts'
import { traceParentOf } from '../http/request-spans.ts'
import { mayAskForNdjson } from '../lists/ndjson.ts'
import type { Body } from './cached-page.ts'
import type { HeaderList } from './header-list.ts'
import type { ResponseHeadWriter } from './response-head-writer.ts'
import { UrlCache } from './url-cache.ts'

/** Response of a read, without the headers common to all responses. */
export interface ReadResponse {
  status: 200 | 304
  headers: HeaderList
  body: Body | null
  /** Called when the operating system has the body. */
  release?: () => void
}

/** URL of a data read that its route has parsed and checked once. */
export interface FastPathRead {
  /** Instance whose callers it was checked for. */
  instanceId: string
  /** Route label of metrics. */
  route: string
  /** Synchronous when the response is cached. Fails when there is nothing to read. */
  respond(headers: IncomingHttpHeaders): ReadResponse | Promise<ReadResponse>
  /** Called for each response given before the router, since no hook runs. */
  count(status: number): void
}

interface ReadFastPathOptions {
  guard: Guard
  limits: CallerLimits
  log: FastifyBaseLogger
  timeOf: RequestTimer
  headWriter: ResponseHeadWriter
  now(): Date
}

/** Characters allowed in a head that Node does not validate: a response's `link` repeats its URL. */
const PRINTABLE = /^[!-~]+$/

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Read fast path: answers repeated reads before the router, whose work costs more than everything else about a cached
 * page. Everything unusual (a caller who is not cached, an exhausted limit, a body, an error) takes the normal route.
 */
export class ReadFastPath {
  /** Shares of the instances, of which the routes take theirs too. */
  readonly shares = new InstanceShares()
  readonly #options: ReadFastPathOptions
  readonly #reads = new UrlCache<FastPathRead>()
  #isClosing = false

  constructor(options: ReadFastPathOptions) {
    this.#options = options
  }

  add(url: string, read: FastPathRead): void {
    if (PRINTABLE.test(url)) this.#reads.set(url, read)
  }

  /** Leaves every response to the router from now on, since each must close its connection. */
  close(): void {
    this.#isClosing = true
  }

  /** Listener of the server: answers, or passes on to `usual`. */
  listener(usual: Handler): Handler {
    return (request, response) => {
      const read = this.#reads.get(request.url ?? '')
      const now = this.#options.now()
      const limits = read && this.#admit(request, read, now.getTime())
      if (!read || !limits) return usual(request, response)
      const startedMs = performance.now()
      const span = activeTracer()?.openLeaf('server', traceParentOf(request), () => ({
        name: `GET ${read.route}`,
        facts: { 'http.request.method': 'GET', 'http.route': read.route },
      }))
      const send = (answer: ReadResponse): void => {
        this.#options.headWriter.write(response, answer.status, now.getTime(), ['x-request-id', randomUUID(), ...limits], answer.headers)
        if (typeof answer.body === 'string') response.end(answer.body, 'latin1', answer.release)
        else response.end(answer.body ?? undefined, answer.release)
        read.count(answer.status)
        this.#options.timeOf('GET', read.route, answer.status)((performance.now() - startedMs) / 1_000)
        span?.set({ 'http.response.status_code': answer.status })
        span?.end()
      }
      const answer = read.respond(request.headers)
      if ('status' in answer) return send(answer)
      const giveUp = (): void => {
        this.#reads.delete(request.url ?? '')
        usual(request, response)
      }
      answer.then(send, giveUp)
    }
  }

  /** Consumes rate limit and returns its headers; null if this request must take the normal route. */
  #admit(request: IncomingMessage, read: FastPathRead, nowMs: number): readonly string[] | null {
    const { guard, limits, log } = this.#options
    const { headers, method } = request
    if (method !== 'GET' || this.#isClosing || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return null
    if (mayAskForNdjson(headers.accept)) return null
    // Data is not served over plain HTTP: the normal route decides whether the header is trusted.
    if (headers['x-forwarded-proto'] !== undefined && headers['x-forwarded-proto'] !== 'https') return null
    // At this level every request is logged.
    if (log.level === 'debug' || log.level === 'trace') return null
    const caller = guard.recognize(headers.authorization, nowMs)
    if (caller?.instanceId !== read.instanceId || !mayCall(caller, DATA_READ)) return null
    return limits.hasRoom(caller, nowMs) ? limits.count(caller, nowMs) : null
  }
}
