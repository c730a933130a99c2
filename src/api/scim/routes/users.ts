import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listScimUsers, type ScimUser } from '../../../store/provisioning/scim-users.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { readMessage } from '../messages/json.ts'
import { type ListRequest, readListQuery, readSearch, toListResponse } from '../messages/list.ts'
import { readPatch } from '../messages/patch.ts'
import { checkVersion, project } from '../messages/resource.ts'
import { USER } from '../messages/schemas.ts'
import { readUserDocument, toRequest } from '../users/user-document.ts'
import { patchUser } from '../users/user-patch.ts'
import { toUserResource } from '../users/user-resource.ts'
import { changeUser, createUser, getScimUser, removeUser } from '../users/users.ts'
import { MAX_SCIM_BYTES, SCIM_ACCESS, type ScimDeps, sendResource, sendScim } from './scim-deps.ts'

const changing = { ...SCIM_ACCESS, bodyLimit: MAX_SCIM_BYTES } as const

/** `/Users`. */
export function scimUserRoutes(deps: ScimDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listRoute, searchRoute, createRoute, getRoute, replaceRoute, patchRoute, deleteRoute])
}

async function list({ access, base }: ScimDeps, instanceId: string, request: ListRequest) {
  const found = await listScimUsers(access.database, instanceId, request)
  const resources = found.users.map((user) => project(toUserResource(user, base), request.projection))
  return toListResponse(resources, found.total, request.offset + 1)
}

const listRoute = route(
  { method: 'GET', url: '/Users', ...SCIM_ACCESS, schema: { operationId: 'scimListUsers' } },
  async (deps: ScimDeps, request, reply) => sendScim(reply, await list(deps, request.caller.instanceId, readListQuery(request.query))),
)

const searchRoute = route(
  { method: 'POST', url: '/Users/.search', ...changing, audit: { none: 'it only reads' }, schema: { operationId: 'scimSearchUsers' } },
  async (deps: ScimDeps, request, reply) => sendScim(reply, await list(deps, request.caller.instanceId, readSearch(request.body))),
)

const createRoute = route(
  { method: 'POST', url: '/Users', ...changing, audit: 'user.created', schema: { operationId: 'scimCreateUser' } },
  async ({ access, base }: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const document = readUserDocument(readMessage(request.body, USER))
    const user = await createUser(access, request.caller.instanceId, newIdFor(request), document)
    return sendResource(request, reply.code(201), toUserResource(user, base), projection)
  },
)

const getRoute = route(
  { method: 'GET', url: '/Users/:userId', ...SCIM_ACCESS, schema: { operationId: 'scimGetUser' } },
  async ({ access, base }: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const user = await getScimUser(access.database, request.caller.instanceId, idOf(request.params))
    return sendResource(request, reply, toUserResource(user, base), projection)
  },
)

const replaceRoute = route(
  { method: 'PUT', url: '/Users/:userId', ...changing, audit: 'user.changed', schema: { operationId: 'scimReplaceUser' } },
  async ({ access, base }: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const message = readMessage(request.body, USER)
    // Of a bad request rather than of an unknown user.
    readUserDocument(message)
    const user = await changeUser(access, request.caller.instanceId, idOf(request.params), (before) => {
      checkVersion(request.headers['if-match'], versionOf(before, base))
      return readUserDocument(message, before.isActive)
    })
    return sendResource(request, reply, toUserResource(user, base), projection)
  },
)

const patchRoute = route(
  { method: 'PATCH', url: '/Users/:userId', ...changing, audit: 'user.changed', schema: { operationId: 'scimPatchUser' } },
  async ({ access, base }: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const steps = readPatch(request.body)
    const id = idOf(request.params)
    const user = await changeUser(access, request.caller.instanceId, id, (before) => {
      checkVersion(request.headers['if-match'], versionOf(before, base))
      return readUserDocument(patchUser(toRequest(before), id, steps))
    })
    return sendResource(request, reply, toUserResource(user, base), projection)
  },
)

const deleteRoute = route(
  { method: 'DELETE', url: '/Users/:userId', ...SCIM_ACCESS, audit: 'user.deleted', schema: { operationId: 'scimDeleteUser' } },
  async ({ access, base }: ScimDeps, request, reply) => {
    await removeUser(access, request.caller.instanceId, idOf(request.params), (before) =>
      checkVersion(request.headers['if-match'], versionOf(before, base)),
    )
    return reply.code(204).send()
  },
)

function versionOf(user: ScimUser, base: string): string {
  return toUserResource(user, base).meta.version
}

function idOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'userId' in params ? String(params.userId).toLowerCase() : ''
}
