import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import type { Role } from '../../../store/access/users.ts'
import type { Db } from '../../../store/db/database.ts'
import { listGroupRoles } from '../../../store/provisioning/group-roles.ts'
import { rolesOfGroups } from '../groups/roles-of-groups.ts'
import type { Person } from './claims.ts'

/**
 * Role that the provider's groups give a person, else that of the settings; without a claim of groups the member's own.
 * Null: none, so the person is refused.
 */
export async function roleOfPerson(
  db: Db,
  { instanceId, groupsClaim, defaultRole }: IdentityProvider,
  { groups }: Person,
  present: Role | null,
): Promise<Role | null> {
  if (groupsClaim === null) return present ?? defaultRole
  return rolesOfGroups(await listGroupRoles(db, instanceId), groups ?? []).role ?? defaultRole
}
