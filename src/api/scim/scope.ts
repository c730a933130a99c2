import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../store/db/database.ts'
import type { Keys } from '../../store/keys/keys.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { tokenHasher } from '../../store/keys/token-hash.ts'
import { InvalidFilter } from '../../store/provisioning/filters.ts'
import type { Access } from '../access/access.ts'
import type { ApiSettings } from '../context/settings.ts'
import { ApiError, notFound } from '../errors/errors.ts'
import { toKnownError } from '../errors/problem.ts'
import { authenticationHook, enterCallerScope } from '../http/authentication.ts'
import { addIdempotency, callerOf } from '../http/idempotency.ts'
import { addInstanceShares } from '../http/instance-shares.ts'
import { acceptJsonOnly } from '../http/json-body.ts'
import type { CallerLimits } from '../http/request-limits.ts'
import type { RouteMethods } from '../http/route-methods.ts'
import type { ReadFastPath } from '../read-cache/read-fast-path.ts'
import { ERROR } from './messages/schemas.ts'
import { ScimError } from './messages/scim-error.ts'
import { scimDiscoveryRoutes } from './routes/discovery.ts'
import { scimGroupRoutes } from './routes/groups.ts'
import { SCIM_PREFIX, SCIM_TYPE } from './routes/scim-deps.ts'
import { scimUserRoutes } from './routes/users.ts'

interface ScimScopeDeps {
  database: Database
  sealer: Sealer
  keys: Pick<Keys, 'tokenHash'>
  settings: Pick<ApiSettings, 'requestLimits' | 'publicUrl'>
  now(): Date
}

interface ScimParts {
  access: Access
  limits: CallerLimits
  methods: RouteMethods
  fastPath: Pick<ReadFastPath, 'shares'>
}

/**
 * Registers SCIM 2.0 on `scope`, whose prefix is that of SCIM: authentication by API keys, JSON of both content types,
 * errors in the form of the standard. Source: https://www.rfc-editor.org/rfc/rfc7644
 */
export async function addScimRoutes(
  scope: FastifyInstance,
  deps: ScimScopeDeps,
  { access, limits, methods, fastPath }: ScimParts,
): Promise<void> {
  acceptJsonOnly(scope, ['application/scim+json', 'application/json'])
  addInstanceShares(scope, fastPath.shares)
  scope.setErrorHandler((error, request, reply) => sendError(reply, toKnownError(toFilterError(error), request)))
  scope.setNotFoundHandler((request, reply) => sendError(reply, toUnrouted(request, methods)))
  const authenticate = authenticationHook(deps, access.guard, limits)
  scope.addHook('onRequest', (request, reply, done) => (request.is404 ? done() : authenticate(request, reply, done)))
  scope.addHook('preHandler', enterCallerScope)
  addIdempotency(scope, { ...deps, hashToken: tokenHasher(deps.keys, ''), ownerOf: callerOf })
  const given = { access, base: `${deps.settings.publicUrl}${SCIM_PREFIX}` }
  for (const plugin of [scimUserRoutes(given), scimGroupRoutes(given), scimDiscoveryRoutes(given)]) await scope.register(plugin)
}

function toFilterError(error: unknown): unknown {
  return error instanceof InvalidFilter ? new ScimError(400, 'invalidFilter', error.message) : error
}

/** Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.12 */
function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { status, message, headers, fields } = error
  const detail = [message, ...fields.map((each) => `${each.field} ${each.message}.`)].join(' ')
  const scimType = scimTypeOf(error)
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type(SCIM_TYPE)
    .send(JSON.stringify({ schemas: [ERROR], status: String(status), ...(scimType === null ? {} : { scimType }), detail }))
}

function scimTypeOf(error: ApiError): string | null {
  if (error instanceof ScimError) return error.scimType
  if (error.status === 409) return 'mutability'
  return error.status === 400 ? 'invalidSyntax' : null
}

function toUnrouted(request: FastifyRequest, methods: RouteMethods): ApiError {
  const [path = ''] = request.url.split('?', 1)
  const allowed = methods.methodsAt(path)
  if (allowed.length === 0) return notFound('address')
  return new ApiError(405, 'This address does not take this method.', { headers: { allow: allowed.join(', ') } })
}
