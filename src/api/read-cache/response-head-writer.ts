import { type ServerResponse, STATUS_CODES } from 'node:http'

const SECOND_MS = 1_000

/** What Node keeps of an answer's head, which no type tells of. Source: https://github.com/nodejs/node/blob/v26.x/lib/_http_outgoing.js */
interface Outgoing {
  _header: string | null
  _keepAliveTimeout: number
}

/**
 * Writes the heads of answers whose headers are known to be good. Node looks at each name and each value of each answer, which takes a sixth of
 * the time of a compressed read, so the finished text is given to it instead (docs/decisions/0021).
 */
export class ResponseHeadWriter {
  readonly #headers: readonly string[]
  #dated = { second: Number.NaN, lines: '' }

  /** Headers of every answer, names and values in turn. */
  constructor(headers: readonly string[]) {
    this.#headers = headers
  }

  /**
   * Gives the response its head, as `writeHead` would, ready for `end`. The headers, names and values in turn, are of printable ASCII and name a
   * length for what has a body.
   */
  write(response: ServerResponse, status: number, nowMs: number, ...headers: (readonly string[])[]): void {
    if (!isLasting(response)) {
      response.writeHead(status, [...this.#headers, ...headers.flat()])
      return
    }
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${this.#linesAt(nowMs, response._keepAliveTimeout)}`
    for (const pairs of headers) text += toLines(pairs)
    response.statusCode = status
    response._header = `${text}\r\n`
  }

  /** Those that stay the same for a second. */
  #linesAt(nowMs: number, keepAliveMs: number): string {
    const second = Math.floor(nowMs / SECOND_MS)
    if (this.#dated.second !== second) {
      const date = new Date(second * SECOND_MS).toUTCString()
      const connection = ['connection', 'keep-alive', 'keep-alive', `timeout=${Math.floor(keepAliveMs / SECOND_MS)}`]
      this.#dated = { second, lines: toLines(['date', date, ...connection, ...this.#headers]) }
    }
    return this.#dated.lines
  }
}

function toLines(pairs: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`
  return lines
}

/** Whether the connection goes on after the answer, as nearly all do, and Node is one that keeps a head where this one does. */
function isLasting(response: ServerResponse): response is ServerResponse & Outgoing {
  return response.shouldKeepAlive && '_header' in response && '_keepAliveTimeout' in response
}
