import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { countMembers, listMemberIds, listScimGroups, type ScimGroup } from '../../../store/provisioning/scim-groups.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { patchGroup, readGroupDocument } from '../groups/group-document.ts'
import { toGroupResource, versionOf } from '../groups/group-resource.ts'
import { changeGroup, createGroup, getGroup, removeGroup } from '../groups/groups.ts'
import { readMessage } from '../messages/json.ts'
import { type ListRequest, readListQuery, readSearch, toListResponse } from '../messages/list.ts'
import { readPatch } from '../messages/patch.ts'
import { checkVersion, type Projection, project, type Resource } from '../messages/resource.ts'
import { GROUP } from '../messages/schemas.ts'
import { MAX_SCIM_BYTES, SCIM_ACCESS, type ScimDeps, sendResource, sendScim, wantsMembers } from './scim-deps.ts'

/** Members in one list at most: a page ends before the group that would pass it, but has one group. */
const MAX_LISTED_MEMBERS = 10_000
const changing = { ...SCIM_ACCESS, bodyLimit: MAX_SCIM_BYTES } as const

/** `/Groups`. */
export function scimGroupRoutes(deps: ScimDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listRoute, searchRoute, createRoute, getRoute, replaceRoute, patchRoute, deleteRoute])
}

async function list(deps: ScimDeps, instanceId: string, request: ListRequest) {
  const found = await listScimGroups(deps.access.database, instanceId, request)
  const resources = []
  for (const group of await withinMembers(deps, instanceId, found.groups, request.projection))
    resources.push(project(await toResource(deps, instanceId, group, request.projection), request.projection))
  return toListResponse(resources, found.total, request.offset + 1)
}

async function withinMembers({ access }: ScimDeps, instanceId: string, groups: readonly ScimGroup[], projection: Projection) {
  if (!wantsMembers(projection)) return groups
  const counts = await countMembers(
    access.database,
    instanceId,
    groups.map(({ id }) => id),
  )
  let members = 0
  const end = groups.findIndex(({ id }, index) => {
    members += counts.get(id) ?? 0
    return index > 0 && members > MAX_LISTED_MEMBERS
  })
  return end === -1 ? groups : groups.slice(0, end)
}

async function toResource({ access, base }: ScimDeps, instanceId: string, group: ScimGroup, projection: Projection): Promise<Resource> {
  const memberIds = wantsMembers(projection) ? await listMemberIds(access.database, instanceId, group.id) : []
  return toGroupResource(group, memberIds, base)
}

const listRoute = route(
  { method: 'GET', url: '/Groups', ...SCIM_ACCESS, schema: { operationId: 'scimListGroups' } },
  async (deps: ScimDeps, request, reply) => sendScim(reply, await list(deps, request.caller.instanceId, readListQuery(request.query))),
)

const searchRoute = route(
  { method: 'POST', url: '/Groups/.search', ...changing, audit: { none: 'it only reads' }, schema: { operationId: 'scimSearchGroups' } },
  async (deps: ScimDeps, request, reply) => sendScim(reply, await list(deps, request.caller.instanceId, readSearch(request.body))),
)

const createRoute = route(
  {
    method: 'POST',
    url: '/Groups',
    ...changing,
    audit: ['scim-group.created', 'user.changed'],
    schema: { operationId: 'scimCreateGroup' },
  },
  async (deps: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const { instanceId } = request.caller
    const document = readGroupDocument(readMessage(request.body, GROUP))
    const group = await createGroup(deps.access, instanceId, newIdFor(request), document)
    return sendResource(request, reply.code(201), await toResource(deps, instanceId, group, projection), projection)
  },
)

const getRoute = route(
  { method: 'GET', url: '/Groups/:groupId', ...SCIM_ACCESS, schema: { operationId: 'scimGetGroup' } },
  async (deps: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const { instanceId } = request.caller
    const group = await getGroup(deps.access.database, instanceId, idOf(request.params))
    return sendResource(request, reply, await toResource(deps, instanceId, group, projection), projection)
  },
)

const replaceRoute = route(
  {
    method: 'PUT',
    url: '/Groups/:groupId',
    ...changing,
    audit: ['scim-group.changed', 'user.changed'],
    schema: { operationId: 'scimReplaceGroup' },
  },
  async (deps: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const { instanceId } = request.caller
    const document = readGroupDocument(readMessage(request.body, GROUP))
    const group = await changeGroup(deps.access, instanceId, idOf(request.params), (_before, known) => {
      checkVersion(request.headers['if-match'], versionOf(known))
      return document
    })
    return sendResource(request, reply, await toResource(deps, instanceId, group, projection), projection)
  },
)

/** Answers without a body: a group may have thousands of members. */
const patchRoute = route(
  {
    method: 'PATCH',
    url: '/Groups/:groupId',
    ...changing,
    audit: ['scim-group.changed', 'user.changed'],
    schema: { operationId: 'scimPatchGroup' },
  },
  async (deps: ScimDeps, request, reply) => {
    const { projection } = readListQuery(request.query)
    const { instanceId } = request.caller
    const steps = readPatch(request.body)
    const id = idOf(request.params)
    const group = await changeGroup(deps.access, instanceId, id, (before, known) => {
      checkVersion(request.headers['if-match'], versionOf(known))
      return patchGroup(before, id, steps)
    })
    if (projection.only !== null) return sendResource(request, reply, await toResource(deps, instanceId, group, projection), projection)
    return reply.code(204).header('etag', versionOf(group)).send()
  },
)

const deleteRoute = route(
  {
    method: 'DELETE',
    url: '/Groups/:groupId',
    ...SCIM_ACCESS,
    audit: ['scim-group.deleted', 'user.changed'],
    schema: { operationId: 'scimDeleteGroup' },
  },
  async ({ access }: ScimDeps, request, reply) => {
    await removeGroup(access, request.caller.instanceId, idOf(request.params), (group) =>
      checkVersion(request.headers['if-match'], versionOf(group)),
    )
    return reply.code(204).send()
  },
)

function idOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'groupId' in params ? String(params.groupId).toLowerCase() : ''
}
