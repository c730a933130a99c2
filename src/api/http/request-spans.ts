import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withinLogScope } from '../../tracing/log-scope.ts'
import { activeTracer, type Span } from '../../tracing/spans.ts'

/** Called by programs. Elsewhere strangers would join traces and decide on sampling. */
const JOINABLE = /^\/admin\/api\//

/** The `traceparent` that a request's span continues, where programs call; null: a trace begins. */
export function traceParentOf({ url = '', headers: { traceparent } }: Pick<IncomingMessage, 'url' | 'headers'>): string | null {
  return typeof traceparent === 'string' && JOINABLE.test(url) ? traceparent : null
}

/** Creates a span for each request, and adds its ids to all log lines about it. */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { id, method } = request
    const route = request.routeOptions.url ?? 'unknown'
    const facts = { 'http.request.method': method, 'http.route': route, 'countinghouse.request.id': id }
    // NOTE a request with a wrong token joins too, within the limit of its network: the token is read later.
    const { roles } = request.routeOptions.config
    const traceParent = roles === undefined || roles === 'public' ? null : traceParentOf(request.raw)
    const span = activeTracer()?.open(`${method} ${route}`, 'server', { traceParent }, facts)
    if (span) spans.set(request, span)
    within(request, span, done)
  })
  // Again, because reading a body leaves the scope.
  app.addHook('preHandler', (request, _reply, done) => within(request, spans.get(request), done))
  const end = (request: FastifyRequest, status: number | null): void => {
    const span = spans.get(request)
    spans.delete(request)
    if (status !== null) span?.set({ 'http.response.status_code': status })
    span?.end(failureOf(status))
  }
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply.statusCode)
    done()
  })
  app.addHook('onRequestAbort', async (request) => end(request, null))
}

/** Failure of ours, or of a client that went away; null: no status. */
function failureOf(status: number | null): Error | undefined {
  if (status === null) return new Aborted()
  return status >= 500 ? new ServerError() : undefined
}

class ServerError extends Error {
  override readonly name = 'ServerError'
}

class Aborted extends Error {
  override readonly name = 'Aborted'
}

function within(request: FastifyRequest, span: Span | undefined, done: () => void): void {
  const run = () => withinLogScope({ requestId: request.id }, done)
  if (span) span.run(run)
  else run()
}
