import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createUser } from '../../../src/api/access/account/user-accounts.ts'
import { PasswordHashing } from '../../../src/api/access/passwords/password-hashing.ts'
import type { Role } from '../../../src/store/access/users.ts'
import type { Database } from '../../../src/store/db/database.ts'

export const PASSWORD = 'violet-harbour-teapot-91'

/** The lowest cost allowed, since tests log in often. */
export const TEST_HASH_COST = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 }

/** Adds a user of an instance; the address defaults to a generated one. */
export async function addUser(
  database: Database,
  instanceId: string,
  { role = 'admin', email = `${randomUUID()}@example.com`, now = () => new Date() }: { role?: Role; email?: string; now?(): Date } = {},
): Promise<{ id: string; email: string }> {
  const account = { email, name: 'Avery Tremblay', role, password: PASSWORD }
  const { id } = await createUser({ database, hashing: new PasswordHashing(TEST_HASH_COST), now }, instanceId, account)
  return { id, email }
}

/** Raw response of a login. */
export function logInAt(app: FastifyInstance, email: string, password = PASSWORD, remoteAddress = '203.0.113.7') {
  return app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password }, remoteAddress })
}

/** Logs in; returns the token. */
export async function tokenOf(app: FastifyInstance, email: string): Promise<string> {
  return (await logInAt(app, email)).json<{ access_token: string }>().access_token
}
