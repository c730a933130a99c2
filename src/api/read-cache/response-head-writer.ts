import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from '../../egress/node-http.ts'
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
  #dated: { second: number; pairs: readonly string[]; lines: string } = { second: Number.NaN, pairs: [], lines: '' }

  constructor(options: HeadWriterOptions) {
    this.#options = options
  }

  /**
   * Sets the head of the response, as `writeHead` would, ready for `end`. The headers, names and values in turn, are
   * printable ASCII and include a length if there is a body.
   */
  write(response: ServerResponse, status: number, nowMs: number, ...headers: (readonly string[])[]): void {
    // Nearly all connections are kept alive.
    if (!response.shouldKeepAlive) {
      response.writeHead(status, [...this.#options.headers, ...headers.flat()])
      return
    }
    const dated = this.#datedAt(nowMs)
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${dated.lines}`
    for (const pairs of headers) text += toHeadLines(pairs)
    text += '\r\n'
    if (this.#options.headSetter.set(response, status, text)) return
    response.writeHead(status, [...dated.pairs, ...headers.flat()])
    this.#options.headSetter.compare(response, text)
  }

  #datedAt(nowMs: number): { pairs: readonly string[]; lines: string } {
    const second = Math.floor(nowMs / SECOND_MS)
    if (this.#dated.second !== second) {
      const { headers, keepAliveMs } = this.#options
      const date = new Date(second * SECOND_MS).toUTCString()
      const connection = ['connection', 'keep-alive', 'keep-alive', `timeout=${Math.floor(keepAliveMs / SECOND_MS)}`]
      const pairs = ['date', date, ...connection, ...headers]
      this.#dated = { second, pairs, lines: toHeadLines(pairs) }
    }
    return this.#dated
  }
}

/** Header lines; names and values in turn. */
function toHeadLines(pairs: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`
  return lines
}
