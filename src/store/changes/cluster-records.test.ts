import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { listFromShards } from './cluster-records.ts'

const test = databaseForTests()
let [instanceId, companyId, serviceId, active, ended] = ['', '', '', '', '']
beforeEach(async () => {
  const { database } = test
  instanceId = await addInstance(database)
  companyId = await addCompany(database, instanceId)
  ;[serviceId, active, ended] = [randomUUID(), randomUUID(), randomUUID()]
  for (const [id, status] of [
    [active, 11],
    [ended, 26],
  ] as const)
    await database.query(
      `insert into connections (instance_id, company_id, service_id, id, connector_key, category, email, status, update_scheduled_at, refresh_hours, entity_id)
       values ($1, $2, $3, $4, 'bank', 'Banking', 'owner@example.com', $5, now(), 24, 'e')`,
      [instanceId, companyId, serviceId, id, status],
    )
  await database.query(
    `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
     values (concat_ws('/', $1::uuid, $2::uuid, $3::uuid), $1, $2, $3, 1, timestamptz '2026-11-01', 1, 1)`,
    [instanceId, companyId, serviceId],
  )
})

const recordId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

/** Places as the caller reads them: of each the mark after which it goes on. `of` names the position, connection and entity. */
function places(of: readonly { position: number; connectionId: string; entity: string }[]): string {
  const rows = of.map(
    ({ position, connectionId, entity }) =>
      `($1::uuid, ${position}::bigint, '${recordId(9)}'::uuid, '${companyId}'::uuid, '${serviceId}'::uuid, '${connectionId}'::uuid, '${entity}', 'all', timestamptz '2026-11-02', timestamptz '2026-11-01', '${recordId(0)}'::uuid)`,
  )
  return `select * from (values ${rows.join(', ')})
    as p (instance_id, position, place_id, company_id, service_id, connection_id, entity, kind, until, mark, mark_id)`
}

/** Three records of each place, the second of them deleted; they say by which parameters they were found. */
const VERSIONS = `select ('00000000-0000-4000-8000-00000000000' || n)::uuid as id, s.mark as mark, s.mark as valid_from, n = 2 as deleted,
    concat_ws(' ', n, s.entity, s.kind, s.connection_id = '@active', s.until > s.mark, s.mark_id) as doc
  from generate_series(3, 1, -1) n where s.instance_id is not null and s.company_id is not null and s.service_id is not null`

async function list(of: Parameters<typeof places>[0], limit: number) {
  const versions = VERSIONS.replace('@active', active)
  return await listFromShards(test.database, { shown: places(of), values: [instanceId, limit], versions })
}

it('records are read place by place in the order of the feed, with what their place knows of them', async () => {
  const both = [
    { position: 2, connectionId: active, entity: 'Accounts' },
    { position: 1, connectionId: active, entity: 'Transactions' },
  ]
  const found = await list(both, 10)
  expect(found.map(({ position, entity, id, deleted }) => [position, entity, id, deleted])).toEqual(
    [
      ['1', 'Transactions'],
      ['2', 'Accounts'],
    ].flatMap(([position, entity]) => [1, 2, 3].map((n) => [position, entity, recordId(n), n === 2])),
  )
  expect(found[0]).toEqual({
    ...{ position: '1', placeId: recordId(9), companyId, serviceId, connectionId: active, category: 'Banking', entity: 'Transactions' },
    ...{ id: recordId(1), deleted: false, from: expect.stringMatching(/^2026-11-01/), publishedAt: expect.any(Date) },
    doc: `1 Transactions all t t ${recordId(0)}`,
  })
  expect(found[1]?.doc).toBe('')
})

it.each([0, 1, 3, 4, 6])('no more than %d records are read, over all places', async (limit) => {
  const of = [1, 2].map((position) => ({ position, connectionId: active, entity: 'Accounts' }))
  const found = await list(of, limit)
  const all = ['1', '1', '1', '2', '2', '2']
  expect(found.map(({ position }) => position)).toEqual(all.slice(0, limit))
})

it('a place with as many records as are wanted is the last that is read', async () => {
  const asked: unknown[][] = []
  const { database } = test
  const counting = new Proxy(database, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'query' || typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        asked.push(given)
        return Reflect.apply(value, target, given)
      }
    },
  })
  const of = [1, 2, 3].map((position) => ({ position, connectionId: active, entity: 'Accounts' }))
  const versions = VERSIONS.replace('@active', active)
  await listFromShards(counting, { shown: places(of), values: [instanceId, 3], versions })
  expect(asked).toHaveLength(2)
})

it('a connection that has ended has none', async () => {
  expect(await list([{ position: 1, connectionId: ended, entity: 'Accounts' }], 5)).toEqual([])
})
