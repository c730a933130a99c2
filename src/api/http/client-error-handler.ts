import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError } from '../errors/errors.ts'
import { PROBLEM_TYPE, toProblem } from '../errors/problem.ts'

/** Parser error as a status. Source: https://nodejs.org/api/http.html#event-clienterror */
const STATUSES: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long.'],
}

/**
 * Client error handler: answers bytes that are not an HTTP request, or a request that takes too long, and closes the
 * connection.
 */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = STATUSES[error.code ?? ''] ?? [400, 'The request cannot be read.']
  const problem = toProblem(new ApiError(status, message), randomUUID())
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${status} ${problem.title}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
