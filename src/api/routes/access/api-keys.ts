import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { type ApiKey, listApiKeys } from '../../../store/access/api-keys.ts'
import type { Access } from '../../access/access.ts'
import { admins } from '../../access/caller.ts'
import { addApiKey, endApiKey, getApiKey, type IssuedApiKey, rotateApiKey, stateOf } from '../../access/keys/api-keys.ts'
import { isScope, SCOPES } from '../../access/keys/scopes.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { type ListDefinition, listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { NoContent, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'

const tags = ['API keys']
const MAX_DAYS = 3_650
const MAX_OVERLAP_HOURS = 720

const keyList: ListDefinition = {
  filter: {
    createdOn: 'date',
    expiresOn: 'date',
    lastUsedOn: 'date',
    revokedOn: 'date',
    id: 'uuid',
    applicationId: 'uuid',
    createdBy: 'uuid',
    name: 'string',
    prefix: 'string',
  },
  orderBy: ['createdOn', 'id', 'name', 'prefix', 'expiresOn', 'lastUsedOn', 'revokedOn'],
}

const params = strict({ keyId: Uuid })
const ScopeShape = Type.Enum([...SCOPES], {
  title: 'ApiKeyScope',
  description: 'A group of operations; each operation says which it belongs to',
})
const When = (description: string) => orNull(Type.String({ ...PlainTimestamp, description }))

const KeyShape = strict(
  {
    id: Uuid,
    applicationId: Type.String({
      format: 'uuid',
      description:
        'Stays the same when the key is rotated. It is the `ApplicationId` in the events of connections whose link was made with the key.',
    }),
    name: Type.String(),
    prefix: Type.String({ description: 'How the key begins', examples: ['ch_live_4TqYw0ab'] }),
    scopes: Type.Array(ScopeShape),
    state: Type.Enum(['active', 'expired', 'revoked']),
    createdBy: Type.String({ format: 'uuid', description: 'The user who made it' }),
    createdOn: PlainTimestamp,
    expiresOn: When('null: never'),
    lastUsedOn: When('To the minute; null: not yet'),
    revokedOn: When('null: not revoked'),
    replacedBy: orNull(Type.String({ format: 'uuid', description: 'The key that takes its place after a rotation' })),
  },
  { title: 'ApiKey' },
)

const IssuedShape = strict(
  {
    ...KeyShape.properties,
    key: Type.String({
      description: 'For the header `Authorization: Bearer …`. Shown this once and kept by its hash only.',
      examples: ['ch_live_<key>'],
    }),
  },
  { title: 'IssuedApiKey' },
)

const NewKey = strict(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'The program that uses it',
      examples: ['Nightly import'],
    }),
    scopes: Type.Array(ScopeShape, {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      examples: [['companies:read', 'data:read']],
    }),
    expiresInDays: Type.Optional(
      orNull(Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'Days from now until the key expires; null or left out: never' })),
    ),
  },
  { title: 'NewApiKey' },
)

/** API keys of the caller's instance, for admins. */
export function apiKeyRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [listApiKeysRoute, createApiKeyRoute, getApiKeyRoute, rotateApiKeyRoute, revokeApiKeyRoute])
}

const listApiKeysRoute = route(
  {
    method: 'GET',
    url: '/api-keys',
    scope: 'users',
    roles: admins,
    schema: {
      tags,
      operationId: 'listApiKeys',
      summary: 'All API keys of the instance',
      querystring: listQuerySchema(keyList),
      response: { 200: pageOf(KeyShape) },
    },
  },
  async ({ access }: AccessRouteDeps, request, reply) => {
    const list = readListQuery(request.query, keyList)
    const { keys, total } = await listApiKeys(access.database, request.user.instanceId, list)
    return listPage(
      reply,
      list,
      keys.map((key) => present(key, access.now())),
      total,
    )
  },
)

const createApiKeyRoute = route(
  {
    method: 'POST',
    url: '/api-keys',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'api-key.created',
    schema: { tags, operationId: 'createApiKey', summary: 'Create an API key', body: NewKey, response: { 201: IssuedShape } },
  },
  async (deps: AccessRouteDeps, request, reply) => {
    const { name, scopes, expiresInDays = null } = request.body
    const issued = await addApiKey(deps.access, request.user, { id: newIdFor(request), name, scopes, expiresInDays })
    return reply.code(201).send(presentIssued(issued, deps.access.now()))
  },
)

const getApiKeyRoute = route(
  {
    method: 'GET',
    url: '/api-keys/:keyId',
    scope: 'users',
    roles: admins,
    observed: ['lastUsedOn', 'state'],
    schema: { tags, operationId: 'getApiKey', summary: 'One API key', params, response: { 200: KeyShape } },
  },
  async ({ access }: AccessRouteDeps, request) =>
    present(await getApiKey(access, request.user.instanceId, request.params.keyId), access.now()),
)

const rotateApiKeyRoute = route(
  {
    method: 'POST',
    url: '/api-keys/:keyId/rotate',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'api-key.rotated',
    schema: {
      tags,
      operationId: 'rotateApiKey',
      summary: 'Replace an API key by a new one',
      params,
      body: strict({
        overlapHours: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_OVERLAP_HOURS,
            default: 24,
            description: 'How long the old key goes on beside the new one; 0: it is revoked at once',
          }),
        ),
      }),
      response: { 201: IssuedShape },
    },
  },
  async (deps: AccessRouteDeps, request, reply) => {
    const wanted = { newId: newIdFor(request), overlapHours: request.body.overlapHours ?? 24 }
    const issued = await rotateApiKey(deps.access, request.user, request.params.keyId, wanted)
    return reply.code(201).send(presentIssued(issued, deps.access.now()))
  },
)

const revokeApiKeyRoute = route(
  {
    method: 'DELETE',
    url: '/api-keys/:keyId',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'api-key.revoked',
    schema: { tags, operationId: 'revokeApiKey', summary: 'Revoke an API key', params, response: { 204: NoContent } },
  },
  async ({ access }: AccessRouteDeps, request, reply) => {
    await endApiKey(access, request.user, request.params.keyId)
    return reply.code(204).send(null)
  },
)

function presentIssued({ key, text }: IssuedApiKey, now: Date) {
  return { ...present(key, now), key: text }
}

function present(key: ApiKey, now: Date) {
  const { id, applicationId, name, prefix, scopes, createdBy, createdOn, expiresOn, lastUsedOn, revokedOn, replacedBy } = key
  return {
    ...{ id, applicationId, name, prefix, createdBy, replacedBy },
    scopes: scopes.filter(isScope),
    state: stateOf(key, now),
    createdOn: toPlainTimestamp(createdOn),
    expiresOn: expiresOn && toPlainTimestamp(expiresOn),
    lastUsedOn: lastUsedOn && toPlainTimestamp(lastUsedOn),
    revokedOn: revokedOn && toPlainTimestamp(revokedOn),
  }
}
