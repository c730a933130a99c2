import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from '../../egress/node-http.ts'
import { HeaderList, toHeadLines } from './header-list.ts'
import type { HeadSetter } from './node-internals.ts'

const SECOND_MS = 1_000

interface HeadWriterOptions {
  /** Headers of every response, names and values in turn. */
  headers: readonly string[]
  /** Keep-alive timeout of the server. */
  keepAliveMs: number
  headSetter: HeadSetter
}

/**
 * Response head writer for headers known to be valid. Node validates each name and value of each response, which takes
 * a sixth of the time of a compressed read, so where possible the serialized text is set instead (docs/decisions/0021).
 */
export class ResponseHeadWriter {
  readonly #options: HeadWriterOptions
  /** Headers that are constant for a second, as pairs and as text. */
  #dated = { second: Number.NaN, headers: new HeaderList([]) }

  constructor(options: HeadWriterOptions) {
    this.#options = options
  }

  /**
   * Sets the head of the response, as `writeHead` would, ready for `end`. The headers are those of this response alone,
   * names and values in turn, and those of all responses with its content, which include a length if there is a body.
   * All are printable ASCII.
   */
  write(response: ServerResponse, status: number, nowMs: number, own: readonly string[], lasting: HeaderList): void {
    // Nearly all connections are kept alive.
    if (!response.shouldKeepAlive) {
      response.writeHead(status, [...this.#options.headers, ...own, ...lasting.pairs])
      return
    }
    const dated = this.#datedAt(nowMs)
    const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${dated.lines}${toHeadLines(own)}${lasting.lines}\r\n`
    if (this.#options.headSetter.set(response, status, text)) return
    response.writeHead(status, [...dated.pairs, ...own, ...lasting.pairs])
    this.#options.headSetter.compare(response, text)
  }

  #datedAt(nowMs: number): HeaderList {
    const second = Math.floor(nowMs / SECOND_MS)
    if (this.#dated.second !== second) {
      const { headers, keepAliveMs } = this.#options
      const date = new Date(second * SECOND_MS).toUTCString()
      const connection = ['connection', 'keep-alive', 'keep-alive', `timeout=${Math.floor(keepAliveMs / SECOND_MS)}`]
      this.#dated = { second, headers: new HeaderList(['date', date, ...connection, ...headers]) }
    }
    return this.#dated.headers
  }
}
