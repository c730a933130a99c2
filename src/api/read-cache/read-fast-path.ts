import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { readers } from '../access/caller.ts'
import { type Guard, hasRole } from '../access/guard.ts'
import type { RequestTimer } from '../http/access-log.ts'
import type { CallerLimits } from '../http/request-limits.ts'
import type { Body } from './page-cache.ts'
import type { ResponseHeadWriter } from './response-head-writer.ts'
import { UrlCache } from './url-cache.ts'

/** What a read is answered with besides the headers that all answers have. */
export interface ReadResponse {
  status: 200 | 304
  /** Names and values in turn. */
  headers: readonly string[]
  body: Body | null
  /** To be told when the operating system has the body. */
  release?: () => void
}

/** An address of data that its route has read and checked once. */
export interface FastPathRead {
  /** Whose callers it was checked for. */
  instanceId: string
  /** As metrics name it. */
  route: string
  /** At once where the answer is at hand. Fails where there is nothing to read. */
  respond(headers: IncomingHttpHeaders): ReadResponse | Promise<ReadResponse>
  /** Told of each answer that was given ahead of the router, for it passes no hook. */
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

/** What may stand in a head that Node does not look at again: an answer's `link` repeats its address. */
const PRINTABLE = /^[!-~]+$/

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Answers a read that came before ahead of the router, whose work for a request costs more than everything else about a page that is at hand.
 * Whatever is out of the ordinary (a caller who has to be asked for, a limit that is reached, a body, an error) goes the usual way.
 */
export class ReadFastPath {
  readonly #options: ReadFastPathOptions
  readonly #reads = new UrlCache<FastPathRead>()
  #isClosing = false

  constructor(options: ReadFastPathOptions) {
    this.#options = options
  }

  add(url: string, read: FastPathRead): void {
    if (PRINTABLE.test(url)) this.#reads.set(url, read)
  }

  /** From now on every answer tells that the connection ends, which is the router's business. */
  close(): void {
    this.#isClosing = true
  }

  /** The server's listener: answers, or hands on to `usual`. */
  listener(usual: Handler): Handler {
    return (request, response) => {
      const read = this.#reads.get(request.url ?? '')
      const now = this.#options.now()
      const limits = read && this.#admit(request, read, now.getTime())
      if (!read || !limits) return usual(request, response)
      const startedMs = performance.now()
      const send = (answer: ReadResponse): void => {
        this.#options.headWriter.write(response, answer.status, now.getTime(), ['x-request-id', randomUUID()], limits, answer.headers)
        if (typeof answer.body === 'string') response.end(answer.body, 'latin1', answer.release)
        else response.end(answer.body ?? undefined, answer.release)
        read.count(answer.status)
        this.#options.timeOf('GET', read.route, answer.status)((performance.now() - startedMs) / 1_000)
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

  /** What the caller may still ask for, counted; null when the request is not one that can be answered here. */
  #admit(request: IncomingMessage, read: FastPathRead, nowMs: number): readonly string[] | null {
    const { guard, limits, log } = this.#options
    const { headers, method } = request
    if (method !== 'GET' || this.#isClosing || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return null
    // What came over plain HTTP is not answered with data: the usual way decides whether that is so.
    if (headers['x-forwarded-proto'] !== undefined && headers['x-forwarded-proto'] !== 'https') return null
    // At this level every request is logged.
    if (log.level === 'debug' || log.level === 'trace') return null
    const caller = guard.recognize(headers.authorization, nowMs)
    if (caller?.instanceId !== read.instanceId || !hasRole(caller, readers)) return null
    return limits.hasRoom(caller, nowMs) ? limits.count(caller, nowMs) : null
  }
}
