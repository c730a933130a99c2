import { auditWriter, type Change, recordAllBy } from '../../../audit/record.ts'
import type { Role } from '../../../store/access/users.ts'
import type { Db } from '../../../store/db/database.ts'
import { listGroupRoles } from '../../../store/provisioning/group-roles.ts'
import {
  endAccess,
  hasEnabledAdmin,
  listProvisionedUsers,
  type ProvisionedUser,
  saveRights,
  saveRolesOfGroups,
} from '../../../store/provisioning/provisioned-roles.ts'
import { conflict } from '../../errors/errors.ts'
import type { Access } from '../access.ts'
import { notifyOfAdmin } from '../account/notices.ts'
import { rolesOfGroups } from './roles-of-groups.ts'

/** Users at a time, so that thousands do not hold up other requests. */
const BATCH = 500
/** New administrators of one change of whom the others are mailed. */
const MAX_NOTICES = 20

interface Rights {
  role: Role
  isEnabled: boolean
}

/** User whose rights change. */
interface Changed {
  user: ProvisionedUser
  after: Rights
}

export interface AppliedTo {
  instanceId: string
  /** Users with a row of their identity provider. */
  ids: readonly string[]
  /** Whether the provider wanted the accounts to be usable before; left out: as now. */
  wasActive?: boolean
}

/**
 * Applies the rights that the identity provider wants for users, and ends the sessions of those whose rights change.
 * The role comes from the groups, else from an administrator; without either the account is disabled. Changes by an
 * administrator stay until the provider changes the same user. Returns the changes for the audit. Call `lockUsers`
 * first. Throws a 409 if the instance would lose its last administrator.
 */
export async function applyRights(access: Access, db: Db, { instanceId, ids, wasActive }: AppliedTo): Promise<Change[]> {
  const mapping = await listGroupRoles(db, instanceId)
  const changes: Changed[] = []
  for (let at = 0; at < ids.length; at += BATCH) {
    const users = await listProvisionedUsers(db, instanceId, ids.slice(at, at + BATCH))
    const found = users.map((user) => ({ user, roleOfGroups: rolesOfGroups(mapping, user.groups).role }))
    await saveRolesOfGroups(
      db,
      instanceId,
      found
        .filter(({ user, roleOfGroups }) => roleOfGroups !== user.roleOfGroups)
        .map(({ user: { id }, roleOfGroups }) => ({ id, roleOfGroups })),
    )
    const changed = found.flatMap(({ user, roleOfGroups }) => toChanged(user, roleOfGroups, wasActive ?? user.isActive))
    await saveRights(
      db,
      instanceId,
      changed.map(({ user, after }) => ({ id: user.id, ...after })),
      access.now(),
    )
    await endAccess(
      db,
      instanceId,
      changed.map(({ user }) => user.id),
      access.now(),
    )
    changes.push(...changed)
  }
  if (changes.some(({ user, after }) => isAdmin(user) && !isAdmin(after)) && !(await hasEnabledAdmin(db, instanceId))) throw lastAdmin()
  await notify(access, db, instanceId, changes)
  return changes.map(({ user, after }) => ({
    instanceId,
    action: 'user.changed',
    subject: `user/${user.id}`,
    before: { role: user.role, isEnabled: user.isEnabled },
    after,
  }))
}

/** Records what `applyRights` has returned. */
export async function recordChanges(access: Access, db: Db, changes: readonly Change[]): Promise<void> {
  for (let at = 0; at < changes.length; at += BATCH) await recordAllBy(auditWriter(access), db, changes.slice(at, at + BATCH))
}

/** A 409 for a change that would remove the last administrator. */
export function lastAdmin() {
  return conflict('An instance keeps at least one admin.')
}

/**
 * None if the provider wants the same as before; the account's own state counts after an administrator has enabled it.
 */
function toChanged(user: ProvisionedUser, roleOfGroups: Role | null, wasActive: boolean): Changed[] {
  const before = user.roleOfGroups ?? user.roleByHand
  const wanted = roleOfGroups ?? user.roleByHand
  if (wanted === before && user.isActive === wasActive) return []
  const after = { role: wanted === before ? user.role : (wanted ?? 'viewer'), isEnabled: user.isActive && wanted !== null }
  return user.role === after.role && user.isEnabled === after.isEnabled ? [] : [{ user, after }]
}

function isAdmin({ role, isEnabled }: Rights): boolean {
  return role === 'admin' && isEnabled
}

async function notify(access: Access, db: Db, instanceId: string, changes: readonly Changed[]): Promise<void> {
  const added = changes.filter(({ user, after }) => isAdmin(after) && !isAdmin(user))
  if (added.length > MAX_NOTICES) access.log.warn({ instanceId, admins: added.length }, 'not every new administrator of groups was mailed')
  for (const { user } of added.slice(0, MAX_NOTICES)) await notifyOfAdmin(access, db, { instanceId, id: user.id, email: user.email })
}
