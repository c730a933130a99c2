import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ApiSettings } from '../context/settings.ts'
import { compileSchemasLazily, noOwnCompilers } from '../schemas/lazy-schemas.ts'
import type { GeneratedDocument } from './operator-document.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** OpenAPI document of all routes of the server, generated when it is first asked for. */
    routeDocument(): Promise<GeneratedDocument>
  }
}

/**
 * Decorates a server with `routeDocument`. To be called before routes are added. What generates documents is loaded, and
 * given the routes, only when somebody asks: it is a twentieth of the code of a start, and most processes never need it.
 */
export function documentRoutes(app: FastifyInstance, settings: ApiSettings): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })
  let made: Promise<GeneratedDocument> | null = null
  app.decorate('routeDocument', () => {
    made ??= generate(routes, settings)
    return made
  })
}

/** A second server, which never listens, has the same routes: the generator reads those that are added after it. */
async function generate(routes: readonly RouteOptions[], settings: ApiSettings): Promise<GeneratedDocument> {
  const [{ default: fastify }, { default: swagger }, { openapiOptions }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('./openapi.ts'),
  ])
  const documented = fastify({ exposeHeadRoutes: false, schemaController: noOwnCompilers })
  compileSchemasLazily(documented)
  documented.register(swagger, openapiOptions(settings))
  documented.register(async (scope) => {
    for (const { method, url, schema, config } of routes)
      scope.route({ method, url, ...(schema ? { schema } : {}), ...(config ? { config } : {}), handler: neverCalled })
  })
  await documented.ready()
  return documented.swagger()
}

function neverCalled(): never {
  throw new Error('a server that only describes routes was asked')
}
