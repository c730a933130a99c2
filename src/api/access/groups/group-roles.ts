import { type Db, inTransaction } from '../../../store/db/database.ts'
import { type GroupRole, listGroupRoles, saveGroupRoles } from '../../../store/provisioning/group-roles.ts'
import { listProvisionedIds, lockUsers } from '../../../store/provisioning/provisioned-roles.ts'
import { badField } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { applyRights, recordChanges } from './apply-rights.ts'

/**
 * Replaces the roles of groups; their members have the new roles at once. Throws a 400 for a repeated group, and a 409
 * if the instance would lose its last administrator.
 */
export async function replaceGroupRoles(access: Access, caller: UserCaller, wanted: readonly GroupRole[]): Promise<GroupRole[]> {
  const { instanceId, userId } = caller
  checkGroups(wanted)
  return await inTransaction(access.database, async (db) => {
    await lockUsers(db, instanceId)
    const before = await listGroupRoles(db, instanceId)
    await saveGroupRoles(db, instanceId, wanted)
    const after = await listGroupRoles(db, instanceId)
    const changes = await applyRights(access, db, { instanceId, ids: await listProvisionedIds(db, instanceId) })
    await recordDifference(access, db, { instanceId, userId, before, after })
    await recordChanges(access, db, changes)
    return after
  })
}

function checkGroups(wanted: readonly GroupRole[]): void {
  const seen = new Set<string>()
  for (const [index, { group }] of wanted.entries()) {
    if (seen.has(group)) throw badField(`groupRoles.${index}.group`, 'is given twice')
    seen.add(group)
  }
}

interface Replaced {
  instanceId: string
  userId: string
  before: readonly GroupRole[]
  after: readonly GroupRole[]
}

/** Entry with the groups that differ; none when nothing does. */
async function recordDifference(access: Access, db: Db, { instanceId, userId, before, after }: Replaced): Promise<void> {
  const toLines = (groupRoles: readonly GroupRole[]) => groupRoles.map(({ group, role }) => `${group}: ${role}`)
  const [old, present] = [new Set(toLines(before)), new Set(toLines(after))]
  const [removed, added] = [[...old.difference(present)], [...present.difference(old)]]
  if (removed.length + added.length === 0) return
  const entry = { instanceId, userId, action: 'group-roles.changed', subject: null } as const
  await audit(access, db, { ...entry, before: { groupRoles: removed }, after: { groupRoles: added }, details: { groups: after.length } })
}
