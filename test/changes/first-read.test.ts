import { beforeAll, expect, it } from 'vitest'
import { findHead, placeChanges } from '../../src/store/changes/change-feed.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const PUBLICATIONS = 5_050

const data = databaseForTests()
let instanceId: string
beforeAll(async () => {
  instanceId = await addInstance(data.database)
  const serviceId = crypto.randomUUID()
  for (const text of PUBLISHED) await data.database.query(text, [instanceId, serviceId, PUBLICATIONS])
}, 60_000)

const PUBLISHED = [
  `insert into companies (instance_id, id, name) select $1, md5(n::text)::uuid, 'Company ' || n from generate_series(1, $3::int) n where $2::uuid is not null`,
  `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at, published_at)
     select $1, md5('connection/' || n)::uuid, md5(n::text)::uuid, $2, 'bank', 'Banking', 'owner@example.com', 19, 24, timestamptz '2027-01-01', timestamptz '2026-11-01'
     from generate_series(1, $3::int) n`,
  `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
     select concat_ws('/', $1::uuid, md5(n::text)::uuid, $2::uuid), $1, md5(n::text)::uuid, $2, n, timestamptz '2026-11-01', 1, 1 from generate_series(1, $3::int) n`,
]

it('the first read of a feed compares its publications in several transactions, and places none of them', async () => {
  const head = await placeChanges(data.database, instanceId)
  expect(head.position).toBe('0')
  const { rows } = await data.database.query<{ placed: number; transactions: number }>(
    `select count(*)::int as placed, count(distinct xmin::text)::int as transactions from placed_publications where instance_id = $1`,
    [instanceId],
  )
  expect(rows).toEqual([{ placed: PUBLICATIONS, transactions: 2 }])
})

it('a publication after it is placed', async () => {
  await data.database.query(
    `update publications set version = version + 10000, published_at = timestamptz '2026-11-02' where instance_id = $1 and company_id = md5('1')::uuid`,
    [instanceId],
  )
  expect((await placeChanges(data.database, instanceId)).position).toBe('1')
})

it('a feed whose first read was interrupted is new until a read has compared everything', async () => {
  await data.database.query(`update change_feeds set compared_at = '-infinity' where instance_id = $1`, [instanceId])
  await data.database.query(
    `delete from placed_publications where instance_id = $1 and company_id > '80000000-0000-0000-0000-000000000000'`,
    [instanceId],
  )
  expect(await findHead(data.database, instanceId)).toMatchObject({ isCompared: false })
  expect((await placeChanges(data.database, instanceId)).position).toBe('1')
  expect(await findHead(data.database, instanceId)).toMatchObject({ isCompared: true })
})
