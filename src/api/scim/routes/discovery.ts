import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, forbidden, notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { listResourceTypes, listSchemas, toProviderConfig } from '../discovery.ts'
import type { JsonObject } from '../messages/json.ts'
import { toListResponse } from '../messages/list.ts'
import { SCIM_ACCESS, type ScimDeps, sendScim } from './scim-deps.ts'

/** What this SCIM API can do, and what it refuses as a whole. */
export function scimDiscoveryRoutes(deps: ScimDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [configRoute, typesRoute, typeRoute, schemasRoute, schemaRoute, bulkRoute, searchRoute, meRoute])
}

const configRoute = route(
  { method: 'GET', url: '/ServiceProviderConfig', ...SCIM_ACCESS, schema: { operationId: 'scimGetConfig' } },
  async ({ base }: ScimDeps, _request, reply) => sendScim(reply, toProviderConfig(base)),
)

const typesRoute = route(
  { method: 'GET', url: '/ResourceTypes', ...SCIM_ACCESS, schema: { operationId: 'scimListResourceTypes' } },
  async ({ base }: ScimDeps, request, reply) => sendAll(request, reply, listResourceTypes(base)),
)

const typeRoute = route(
  { method: 'GET', url: '/ResourceTypes/:id', ...SCIM_ACCESS, schema: { operationId: 'scimGetResourceType' } },
  async ({ base }: ScimDeps, request, reply) => sendOne(request, reply, listResourceTypes(base), 'resource type'),
)

const schemasRoute = route(
  { method: 'GET', url: '/Schemas', ...SCIM_ACCESS, schema: { operationId: 'scimListSchemas' } },
  async ({ base }: ScimDeps, request, reply) => sendAll(request, reply, listSchemas(base)),
)

const schemaRoute = route(
  { method: 'GET', url: '/Schemas/:id', ...SCIM_ACCESS, schema: { operationId: 'scimGetSchema' } },
  async ({ base }: ScimDeps, request, reply) => sendOne(request, reply, listSchemas(base), 'schema'),
)

const bulkRoute = route(
  { method: 'POST', url: '/Bulk', ...SCIM_ACCESS, audit: { none: 'it does nothing' }, schema: { operationId: 'scimBulk' } },
  async (_deps: ScimDeps) => notImplemented('Bulk operations are not supported: send one request for each change.'),
)

const searchRoute = route(
  { method: 'POST', url: '/.search', ...SCIM_ACCESS, audit: { none: 'it does nothing' }, schema: { operationId: 'scimSearch' } },
  async (_deps: ScimDeps) => notImplemented('Search in /Users/.search or in /Groups/.search.'),
)

const meRoute = route({ method: 'GET', url: '/Me', ...SCIM_ACCESS, schema: { operationId: 'scimGetMe' } }, async (_deps: ScimDeps) =>
  notImplemented('An API key is no user, so that there is no /Me.'),
)

function notImplemented(message: string): never {
  throw new ApiError(501, message)
}

/** A filter is refused. Source: https://www.rfc-editor.org/rfc/rfc7644#section-4 */
function sendAll(request: FastifyRequest, reply: FastifyReply, all: readonly JsonObject[]): FastifyReply {
  if (typeof request.query === 'object' && request.query !== null && 'filter' in request.query)
    throw forbidden('This list cannot be filtered.')
  return sendScim(reply, toListResponse(all, all.length, 1))
}

function sendOne(request: FastifyRequest, reply: FastifyReply, all: readonly (JsonObject & { id: string })[], what: string): FastifyReply {
  const { params } = request
  const id = typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : ''
  const found = all.find((each) => each.id === id)
  if (!found) throw notFound(what)
  return sendScim(reply, found)
}
