import type { Role } from '../access/users.ts'
import type { Db } from '../db/database.ts'

/** Account of a user, with its state at the identity provider. */
export interface ProvisionedUser {
  id: string
  email: string
  name: string
  role: Role
  isEnabled: boolean
  /** Whether the provider wants the account to be active. */
  isActive: boolean
  /** Role by groups, when last computed; null: none. */
  roleOfGroups: Role | null
  /** Role that applies if the groups give none. */
  roleByHand: Role | null
  /** Names and external ids of the groups. */
  groups: string[]
}

/** Serializes changes of the users of an instance by identity providers and administrators until the transaction ends. */
export async function lockUsers(db: Db, instanceId: string): Promise<void> {
  await db.query('select from instances where id = $1 for no key update', [instanceId])
}

export async function listProvisionedUsers(db: Db, instanceId: string, ids: readonly string[]): Promise<ProvisionedUser[]> {
  const { rows } = await db.query<ProvisionedUser>(
    `select u.id, u.email, u.name, u.role, u.disabled_at is null as "isEnabled", s.is_active as "isActive",
       s.role_of_groups as "roleOfGroups", s.role_by_hand as "roleByHand",
       array(select n.name from scim_group_members m
         join scim_groups g on g.instance_id = m.instance_id and g.id = m.group_id
         cross join lateral unnest(array[g.display_name, g.external_id]) as n (name)
         where m.instance_id = u.instance_id and m.user_id = u.id and n.name is not null) as groups
     from users u join scim_users s on s.instance_id = u.instance_id and s.user_id = u.id
     where u.instance_id = $1 and u.id = any($2::uuid[]) order by u.id`,
    [instanceId, ids],
  )
  return rows
}

/** Users known to an identity provider, in order of ids. */
export async function listProvisionedIds(db: Db, instanceId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>('select user_id as id from scim_users where instance_id = $1 order by user_id', [
    instanceId,
  ])
  return rows.map(({ id }) => id)
}

/** Stores the roles by groups. */
export async function saveRolesOfGroups(
  db: Db,
  instanceId: string,
  users: readonly { id: string; roleOfGroups: Role | null }[],
): Promise<void> {
  await db.query(
    `update scim_users s set role_of_groups = n.role from unnest($2::uuid[], $3::text[]) as n (id, role)
     where s.instance_id = $1 and s.user_id = n.id`,
    [instanceId, users.map(({ id }) => id), users.map(({ roleOfGroups }) => roleOfGroups)],
  )
}

/**
 * Stores the role that an administrator has given to a user of an identity provider, or with which a user without a
 * role by groups is enabled or disabled: such a user no longer waits for a role. No effect on other users.
 */
export async function noteRoleByHand(
  db: Db,
  { instanceId, id, role: before }: { instanceId: string; id: string; role: Role },
  role: Role,
): Promise<void> {
  await db.query(`update scim_users set role_by_hand = $3 where instance_id = $1 and user_id = $2 and ($4 or role_of_groups is null)`, [
    instanceId,
    id,
    role,
    role !== before,
  ])
}

/**
 * Whether only a role is missing: the identity provider has added the disabled user, and wants the account to be
 * active.
 */
export async function waitsForRole(db: Db, { instanceId, id }: { instanceId: string; id: string }): Promise<boolean> {
  const { rows } = await db.query(
    'select from scim_users where instance_id = $1 and user_id = $2 and is_active and coalesce(role_of_groups, role_by_hand) is null',
    [instanceId, id],
  )
  return rows.length > 0
}

/** Replaces role and enabled state of accounts. */
export async function saveRights(
  db: Db,
  instanceId: string,
  users: readonly { id: string; role: Role; isEnabled: boolean }[],
  at: Date,
): Promise<void> {
  await db.query(
    `update users u set role = n.role, disabled_at = case when n.enabled then null else coalesce(u.disabled_at, $5) end, updated_at = $5
     from unnest($2::uuid[], $3::text[], $4::boolean[]) as n (id, role, enabled) where u.instance_id = $1 and u.id = n.id`,
    [instanceId, users.map(({ id }) => id), users.map(({ role }) => role), users.map(({ isEnabled }) => isEnabled), at],
  )
}

/** Ends all sessions and password resets of these users, and their logins that wait for the second step. */
export async function endAccess(db: Db, instanceId: string, ids: readonly string[], at: Date): Promise<void> {
  // In the order of `endSessionsOfUser`.
  await db.query(
    'update login_challenges set completed_at = $3 where instance_id = $1 and user_id = any($2::uuid[]) and completed_at is null',
    [instanceId, ids, at],
  )
  await db.query(
    `update sessions set ended_at = $3, end_reason = 'changed by the identity provider'
     where instance_id = $1 and user_id = any($2::uuid[]) and ended_at is null`,
    [instanceId, ids, at],
  )
  await db.query(
    'update password_resets set used_at = clock_timestamp() where instance_id = $1 and user_id = any($2::uuid[]) and used_at is null',
    [instanceId, ids],
  )
}

export async function hasEnabledAdmin(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await db.query(`select from users where instance_id = $1 and role = 'admin' and disabled_at is null limit 1`, [
    instanceId,
  ])
  return rows.length > 0
}
