import { isUuid } from '../../../model/values/uuid.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { lockUsers } from '../../../store/provisioning/provisioned-roles.ts'
import {
  changeMembers,
  countScimGroups,
  deleteScimGroup,
  findScimGroup,
  isGroupNameTaken,
  listKnownUsers,
  listMemberIds,
  type ScimGroup,
  saveScimGroup,
} from '../../../store/provisioning/scim-groups.ts'
import { adoptUsers } from '../../../store/provisioning/scim-users.ts'
import type { Access } from '../../access/access.ts'
import { applyRights, recordChanges } from '../../access/groups/apply-rights.ts'
import { notFound } from '../../errors/errors.ts'
import { invalidValue, ScimError, taken } from '../messages/scim-error.ts'
import type { GroupDocument } from './group-document.ts'

const MAX_GROUPS = 2_000

/**
 * Adds a group; its members have its role at once. Throws a 409 for a name that another group has, and for a member whose
 * address another user has as user name; a 400 for unknown members.
 */
export async function createGroup(access: Access, instanceId: string, id: string, document: GroupDocument): Promise<ScimGroup> {
  return await inTransaction(access.database, async (db) => {
    await lockUsers(db, instanceId)
    if ((await countScimGroups(db, instanceId)) >= MAX_GROUPS)
      throw new ScimError(403, 'tooMany', `An instance has at most ${MAX_GROUPS} groups.`)
    await saveGroup(access, db, { instanceId, id, before: null, after: document })
    return await getGroup(db, instanceId, id)
  })
}

/**
 * Replaces a group by what `change` makes of it; roles follow at once. Throws a 404, what `change` throws, the errors of
 * `createGroup`, and a 409 if the instance would lose its last administrator.
 */
export async function changeGroup(
  access: Access,
  instanceId: string,
  id: string,
  change: (before: GroupDocument, group: ScimGroup) => GroupDocument,
): Promise<ScimGroup> {
  checkId(id)
  return await inTransaction(access.database, async (db) => {
    await lockUsers(db, instanceId)
    const group = await getGroup(db, instanceId, id)
    const { displayName, externalId } = group
    const before = { displayName, externalId, members: new Set(await listMemberIds(db, instanceId, id)) }
    const after = change(before, group)
    await saveGroup(access, db, { instanceId, id, before, after })
    return await getGroup(db, instanceId, id)
  })
}

/** Deletes a group; its members lose its role at once. Throws a 404, and a 409 for the group of the last administrator. */
export async function removeGroup(access: Access, instanceId: string, id: string, check: (group: ScimGroup) => void): Promise<void> {
  checkId(id)
  await inTransaction(access.database, async (db) => {
    await lockUsers(db, instanceId)
    const group = await getGroup(db, instanceId, id)
    check(group)
    const ids = await listMemberIds(db, instanceId, id)
    await deleteScimGroup(db, instanceId, id)
    const changes = await applyRights(access, db, { instanceId, ids })
    const entry = { instanceId, action: 'scim-group.deleted', subject: `scim-group/${id}`, before: group } as const
    await recordChanges(access, db, [{ ...entry, details: { members: ids.length } }, ...changes])
  })
}

/** Throws a 404 for an unknown group and for one of another instance. */
export async function getGroup(db: Db, instanceId: string, id: string): Promise<ScimGroup> {
  checkId(id)
  const group = await findScimGroup(db, instanceId, id)
  if (!group) throw notFound('group')
  return group
}

function checkId(id: string): void {
  if (!isUuid(id)) throw notFound('group')
}

interface SavedGroup {
  instanceId: string
  id: string
  before: GroupDocument | null
  after: GroupDocument
}

async function saveGroup(access: Access, db: Db, { instanceId, id, before, after }: SavedGroup): Promise<void> {
  const old: ReadonlySet<string> = before?.members ?? new Set()
  const [added, removed] = [[...after.members.difference(old)], [...old.difference(after.members)]]
  const isNamed = before !== null && before.displayName === after.displayName && before.externalId === after.externalId
  if (isNamed && added.length + removed.length === 0) return
  if (await isGroupNameTaken(db, instanceId, after.displayName, id)) throw taken('Another group has this displayName.')
  await checkMembers(db, instanceId, added)
  await saveScimGroup(db, instanceId, { id, displayName: after.displayName, externalId: after.externalId }, access.now())
  if (!(await adoptUsers(db, instanceId, added))) throw taken('Another user has the address of a new member as userName.')
  await changeMembers(db, { instanceId, groupId: id }, { added, removed })
  const ids = isNamed ? [...added, ...removed] : [...old.union(after.members)]
  const changes = await applyRights(access, db, { instanceId, ids })
  const action = before === null ? 'scim-group.created' : 'scim-group.changed'
  const entry = { instanceId, action, subject: `scim-group/${id}`, before, after } as const
  await recordChanges(access, db, [{ ...entry, details: { added: added.length, removed: removed.length } }, ...changes])
}

async function checkMembers(db: Db, instanceId: string, added: readonly string[]): Promise<void> {
  const known = await listKnownUsers(db, instanceId, added)
  const unknown = added.filter((id) => !known.has(id))
  if (unknown.length === 0) return
  const named = unknown.slice(0, 3).join(', ')
  throw invalidValue(
    `No such user in this instance: ${named}${unknown.length > 3 ? ` and ${unknown.length - 3} more` : ''}. Add the user first.`,
  )
}
