import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { listGroupRoles } from '../../../store/provisioning/group-roles.ts'
import { listKnownGroups, readProvisioningState } from '../../../store/provisioning/provisioning-state.ts'
import type { Access } from '../../access/access.ts'
import { admins } from '../../access/caller.ts'
import { rolesOfGroups } from '../../access/groups/roles-of-groups.ts'
import { route, routes } from '../../http/route.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'
import { Role } from './auth-schemas.ts'

const MAX_GROUPS = 500
const count = (description: string) => Type.Integer({ description })

const Provisioning = strict(
  {
    address: Type.String({ description: 'What the identity provider has to be told, with an API key of the scope `scim`' }),
    lastRequestOn: orNull(
      Type.String({ ...PlainTimestamp, description: 'When the provider was last heard of, to the minute; null: never' }),
    ),
    users: count('Users of whom the provider has said something'),
    inactiveUsers: count('Of these: those whom the provider has disabled'),
    usersWithoutRole: count('Of these: those who cannot sign in, because neither a group nor an administrator gives them a role'),
    groupCount: count('Groups that the provider has sent'),
    groups: Type.Array(
      strict({ id: Uuid, displayName: Type.String(), externalId: orNull(Type.String()), members: Type.Integer(), role: orNull(Role) }),
      { description: `The first ${MAX_GROUPS} groups in order of names, with the roles that they give` },
    ),
  },
  { title: 'Provisioning' },
)

/** What the identity provider has done by SCIM, for admins. */
export function provisioningRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [getProvisioningRoute])
}

const getProvisioningRoute = route(
  {
    method: 'GET',
    url: '/provisioning',
    scope: 'users',
    roles: admins,
    schema: {
      tags: ['Users'],
      operationId: 'getProvisioning',
      summary: 'What the identity provider has done by SCIM',
      response: { 200: Provisioning },
    },
  },
  async ({ access, settings }: AccessRouteDeps, request) => {
    const { instanceId } = request.user
    const { lastRequestOn, groups: groupCount, ...counts } = await readProvisioningState(access.database, instanceId, 'scim')
    const mapping = await listGroupRoles(access.database, instanceId)
    const groups = await listKnownGroups(access.database, instanceId, MAX_GROUPS)
    return {
      address: `${settings.publicUrl}/scim/v2`,
      lastRequestOn: lastRequestOn && toPlainTimestamp(lastRequestOn),
      ...counts,
      groupCount,
      groups: groups.map((group) => ({ ...group, role: rolesOfGroups(mapping, namesOf(group)).role })),
    }
  },
)

function namesOf({ displayName, externalId }: { displayName: string; externalId: string | null }): string[] {
  return externalId === null ? [displayName] : [displayName, externalId]
}
