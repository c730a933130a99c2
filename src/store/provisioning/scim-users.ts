import { hasCode } from '../../model/error-code.ts'
import type { Db } from '../db/database.ts'
import { countRows } from '../db/lists/count-rows.ts'
import { type FilterColumns, type ScimFilter, toFilterSql, toNameKey } from './filters.ts'

export interface ScimName {
  formatted?: string
  familyName?: string
  givenName?: string
}

export interface ScimEmail {
  value: string
  type?: string
  primary?: boolean
}

/** Stored attributes of a user, as the identity provider sent them. */
export interface ScimAttributes {
  displayName?: string
  name?: ScimName
  emails?: ScimEmail[]
}

/** User as an identity provider sees it; an account that no provider has changed has its own values. */
export interface ScimUser {
  id: string
  userName: string
  externalId: string | null
  attributes: ScimAttributes
  isActive: boolean
  groups: { id: string; displayName: string }[]
  email: string
  /** Name of the account. */
  name: string
  createdOn: Date
  updatedOn: Date
}

export interface ScimUserRow {
  userName: string
  externalId: string | null
  attributes: ScimAttributes
  isActive: boolean
}

/** Attributes of an account that no identity provider has changed. */
const ATTRIBUTES_OF_ACCOUNT = `jsonb_build_object('displayName', u.name,
  'emails', jsonb_build_array(jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)))`

const FROM = 'from users u left join scim_users s on s.instance_id = u.instance_id and s.user_id = u.id'

const COLUMNS = `u.id, coalesce(s.user_name, u.email) as "userName", s.external_id as "externalId", coalesce(s.attributes, ${ATTRIBUTES_OF_ACCOUNT}) as attributes,
  coalesce(s.is_active, u.disabled_at is null) as "isActive", u.email, u.name, u.created_at as "createdOn", u.updated_at as "updatedOn",
  coalesce((select jsonb_agg(jsonb_build_object('id', g.id, 'displayName', g.display_name) order by g.display_name_key) from scim_group_members m
    join scim_groups g on g.instance_id = m.instance_id and g.id = m.group_id where m.instance_id = u.instance_id and m.user_id = u.id), '[]') as groups`

/** Milliseconds, as they are shown. */
const CREATED = `date_trunc('milliseconds', u.created_at)`
const UPDATED = `date_trunc('milliseconds', u.updated_at)`

/** Attributes of users that can be filtered. */
const USER_FILTERS: FilterColumns = {
  id: { sql: 'u.id::text', type: 'exact' },
  username: {
    sql: 'coalesce(s.user_name, u.email)',
    type: 'text',
    // Two look-ups by index: of names that were sent, and of addresses of users whom no provider has touched.
    equals: `u.id in (select user_id from scim_users where instance_id = $1 and user_name_key = :value
      union all select x.id from users x where x.instance_id = $1 and x.email = :value
        and not exists (select from scim_users y where y.instance_id = $1 and y.user_id = x.id))`,
  },
  externalid: { sql: 's.external_id', type: 'exact' },
  active: { sql: 'coalesce(s.is_active, u.disabled_at is null)', type: 'boolean' },
  displayname: { sql: `case when s.user_id is null then u.name else s.attributes ->> 'displayName' end`, type: 'text' },
  'name.givenname': { sql: `(s.attributes #>> '{name,givenName}')`, type: 'text' },
  'name.familyname': { sql: `(s.attributes #>> '{name,familyName}')`, type: 'text' },
  'name.formatted': { sql: `(s.attributes #>> '{name,formatted}')`, type: 'text' },
  emails: { sql: 'u.email', type: 'text', equals: 'u.email = :value' },
  'emails.value': { sql: 'u.email', type: 'text', equals: 'u.email = :value' },
  'meta.created': { sql: CREATED, type: 'date' },
  'meta.lastmodified': { sql: UPDATED, type: 'date' },
}

export interface ScimPage {
  filter: ScimFilter | null
  /** Number of resources to skip. */
  offset: number
  limit: number
}

/** Oldest first. Throws `InvalidFilter`. */
export async function listScimUsers(db: Db, instanceId: string, page: ScimPage): Promise<{ users: ScimUser[]; total: number }> {
  const values: unknown[] = [instanceId]
  const condition = `u.instance_id = $1 and ${page.filter === null ? 'true' : toFilterSql(page.filter, USER_FILTERS, values)}`
  const total = await countRows(db, `${FROM} where ${condition}`, values)
  if (page.limit === 0 || page.offset >= total) return { users: [], total }
  const { rows } = await db.query<ScimUser>(
    `select ${COLUMNS} ${FROM} where ${condition} order by u.created_at, u.id limit $${values.push(page.limit)} offset $${values.push(page.offset)}`,
    values,
  )
  return { users: rows, total }
}

export async function findScimUser(db: Db, instanceId: string, id: string): Promise<ScimUser | null> {
  const { rows } = await db.query<ScimUser>(`select ${COLUMNS} ${FROM} where u.instance_id = $1 and u.id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Whether another user of the instance has this user name, compared without regard to capitals. */
export async function isUserNameTaken(db: Db, instanceId: string, userName: string, exceptId: string | null): Promise<boolean> {
  const { rows } = await db.query(
    `select from scim_users where instance_id = $1 and user_name_key = $2 and ($3::uuid is null or user_id <> $3)
     union all select from users u where u.instance_id = $1 and u.email = $2 and ($3::uuid is null or u.id <> $3)
       and not exists (select from scim_users s where s.instance_id = $1 and s.user_id = u.id)`,
    [instanceId, toNameKey(userName), exceptId],
  )
  return rows.length > 0
}

/** Stores the attributes of a user created by an identity provider. */
export async function insertScimUser(db: Db, instanceId: string, userId: string, row: ScimUserRow): Promise<void> {
  const { userName, externalId, attributes, isActive } = row
  await db.query(
    `insert into scim_users (instance_id, user_id, user_name, user_name_key, external_id, attributes, is_active) values ($1, $2, $3, $4, $5, $6, $7)`,
    [instanceId, userId, userName, toNameKey(userName), externalId, JSON.stringify(attributes), isActive],
  )
}

/**
 * Begins to keep what an identity provider says of these users, from what their accounts have. False when another user
 * has the address of one of them as user name: the transaction has failed then.
 */
export async function adoptUsers(db: Db, instanceId: string, ids: readonly string[]): Promise<boolean> {
  return await isUnique(() =>
    db.query(
      `insert into scim_users (instance_id, user_id, user_name, user_name_key, attributes, is_active, role_by_hand)
     select u.instance_id, u.id, u.email, u.email, ${ATTRIBUTES_OF_ACCOUNT}, u.disabled_at is null, u.role
     from users u where u.instance_id = $1 and u.id = any($2::uuid[]) on conflict (instance_id, user_id) do nothing`,
      [instanceId, ids],
    ),
  )
}

/** Replaces the stored attributes of a user; roles stay. */
export async function updateScimUser(db: Db, instanceId: string, userId: string, row: ScimUserRow): Promise<void> {
  const { userName, externalId, attributes, isActive } = row
  await db.query(
    `update scim_users set user_name = $3, user_name_key = $4, external_id = $5, attributes = $6, is_active = $7
     where instance_id = $1 and user_id = $2`,
    [instanceId, userId, userName, toNameKey(userName), externalId, JSON.stringify(attributes), isActive],
  )
}

/** Error code of PostgreSQL. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505'

/**
 * Replaces name and address of an account; a new address is not proven. False when the address is taken, in any
 * instance: the transaction has failed then.
 */
export async function updateAccount(
  db: Db,
  instanceId: string,
  id: string,
  { name, email, at }: { name: string; email: string; at: Date },
): Promise<boolean> {
  return await isUnique(() =>
    db.query(
      `update users set name = $3, email = $4, email_proven_at = case when email = $4 then email_proven_at end, updated_at = $5
       where instance_id = $1 and id = $2`,
      [instanceId, id, name, email, at],
    ),
  )
}

/** False when a value that has to be unique is taken. */
async function isUnique(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (hasCode(error, UNIQUE_VIOLATION)) return false
    throw error
  }
}
