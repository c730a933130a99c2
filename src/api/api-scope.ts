import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { toNetwork } from '../model/values/network.ts'
import { acrossInstances, withinInstance } from '../store/db/instance-scope.ts'
import { tokenHasher } from '../store/keys/token-hash.ts'
import type { Access } from './access/access.ts'
import type { Caller } from './access/caller.ts'
import { checkAccess } from './access/guard.ts'
import type { ApiDeps } from './context/deps.ts'
import { ApiError } from './errors/errors.ts'
import { addIdempotency } from './http/idempotency.ts'
import { acceptJsonOnly } from './http/json-body.ts'
import { isChange } from './http/pause-guard.ts'
import { addPreconditions, isComparison } from './http/preconditions.ts'
import { type CallerLimits, RequestLimit } from './http/request-limits.ts'
import { dataHeaders, setPairs } from './http/security-headers.ts'
import type { UsageCounter } from './http/usage.ts'
import { queryReader } from './lists/query-names.ts'
import type { MemoryReleaser } from './read-cache/node-internals.ts'
import type { ReadFastPath } from './read-cache/read-fast-path.ts'
import { routePlugins } from './route-table.ts'
import type { RouteDeps } from './routes/route-deps.ts'

const PREFIX = '/admin/api/v1'

/** Shared instances of the server. */
export interface ApiParts {
  access: Access
  limits: CallerLimits
  fastPath: ReadFastPath
  usage: UsageCounter
  releaseMemory: MemoryReleaser
}

/**
 * Registers on `scope` what all API routes share (tokens, roles, limits, strict bodies and queries), then the routes.
 */
export async function addApiRoutes(scope: FastifyInstance, deps: RouteDeps, { access, limits, ...parts }: ApiParts): Promise<void> {
  acceptJsonOnly(scope)
  scope.addHook('onRoute', prepareRoute)
  addPreconditions(scope, deps.database)
  scope.addHook('onRequest', authenticationHook(deps, access, limits))
  scope.addHook('preHandler', enterCallerScope)
  addIdempotency(scope, deps.database, deps.sealer, tokenHasher(deps.keys, ''))
  for (const plugin of routePlugins(deps, access, parts)) await scope.register(plugin, { prefix: PREFIX })
}

/** Runs when a route is added, before it serves a request. */
function prepareRoute(route: RouteOptions): void {
  if (route.config?.roles === undefined) throw new Error(`${route.method} ${route.url} does not say which roles it takes`)
  if (route.config.roles !== 'public' && route.config.scope === undefined)
    throw new Error(`${route.method} ${route.url} does not say which scope an API key needs`)
  if (!route.schema?.tags?.length) throw new Error(`${route.method} ${route.url} has no tags, so the reference would leave it out`)
  const readQuery = queryReader(route)
  const given = [route.preValidation ?? []].flat()
  route.preValidation = [
    (request, _reply, done) => {
      readQuery(request)
      done()
    },
    ...given,
  ]
}

/** Enters the instance scope of the caller. NOTE not earlier: reading a body leaves the scope again. */
function enterCallerScope({ verifiedCaller }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (verifiedCaller) withinInstance(verifiedCaller.instanceId, done)
  else acrossInstances(done)
}

type OnRequestHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Authentication hook. Nothing here is asynchronous for a read with a cached token, which is nearly every request. */
function authenticationHook(deps: ApiDeps, { guard }: Access, limits: CallerLimits): OnRequestHook {
  const networks = new RequestLimit(deps.settings.requestLimits.perNetwork)

  function admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    if (!isComparison(request)) setPairs(reply, limits.count(caller, deps.now().getTime()))
    request.verifiedCaller = caller
    checkAccess(caller, request.routeOptions.config)
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): Error {
    if (error instanceof ApiError && error.status === 401) return errorOf(() => countNetwork(request, reply)) ?? error
    return error instanceof Error ? error : new Error(String(error))
  }

  function countNetwork(request: FastifyRequest, reply: FastifyReply): void {
    setPairs(reply, networks.count(toNetwork(request.ip), deps.now().getTime()))
  }

  return (request, reply, done) => {
    dataHeaders(reply)
    if (request.routeOptions.config.roles === 'public') return done(errorOf(() => countNetwork(request, reply)))
    const { authorization } = request.headers
    // A session that has just ended must change nothing.
    const atOnce = isChange(request)
    const caller = atOnce ? null : guard.recognize(authorization)
    if (caller) return done(errorOf(() => admit(request, reply, caller)))
    guard.identify(authorization, { atOnce }).then(
      (found) => done(errorOf(() => admit(request, reply, found))),
      (error: unknown) => done(refuse(request, reply, error)),
    )
  }
}

function errorOf(work: () => void): Error | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
