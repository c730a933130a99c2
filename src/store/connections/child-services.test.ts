import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { ensureChildService, findChildService, listChildServices } from './child-services.ts'

const test = databaseForTests()

it('a bank that an instance has reached is a service of that instance, once, by name', async () => {
  const { database } = test
  const [instanceId, otherId] = [await addInstance(database), await addInstance(database)]
  const bank = (name: string) => ({ id: randomUUID(), connectorKey: 'plaid', institutionId: `ins ${name}`, name })
  const [north, east] = [bank('North'), bank('East')]
  for (const child of [north, east, north, { ...bank('North'), name: 'Another name' }])
    await ensureChildService(database, instanceId, child)
  expect(await listChildServices(database, instanceId)).toEqual([east, north])
  expect(await listChildServices(database, instanceId, [north.id, randomUUID()])).toEqual([north])
  expect(await findChildService(database, instanceId, north.id)).toEqual(north)
  expect([await findChildService(database, otherId, north.id), await listChildServices(database, otherId)]).toEqual([null, []])
})
