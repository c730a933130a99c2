import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { listQuotas, type QuotaName } from '../../../src/store/operators/quotas.ts'
import { addInstance } from '../../harness/app/tenants.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { storeConnection, storeTenants } from '../stored.ts'

const test = databaseForTests()

const used = async (instanceId: string, name: QuotaName) =>
  (await listQuotas(test.database, instanceId)).find((quota) => quota.name === name)?.used

it.each([
  ['at once, up to 10,000 rows', 10_000, 10_001],
  ['once a minute, beyond 10,000 rows', 10_001, 10_001],
])('the use of a quota is counted %s', async (_when, rows, shown) => {
  const instanceId = await addInstance(test.database)
  const add = async (count: number) =>
    await test.database.query(
      `insert into uploads_in_flight (instance_id, id, expires_at) select $1, gen_random_uuid(), 'infinity' from generate_series(1, $2::int)`,
      [instanceId, count],
    )
  await add(rows)
  expect(await used(instanceId, 'uploads')).toBe(rows)
  await add(1)
  expect(await used(instanceId, 'uploads')).toBe(shown)
})

it('the use of stored bytes is counted at once, however many they are', async () => {
  const { database } = test
  const tenants = await storeTenants(database)
  const add = async (bytes: number) => {
    const { id } = await storeConnection(database, tenants, { id: randomUUID() })
    await database.query('insert into stored_bytes (instance_id, connection_id, bytes) values ($1, $2, $3)', [
      tenants.instanceId,
      id,
      bytes,
    ])
  }
  await add(1_000_000)
  expect(await used(tenants.instanceId, 'storedBytes')).toBe(1_000_000)
  await add(1)
  expect(await used(tenants.instanceId, 'storedBytes')).toBe(1_000_001)
})
