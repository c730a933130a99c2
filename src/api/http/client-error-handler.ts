import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { ApiError } from '../errors/errors.ts'
import { PROBLEM_TYPE, toProblem } from '../errors/problem.ts'

const TOO_SLOW = [408, 'The request took too long.'] as const

/** Parser error as a status. Source: https://nodejs.org/api/http.html#event-clienterror */
const STATUSES: Record<string, readonly [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
}

/** Time in which a refused client may read the answer; one that does not close its side is cut off then. */
const LINGER_MS = 500

/** Answers what no route can answer, and closes the connection. */
export interface ClientErrors {
  /** For bytes that are not an HTTP request, and a request that takes too long. */
  handle(error: Error & { code?: string }, socket: Duplex): void
  /** Answers 408. */
  refuseSlow(socket: Duplex): void
}

/** `headers` of each answer: names and values in turn. */
export function clientErrors(headers: readonly string[]): ClientErrors {
  return {
    handle: (error, socket) => {
      if (error.code === 'ECONNRESET' || isOfTls(error.code) || !socket.writable) {
        socket.destroy()
        return
      }
      const [status, message] = STATUSES[error.code ?? ''] ?? [400, 'The request cannot be read.']
      refuse(socket, headers, status, message)
    },
    refuseSlow: (socket) => refuse(socket, headers, ...TOO_SLOW),
  }
}

/** A handshake that failed or took too long: nothing can be answered before it is complete. */
function isOfTls(code = ''): boolean {
  return code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')
}

function refuse(socket: Duplex, headers: readonly string[], status: number, message: string): void {
  const problem = toProblem(new ApiError(status, message), randomUUID())
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${status} ${problem.title}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    ...headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : [])),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}
