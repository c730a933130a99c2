import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from '../errors/errors.ts'
import { sendProblem } from '../errors/problem.ts'

/** Methods of each path; collected while routes are added. */
export class RouteMethods {
  readonly #routes: { pattern: RegExp; methods: string[] }[] = []

  /** Observes routes of `app`, including those of plugins. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', (route) => {
      this.#routes.push({ pattern: toPattern(route.url), methods: [route.method].flat().map((method) => method.toUpperCase()) })
    })
  }

  /** In alphabetical order; empty for an unknown path. */
  methodsAt(path: string): string[] {
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))].sort()
  }

  /** Responses for unrouted requests: 404, 405 with `Allow`, and OPTIONS. */
  readonly answerUnrouted = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [path = ''] = request.url.split('?', 1)
    const methods = this.methodsAt(path)
    if (methods.length === 0) return sendProblem(reply, notFound('address'))
    const allow = [...methods, 'OPTIONS'].join(', ')
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send()
    return sendProblem(reply, new ApiError(405, 'This address does not take this method.', { headers: { allow } }))
  }
}

/** Regular expression for paths such as `/companies/:id` and `/files/*`; a parameter is one segment. */
function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : RegExp.escape(segment)))
    .join('/')
  return new RegExp(`^${source}$`)
}
