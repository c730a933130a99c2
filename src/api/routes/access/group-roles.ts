import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { listGroupRoles } from '../../../store/provisioning/group-roles.ts'
import type { Access } from '../../access/access.ts'
import { admins } from '../../access/caller.ts'
import { replaceGroupRoles } from '../../access/groups/group-roles.ts'
import { route, routes } from '../../http/route.ts'
import { strict } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'
import { Role } from './auth-schemas.ts'

const tags = ['Users']
const MAX_GROUPS = 500

const GroupRoles = strict(
  {
    groupRoles: Type.Array(
      strict({
        group: Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: '\\S',
          description: 'Name or id of the group, as the identity provider sends it; capitals matter',
          examples: ['Finance'],
        }),
        role: Role,
      }),
      { maxItems: MAX_GROUPS, description: 'In order of names' },
    ),
  },
  { title: 'GroupRoles' },
)

/** Roles of the groups of the instance's identity provider, for admins. */
export function groupRoleRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [getGroupRolesRoute, changeGroupRolesRoute])
}

const getGroupRolesRoute = route(
  {
    method: 'GET',
    url: '/group-roles',
    scope: 'users',
    roles: admins,
    schema: { tags, operationId: 'getGroupRoles', summary: 'Roles of the identity provider’s groups', response: { 200: GroupRoles } },
  },
  async ({ access }: AccessRouteDeps, request) => ({ groupRoles: await listGroupRoles(access.database, request.user.instanceId) }),
)

const changeGroupRolesRoute = route(
  {
    method: 'PUT',
    url: '/group-roles',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: ['group-roles.changed', 'user.changed'],
    schema: {
      tags,
      operationId: 'updateGroupRoles',
      summary: 'Replace the roles of the identity provider’s groups',
      body: GroupRoles,
      response: { 200: GroupRoles },
    },
  },
  async ({ access }: AccessRouteDeps, request) => ({
    groupRoles: await replaceGroupRoles(access, request.user, request.body.groupRoles),
  }),
)
