import type { Db } from '../db/database.ts'

/** State of SCIM provisioning by an instance’s identity provider. */
export interface ProvisioningState {
  /** To the minute; null: never. */
  lastRequestOn: Date | null
  users: number
  /** Users among them that the provider has disabled. */
  inactiveUsers: number
  /** Users among them that have a role neither by a group nor by an administrator. */
  usersWithoutRole: number
  groups: number
}

/** `scope`: that of the keys which the provider uses. */
export async function readProvisioningState(db: Db, instanceId: string, scope: string): Promise<ProvisioningState> {
  const { rows } = await db.query<ProvisioningState>(
    `select (select max(last_used_at) from api_keys where instance_id = $1 and $2 = any (scopes)) as "lastRequestOn", count(*)::int as users,
       count(*) filter (where not is_active)::int as "inactiveUsers",
       count(*) filter (where coalesce(role_of_groups, role_by_hand) is null)::int as "usersWithoutRole",
       (select count(*)::int from scim_groups where instance_id = $1) as groups
     from scim_users where instance_id = $1`,
    [instanceId, scope],
  )
  const [row] = rows
  if (!row) throw new Error('a count returned no row')
  return row
}

export interface KnownGroup {
  id: string
  displayName: string
  externalId: string | null
  members: number
}

/** Groups in order of names. */
export async function listKnownGroups(db: Db, instanceId: string, limit: number): Promise<KnownGroup[]> {
  const { rows } = await db.query<KnownGroup>(
    `select g.id, g.display_name as "displayName", g.external_id as "externalId",
       (select count(*)::int from scim_group_members m where m.instance_id = g.instance_id and m.group_id = g.id) as members
     from scim_groups g where g.instance_id = $1 order by g.display_name_key, g.id limit $2`,
    [instanceId, limit],
  )
  return rows
}
