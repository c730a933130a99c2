import type { Role } from '../access/users.ts'
import type { Db } from '../db/database.ts'

/** Role that the members of a group have; the group by its name or id, as the identity provider sends it. */
export interface GroupRole {
  group: string
  role: Role
}

/** In order of names. */
export async function listGroupRoles(db: Db, instanceId: string): Promise<GroupRole[]> {
  const { rows } = await db.query<GroupRole>(
    'select group_name as "group", role from group_roles where instance_id = $1 order by group_name collate "C"',
    [instanceId],
  )
  return rows
}

/** Replaces all roles of groups of an instance. */
export async function saveGroupRoles(db: Db, instanceId: string, groupRoles: readonly GroupRole[]): Promise<void> {
  const groups = groupRoles.map(({ group }) => group)
  await db.query('delete from group_roles where instance_id = $1 and group_name <> all($2::text[])', [instanceId, groups])
  await db.query(
    `insert into group_roles (instance_id, group_name, role) select $1, * from unnest($2::text[], $3::text[])
     on conflict (instance_id, group_name) do update set role = excluded.role where group_roles.role <> excluded.role`,
    [instanceId, groups, groupRoles.map(({ role }) => role)],
  )
}
