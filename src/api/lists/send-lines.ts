import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors/errors.ts'
import { toKnownError, toProblem } from '../errors/problem.ts'
import { NDJSON } from './ndjson.ts'

/** Refuses HTTP/1.0: its bodies end with the connection, so that an interrupted response would look complete. */
export function requireChunks({ request }: FastifyReply): void {
  if (request.raw.httpVersion !== '1.0') return
  const message = 'A streamed answer needs HTTP/1.1 at least: over HTTP/1.0 one that breaks off cannot be told from a whole one.'
  throw new ApiError(426, message, { headers: { upgrade: 'HTTP/1.1', connection: 'upgrade, close' } })
}

/**
 * Streams pieces of lines, each once the client has taken the previous one. A failure is reported in a last line
 * `{"error": …}`, and the connection is closed before the end of the response, which every HTTP client detects.
 */
export async function sendLines(reply: FastifyReply, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const { raw, request } = reply
  reply.header('content-type', NDJSON).header('cache-control', 'no-store').header('vary', 'accept, authorization')
  // Otherwise nginx buffers in files what a slow client has not taken yet.
  reply.header('x-accel-buffering', 'no')
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200)
  reply.headMs = reply.elapsedTime
  if (request.method === 'HEAD') {
    raw.end()
    return
  }
  try {
    raw.flushHeaders()
    for await (const piece of pieces) {
      if (raw.destroyed) return
      if (piece.length > 0 && !raw.write(piece)) await drained(raw)
      if (raw.destroyed) return
    }
    raw.end()
  } catch (error) {
    if (raw.destroyed) return
    const problem = toProblem(toKnownError(error, request), request.id)
    raw.write(`${JSON.stringify({ error: problem })}\n`, () => raw.destroy())
  }
}

/** Resolves when the client has taken what was written, or has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const settle = (): void => {
    response.off('drain', settle)
    response.off('close', settle)
    resolve()
  }
  response.on('drain', settle)
  response.on('close', settle)
  return promise
}
