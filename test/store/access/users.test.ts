import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { insertUser, listUsers, type NewUser, type User } from '../../../src/store/access/users.ts'
import type { Selection } from '../../../src/store/db/list-selection.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { minutesAfter } from '../../records/record-store.ts'
import { checkColumns } from '../list-columns.ts'
import { storeTenants } from '../stored.ts'

const test = databaseForTests()

/** Minutes at which each happened; null: never. */
const USERS = [
  { email: 'cy@nordvik.ca', name: 'Cy Gagnon', role: 'viewer', created: 2, updated: 7, disabled: 3, proven: null },
  { email: 'ana@nordvik.ca', name: 'Ana Roy', role: 'admin', created: 0, updated: 9, disabled: null, proven: 7 },
  { email: 'bo@nordvik.ca', name: 'Bo Tran', role: 'developer', created: 1, updated: 8, disabled: null, proven: 4 },
] as const

it('the users of an instance are ordered and filtered by each of their properties', async () => {
  const { database } = test
  const { instanceId, otherId } = await storeTenants(database)
  const add = async (user: Pick<NewUser, 'instanceId' | 'email' | 'name' | 'role'>, created: number): Promise<string> => {
    const id = randomUUID()
    await insertUser(database, { ...user, id, passwordHash: '' }, minutesAfter(created))
    return id
  }
  const at = (minutes: number | null) => (minutes === null ? null : minutesAfter(minutes))
  for (const { created, updated, disabled, proven, ...user } of USERS)
    await database.query('update users set updated_at = $2, disabled_at = $3, email_proven_at = $4 where id = $1', [
      ...[await add({ instanceId, ...user }, created), at(updated), at(disabled), at(proven)],
    ])
  await add({ instanceId: otherId, email: 'di@elsewhere.ca', name: 'Di', role: 'admin' }, 0)
  const list = async (selection: Selection) => (await listUsers(database, instanceId, selection)).users
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
