import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Test endpoints: one counts the bytes of a body, one returns events as they are sent. */
export interface Streams {
  upload: string
  events: string
  send(text: string): void
  end(): void
}

export function addStreams(app: FastifyInstance): Streams {
  const events = new PassThrough()
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => {
      let bytes = 0
      payload.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      payload.on('error', done).on('end', () => done(null, bytes))
    })
    scope.post('/test/upload', { config: { audit: { none: 'counts bytes' } } }, async (request) => String(request.body))
    // The header tells nginx not to buffer the response.
    scope.get('/test/events', async (_request, reply) =>
      reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }).send(events),
    )
  })
  return {
    upload: '/test/upload',
    events: '/test/events',
    send: (text) => void events.write(text),
    end: () => void events.end(),
  }
}
