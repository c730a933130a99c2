import { randomUUID } from 'node:crypto'
import { createInstance } from '../../src/store/access/instances.ts'
import { insertUser, type Role } from '../../src/store/access/users.ts'
import type { Database } from '../../src/store/db/database.ts'

export const AT = new Date('2026-11-20T12:00:00Z')
export const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)

export const emailOf = (userId: string) => `${userId}@maple.example`

/** Stores a user with the hash `first` in place of a hashed password, which takes no time; returns the id. */
export async function storeMember(
  database: Database,
  instanceId: string,
  { role = 'admin', at = AT }: { role?: Role; at?: Date } = {},
): Promise<string> {
  const id = randomUUID()
  await insertUser(database, { instanceId, id, email: emailOf(id), name: 'Avery', role, passwordHash: 'first' }, at)
  return id
}

/** Stores two instances, the first with a user. */
export async function storeTwoInstances(database: Database): Promise<{ instanceId: string; otherId: string; userId: string }> {
  const [instanceId, otherId] = [randomUUID(), randomUUID()]
  for (const id of [instanceId, otherId]) await createInstance(database, { id, name: 'Maple Lending' })
  return { instanceId, otherId, userId: await storeMember(database, instanceId) }
}
