import { beforeAll, expect, it } from 'vitest'
import { findHead } from '../../src/store/changes/change-feed.ts'
import { placeChanges } from '../../src/store/changes/place-changes.ts'
import { type ChangePosition, readChanges } from '../../src/store/changes/read-changes.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { isOnCluster } from '../harness/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const PUBLICATIONS = 300
const HEAD = { feedId: expect.any(String), position: '0', placeId: null }

const data = databaseForTests()
let instanceId: string
beforeAll(async () => {
  instanceId = await addPublished()
}, 60_000)

/** Instance with a publication of each of its companies. */
async function addPublished(): Promise<string> {
  const id = await addInstance(data.database)
  const serviceId = crypto.randomUUID()
  for (const text of LINKED) await data.database.query(text, [id, serviceId, PUBLICATIONS])
  await data.database.query(PUBLISHED, [id, serviceId])
  return id
}

const LINKED = [
  `insert into companies (instance_id, id, name) select $1::uuid, md5($1::text || '/' || n)::uuid, 'Company ' || n from generate_series(1, $3::int) n where $2::uuid is not null`,
  `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at, published_at)
     select $1::uuid, md5($1::text || '/connection/' || n)::uuid, md5($1::text || '/' || n)::uuid, $2, 'bank', 'Banking', 'owner@example.com', 19, 24, timestamptz '2027-01-01', timestamptz '2026-11-01'
     from generate_series(1, $3::int) n`,
]

// A cluster takes no rows of a query into a table with row-level security that it distributes.
const PUBLISHED = `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions) values ${Array.from(
  { length: PUBLICATIONS },
  (_, at) => {
    const company = `md5($1::text || '/${at + 1}')::uuid`
    return `(concat_ws('/', $1::text, ${company}, $2::uuid), $1::uuid, ${company}, $2, ${at + 1}, timestamptz '2026-11-01', 1, 1)`
  },
).join(', ')}`

/** Notes of publications that were removed, which on a cluster say so. */
async function noteRemovals(instance: string, count: number): Promise<void> {
  const [columns, values] = isOnCluster ? [', version, is_removed', ', 1, true'] : ['', '']
  await data.database.query(
    `insert into unplaced_publications (instance_id, company_id, service_id${columns})
     select $1, gen_random_uuid(), gen_random_uuid()${values} from generate_series(1, $2::int)`,
    [instance, count],
  )
}

it('the first read of a feed compares its publications in several transactions, and places none of them', async () => {
  const head = await placeChanges(data.database, instanceId)
  expect(head.position).toBe('0')
  const { rows } = await data.database.query<{ placed: number; transactions: number }>(
    `select count(*)::int as placed, count(distinct xmin::text)::int as transactions from placed_publications where instance_id = $1`,
    [instanceId],
  )
  expect(rows).toEqual([{ placed: PUBLICATIONS, transactions: 2 }])
})

it('a read of a feed assigns places in a few steps, and the reads after it continue', async () => {
  const other = await addPublished()
  const read = async (from: ChangePosition | null) =>
    await readChanges(data.database, other, from, { companyId: null, entity: null }, 10, 1)
  const isCompared = async () => (await findHead(data.database, other))?.isCompared
  const countPlaced = async () =>
    (await data.database.query('select from placed_publications where instance_id = $1', [other])).rowCount ?? 0
  // The first step compares 250 companies, the second the others, the third what was noted.
  const first = await read(null)
  expect(first).toEqual({ items: [], next: { ...HEAD, isStarting: true, mark: null }, hasMore: true })
  expect([await isCompared(), await countPlaced()]).toEqual([false, 250])
  await data.database.query(
    `update publications set version = version + 10000 where instance_id = $1::uuid and company_id = md5($1::text || '/1')::uuid`,
    [other],
  )
  const second = await read(first.next)
  expect([await isCompared(), await countPlaced()]).toEqual([true, PUBLICATIONS])
  // These publications have no records, and it gave all that there was.
  expect(second).toEqual({ items: [], next: { ...HEAD, isStarting: false, mark: null }, hasMore: true })
  const third = await read(second.next)
  expect(third).toMatchObject({ items: [], hasMore: false })
})

it('a reader who waits for a comparison keeps the cursor', async () => {
  const other = await addPublished()
  const { feedId, position, placeId } = await placeChanges(data.database, other)
  const at = { feedId, position, placeId, isStarting: false as const, mark: null }
  // As of a feed from before changes were noted.
  await data.database.query('update change_feeds set compared_at = null where instance_id = $1', [other])
  const read = async () => await readChanges(data.database, other, at, { companyId: null, entity: null }, 10, 1)
  expect(await read()).toEqual({ items: [], next: at, hasMore: true })
  await expect(
    readChanges(data.database, other, { ...at, feedId: crypto.randomUUID() }, { companyId: null, entity: null }, 10, 1),
  ).rejects.toThrow('foreign')
  expect(await read()).toEqual({ items: [], next: at, hasMore: false })
})

it('a read places a bounded number of noted publications, and the next one continues', async () => {
  const other = await addInstance(data.database)
  await placeChanges(data.database, other)
  await noteRemovals(other, 2_100)
  const read = async (from: ChangePosition | null) => await readChanges(data.database, other, from, { companyId: null, entity: null }, 10)
  const countNotes = async () => (await data.database.query('select from unplaced_publications where instance_id = $1', [other])).rowCount
  const first = await read(null)
  expect([first.hasMore, await countNotes()]).toEqual([true, 100])
  expect([(await read(first.next)).hasMore, await countNotes()]).toEqual([false, 0])
})

it('notes are placed in time also where the statistics of PostgreSQL know nothing of their instance', async () => {
  const [known, unknown] = [await addInstance(data.database), await addInstance(data.database)]
  await placeChanges(data.database, unknown)
  await noteRemovals(known, 20_000)
  await data.database.query('analyze unplaced_publications')
  await noteRemovals(unknown, 20_000)
  // One look at each note, not one for each pair of them, which a statement's 30 s do not suffice for.
  expect(await placeChanges(data.database, unknown)).toMatchObject({ isCurrent: true })
})

it('a publication after it is placed', async () => {
  const { rows } = await data.database.query<{ companyId: string; serviceId: string; version: string }>(
    `update publications set version = version + 10000, published_at = timestamptz '2026-11-02' where instance_id = $1::uuid and company_id = md5($1::text || '/1')::uuid
     returning company_id as "companyId", service_id as "serviceId", version`,
    [instanceId],
  )
  // What a trigger notes on one server.
  const { companyId, serviceId, version } = rows[0] ?? {}
  if (isOnCluster)
    await data.database.query(
      'insert into unplaced_publications (instance_id, company_id, service_id, version, is_removed) values ($1, $2, $3, $4, false)',
      [instanceId, companyId, serviceId, version],
    )
  expect((await placeChanges(data.database, instanceId)).position).toBe('1')
})

it('a feed whose first read was interrupted is new until a read has compared everything', async () => {
  await data.database.query(`update change_feeds set compared_at = '-infinity' where instance_id = $1`, [instanceId])
  await data.database.query(
    `delete from placed_publications where instance_id = $1::uuid and company_id > '80000000-0000-0000-0000-000000000000'`,
    [instanceId],
  )
  expect(await findHead(data.database, instanceId)).toMatchObject({ isCompared: false })
  expect((await placeChanges(data.database, instanceId)).position).toBe('1')
  expect(await findHead(data.database, instanceId)).toMatchObject({ isCompared: true })
})

it('a read passes a bounded number of publications without a record, and the next one continues', async () => {
  const other = await addInstance(data.database)
  await data.database.query(`insert into change_feeds (instance_id, compared_at) values ($1, timestamptz '2026-11-01')`, [other])
  await data.database.query(
    `insert into placed_publications (instance_id, company_id, service_id, connection_id, version, published_at)
     select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, timestamptz '2026-11-01' from generate_series(1, 20600)`,
    [other],
  )
  const read = async (from: ChangePosition | null) => await readChanges(data.database, other, from, { companyId: null, entity: null }, 10)
  const first = await read(null)
  expect(first).toEqual({
    items: [],
    next: { ...HEAD, isStarting: true, mark: expect.objectContaining({ entity: 'Transactions' }) },
    hasMore: true,
  })
  expect(await read(first.next)).toEqual({ items: [], next: { ...HEAD, isStarting: false, mark: null }, hasMore: true })
})
