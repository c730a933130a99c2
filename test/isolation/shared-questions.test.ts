import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { announceChange } from '../../src/store/records/publication-changes.ts'
import { toPublicationKey } from '../../src/store/records/publication-key.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const test = databaseForTests()
const newScope = (): RecordScope => ({ instanceId: randomUUID(), companyId: randomUUID(), serviceId: randomUUID() })
const [ours, theirs] = [newScope(), newScope()]
beforeAll(async () => {
  for (const { instanceId, companyId, serviceId } of [ours, theirs])
    await test.database.query(
      `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions) values ($4, $1, $2, $3, 1, now(), 0, 0)`,
      [instanceId, companyId, serviceId, toPublicationKey({ instanceId, companyId, serviceId })],
    )
})

function openReader(leaseMs: number) {
  const pages = createPageCache(test.database, { maxBytes: 1_000_000, leaseMs })
  const key = (scope: RecordScope) => toPublicationKey(scope)
  const fresh = async () => ({ version: '1', body: Buffer.from('page'), total: 0 })
  return {
    read: (scope: RecordScope) =>
      withinInstance(scope.instanceId, () =>
        pages.get({ instanceId: scope.instanceId, publicationKey: key(scope), pageKey: `${key(scope)}?` }, fresh),
      ),
    find: (scope: RecordScope) => withinInstance(scope.instanceId, () => pages.find(key(scope), `${key(scope)}?`)),
  }
}

it('a reader shares the query for versions with readers of another instance', async () => {
  const { read } = openReader(0)
  await Promise.all([read(ours), read(theirs)])
  const again = await Promise.all([read(ours), read(theirs)])
  expect(again.map((page) => page?.version)).toEqual(['1', '1'])
})

it('the lease renewed by one instance includes the changes of another', async () => {
  const { read, find } = openReader(100)
  const untilFound = async (scope: RecordScope) => {
    while (!find(scope)) await read(scope)
  }
  await untilFound(ours)
  await untilFound(theirs)
  await announceChange(test.database, theirs)
  // Three leases in which only our instance reads.
  for (let turn = 0; turn < 30; turn += 1) {
    find(ours)
    await setTimeout(10)
  }
  await untilFound(ours)
  expect(find(theirs)).toBeUndefined()
})
