import type { Role } from '../../../store/access/users.ts'
import type { GroupRole } from '../../../store/provisioning/group-roles.ts'

/** From the role that may do the least to the one that may do the most. */
const RANKS: readonly Role[] = ['viewer', 'integration', 'developer', 'admin']

export interface RoleOfGroups {
  /** The role that may do the most among those of the groups; null if none of them has one. */
  role: Role | null
  /** Groups without a role, once each: they give nothing. */
  unknown: string[]
}

/** Role for a set of groups, by the names or ids that the identity provider sends. Names are case-sensitive. */
export function rolesOfGroups(mapping: readonly GroupRole[], groups: readonly string[]): RoleOfGroups {
  const roles = new Map(mapping.map(({ group, role }) => [group, role]))
  const found = groups.flatMap((group) => roles.get(group) ?? [])
  return {
    role: RANKS.findLast((role) => found.includes(role)) ?? null,
    unknown: [...new Set(groups)].filter((group) => !roles.has(group)),
  }
}
