import { randomUUID } from 'node:crypto'
import type { Role } from '../../src/store/access/users.ts'
import type { Database } from '../../src/store/db/database.ts'
import { changeMembers, saveScimGroup } from '../../src/store/provisioning/scim-groups.ts'
import { insertScimUser } from '../../src/store/provisioning/scim-users.ts'
import { AT } from '../records/record-store.ts'

/** Stores a user of an instance, without a password that anybody knows. */
export async function storeUser(
  database: Database,
  instanceId: string,
  {
    name = 'Avery',
    role = 'viewer',
    createdAt = AT,
    updatedAt = createdAt,
  }: { name?: string; role?: Role; createdAt?: Date; updatedAt?: Date } = {},
): Promise<{ id: string; email: string }> {
  const id = randomUUID()
  const email = `${name.toLowerCase()}-${id}@maple.example`
  await database.query(
    `insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at) values ($1, $2, $3, $4, $5, 'x', $6, $7)`,
    [instanceId, id, email, name, role, createdAt, updatedAt],
  )
  return { id, email }
}

/** Stores a viewer whom an identity provider has sent; returns the id. */
export async function storeProvisioned(database: Database, instanceId: string, isActive = true): Promise<string> {
  const { id } = await storeUser(database, instanceId)
  await insertScimUser(database, instanceId, id, { userName: id, externalId: null, attributes: {}, isActive })
  return id
}

/** Stores a group of an identity provider with these members; returns its id. */
export async function storeGroup(
  database: Database,
  instanceId: string,
  displayName: string,
  { members = [], externalId = null }: { members?: string[]; externalId?: string | null } = {},
): Promise<string> {
  const id = randomUUID()
  await saveScimGroup(database, instanceId, { id, displayName, externalId }, AT)
  await changeMembers(database, { instanceId, groupId: id }, { added: members, removed: [] })
  return id
}
