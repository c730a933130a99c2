import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from '../errors/errors.ts'
import { sendProblem } from '../errors/problem.ts'

/** Which methods each address takes; filled while routes are added. */
export class RouteMethods {
  readonly #routes: { pattern: RegExp; methods: string[] }[] = []

  /** Watches `app` for routes, those of plugins included. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', (route) => {
      this.#routes.push({ pattern: toPattern(route.url), methods: [route.method].flat().map((method) => method.toUpperCase()) })
    })
  }

  /** In order of the alphabet; empty for an unknown address. */
  methodsAt(path: string): string[] {
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))].sort()
  }

  /** Answers what no route takes: 404, 405 with `Allow`, or what OPTIONS asks for. */
  readonly answerUnrouted = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [path = ''] = request.url.split('?', 1)
    const methods = this.methodsAt(path)
    if (methods.length === 0) return sendProblem(reply, notFound('address'))
    const allow = [...methods, 'OPTIONS'].join(', ')
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send()
    return sendProblem(reply, new ApiError(405, 'This address does not take this method.', { headers: { allow } }))
  }
}

/** `/companies/:id` and `/files/*` as a regular expression over a path; a parameter is one segment. */
function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : RegExp.escape(segment)))
    .join('/')
  return new RegExp(`^${source}$`)
}
