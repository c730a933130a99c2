import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { insertUser, listUsers, type User } from '../../../src/store/access/users.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { minutesAfter } from '../../records/record-store.ts'
import { checkColumns } from '../list-columns.ts'
import { storeTenants } from '../stored.ts'

const test = databaseForTests()

it('the users of an instance are ordered and filtered by each of their properties', async () => {
  const { database } = test
  const { instanceId, otherId } = await storeTenants(database)
  const add = async (
    email: string,
    role: User['role'],
    of: string,
    more: Partial<Record<'disabled_at' | 'email_proven_at', Date>> = {},
  ) => {
    const number = ['ana', 'bo', 'cy'].indexOf(email.slice(0, -11))
    const id = randomUUID()
    const name = email.slice(0, 1).repeat(3)
    await insertUser(database, { instanceId: of, id, email, name, role, passwordHash: '' }, minutesAfter(number))
    await database.query('update users set updated_at = $2, disabled_at = $3, email_proven_at = $4 where id = $1', [
      ...[id, minutesAfter(9 - number), more.disabled_at ?? null, more.email_proven_at ?? null],
    ])
  }
  await add('cy@nordvik.ca', 'viewer', instanceId, { disabled_at: minutesAfter(3) })
  await add('ana@nordvik.ca', 'admin', instanceId, { email_proven_at: minutesAfter(7) })
  await add('bo@nordvik.ca', 'developer', instanceId, { email_proven_at: minutesAfter(4) })
  await add('di@elsewhere.ca', 'admin', otherId)
  const list = async (selection: Parameters<typeof listUsers>[2]) => (await listUsers(database, instanceId, selection)).users
  const { users, total } = await listUsers(database, instanceId, { filter: [], orderBy: 'email', descending: false, limit: 2, offset: 1 })
  expect([users.map(({ email }) => email), total]).toEqual([['bo@nordvik.ca', 'cy@nordvik.ca'], 3])
  await checkColumns<User>({
    list,
    values: {
      id: ({ id }) => id,
      email: ({ email }) => email,
      name: ({ name }) => name,
      role: ({ role }) => role,
      isEnabled: ({ isEnabled }) => isEnabled,
      createdOn: ({ createdOn }) => createdOn,
      updatedOn: ({ updatedOn }) => updatedOn,
      emailProvenOn: ({ emailProvenOn }) => emailProvenOn,
    },
  })
})
