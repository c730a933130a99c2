import type { FastifyInstance, RouteOptions } from 'fastify'
import { tokenHasher } from '../store/keys/token-hash.ts'
import type { Access } from './access/access.ts'
import { requireProofRule } from './access/proof/proof-rule.ts'
import { authenticationHook, enterCallerScope } from './http/authentication.ts'
import { announceDeprecation } from './http/deprecation.ts'
import { addIdempotency, callerOf } from './http/idempotency.ts'
import { addInstanceShares } from './http/instance-shares.ts'
import { acceptJsonOnly } from './http/json-body.ts'
import { refuseOtherSites } from './http/other-sites.ts'
import { addPreconditions } from './http/preconditions.ts'
import type { CallerLimits } from './http/request-limits.ts'
import type { UsageCounter } from './http/usage.ts'
import { queryReader } from './lists/query-names.ts'
import type { MemoryReleaser } from './read-cache/node-internals.ts'
import type { ReadFastPath } from './read-cache/read-fast-path.ts'
import { addReplicaReads } from './replicas/replica-reads.ts'
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
  scope.addHook('onRoute', announceDeprecation)
  addReplicaReads(scope, deps)
  addInstanceShares(scope, parts.fastPath.shares)
  addPreconditions(scope, deps.database, {
    instanceOf: ({ caller }) => caller.instanceId,
    isPublic: ({ roles }) => roles === 'public',
  })
  scope.addHook('onRequest', refuseOtherSites)
  scope.addHook('onRequest', authenticationHook(deps, access.guard, limits))
  scope.addHook('preHandler', enterCallerScope)
  addIdempotency(scope, { ...deps, hashToken: tokenHasher(deps.keys, ''), ownerOf: callerOf })
  for (const plugin of routePlugins(deps, access, parts)) await scope.register(plugin, { prefix: PREFIX })
}

/** Runs when a route is added, before it serves a request. Throws for one that does not say who may call it, or lacks a tag. */
export function prepareRoute(route: RouteOptions): void {
  if (route.config?.roles === undefined) throw new Error(`${route.method} ${route.url} does not say which roles it takes`)
  if (route.config.roles !== 'public' && route.config.scope === undefined)
    throw new Error(`${route.method} ${route.url} does not say which scope an API key needs`)
  requireProofRule(route)
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
