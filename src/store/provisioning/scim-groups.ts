import type { Db } from '../db/database.ts'
import { countRows } from '../db/lists/count-rows.ts'
import { type FilterColumns, toFilterSql, toNameKey } from './filters.ts'
import type { ScimPage } from './scim-users.ts'

/** Group of an identity provider. */
export interface ScimGroup {
  id: string
  displayName: string
  externalId: string | null
  /** Raised by each change, of members too. */
  version: number
  createdOn: Date
  updatedOn: Date
}

const COLUMNS =
  'g.id, g.display_name as "displayName", g.external_id as "externalId", g.version, g.created_at as "createdOn", g.updated_at as "updatedOn"'

/** Attributes of groups that can be filtered. */
const GROUP_FILTERS: FilterColumns = {
  id: { sql: 'g.id::text', type: 'exact' },
  displayname: { sql: 'g.display_name', type: 'text', equals: 'g.display_name_key = :value' },
  externalid: { sql: 'g.external_id', type: 'exact' },
  members: membersColumn(),
  'members.value': membersColumn(),
  'meta.created': { sql: `date_trunc('milliseconds', g.created_at)`, type: 'date' },
  'meta.lastmodified': { sql: `date_trunc('milliseconds', g.updated_at)`, type: 'date' },
}

function membersColumn() {
  const members = 'scim_group_members m where m.instance_id = g.instance_id and m.group_id = g.id'
  return {
    sql: `(select 'any' from ${members} limit 1)`,
    type: 'exact' as const,
    equals: `exists (select from ${members} and m.user_id::text = :value)`,
    isEqualsOnly: true,
  }
}

/** Oldest first. Throws `InvalidFilter`. */
export async function listScimGroups(db: Db, instanceId: string, page: ScimPage): Promise<{ groups: ScimGroup[]; total: number }> {
  const values: unknown[] = [instanceId]
  const from = `from scim_groups g where g.instance_id = $1 and ${page.filter === null ? 'true' : toFilterSql(page.filter, GROUP_FILTERS, values)}`
  const total = await countRows(db, from, values)
  if (page.limit === 0 || page.offset >= total) return { groups: [], total }
  const { rows } = await db.query<ScimGroup>(
    `select ${COLUMNS} ${from} order by g.created_at, g.id limit $${values.push(page.limit)} offset $${values.push(page.offset)}`,
    values,
  )
  return { groups: rows, total }
}

export async function findScimGroup(db: Db, instanceId: string, id: string): Promise<ScimGroup | null> {
  const { rows } = await db.query<ScimGroup>(`select ${COLUMNS} from scim_groups g where g.instance_id = $1 and g.id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Numbers of members by group. */
export async function countMembers(db: Db, instanceId: string, groupIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; members: string }>(
    'select group_id as id, count(*) as members from scim_group_members where instance_id = $1 and group_id = any($2::uuid[]) group by 1',
    [instanceId, groupIds],
  )
  return new Map(rows.map(({ id, members }) => [id, Number(members)]))
}

/** Ids of the members of a group, in their order. */
export async function listMemberIds(db: Db, instanceId: string, groupId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select user_id as id from scim_group_members where instance_id = $1 and group_id = $2 order by user_id',
    [instanceId, groupId],
  )
  return rows.map(({ id }) => id)
}

/** Ids of these that belong to users of the instance. */
export async function listKnownUsers(db: Db, instanceId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>('select id from users where instance_id = $1 and id = any($2::uuid[])', [instanceId, ids])
  return new Set(rows.map(({ id }) => id))
}

export async function isGroupNameTaken(db: Db, instanceId: string, displayName: string, exceptId: string | null): Promise<boolean> {
  const { rows } = await db.query(
    'select from scim_groups where instance_id = $1 and display_name_key = $2 and ($3::uuid is null or id <> $3)',
    [instanceId, toNameKey(displayName), exceptId],
  )
  return rows.length > 0
}

export async function countScimGroups(db: Db, instanceId: string): Promise<number> {
  return await countRows(db, 'from scim_groups where instance_id = $1', [instanceId])
}

/** Adds or replaces a group without its members. */
export async function saveScimGroup(
  db: Db,
  instanceId: string,
  { id, displayName, externalId }: Pick<ScimGroup, 'id' | 'displayName' | 'externalId'>,
  at: Date,
): Promise<void> {
  await db.query(
    `insert into scim_groups (instance_id, id, display_name, display_name_key, external_id, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (instance_id, id) do update set display_name = excluded.display_name, display_name_key = excluded.display_name_key,
       external_id = excluded.external_id, version = scim_groups.version + 1, updated_at = excluded.updated_at`,
    [instanceId, id, displayName, toNameKey(displayName), externalId, at],
  )
}

export async function changeMembers(
  db: Db,
  { instanceId, groupId }: { instanceId: string; groupId: string },
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<void> {
  await db.query('delete from scim_group_members where instance_id = $1 and group_id = $2 and user_id = any($3::uuid[])', [
    instanceId,
    groupId,
    removed,
  ])
  await db.query(
    'insert into scim_group_members (instance_id, group_id, user_id) select $1, $2, unnest($3::uuid[]) on conflict do nothing',
    [instanceId, groupId, added],
  )
}

export async function deleteScimGroup(db: Db, instanceId: string, id: string): Promise<void> {
  await db.query('delete from scim_groups where instance_id = $1 and id = $2', [instanceId, id])
}
