import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listCompanies } from '../../src/store/connections/company-list.ts'
import { type Filter, ListTooLarge, MOST_LOOKED_AT } from '../../src/store/db/list-selection.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const STORE = join(import.meta.dirname, '..', '..', 'src', 'store')
/** Lists of tables with a handful of rows for each instance. */
const SMALL = ['access/users.ts', 'access/api-keys.ts', 'access/instances.ts', 'records/record-pages.ts']

/** Tables of lists that grow with companies. */
const COUNTED = ['companies', 'connections', 'consents', 'deliveries', 'mails', 'receipts']

const data = databaseForTests()
let instanceId: string
beforeAll(async () => {
  instanceId = await addInstance(data.database)
  // No test of this file looks for parts of names.
  await data.database.query('alter table companies disable trigger user')
  await data.database.query(
    `insert into companies (instance_id, id, name, industry, full_address, country, city, contact_number, created_at)
     select $1, gen_random_uuid(), 'Bakery ' || n, '', n || ' rue Saint-Denis', 'CA', 'Laval', '', timestamptz '2026-01-01' + make_interval(mins => n)
     from generate_series(0, $2::int) n`,
    [instanceId, MOST_LOOKED_AT],
  )
}, 60_000)

const read = async (filter: Filter, orderBy = 'createdOn') =>
  await listCompanies(data.database, instanceId, { filter, orderBy, descending: true, limit: 10, offset: 0 })
const contains = { property: 'fullAddress', operator: '~', value: 'saint-denis' } as const
const always = { property: 'createdOn', operator: '>=', value: '2026-01-01T00:00:00.000000Z' } as const
const since = { property: 'createdOn', operator: '>=', value: '2026-03-01T00:00:00.000000Z' } as const

describe(`a list of more than ${MOST_LOOKED_AT} rows`, () => {
  it.each([
    ['a filter without an index', [[contains]], 'createdOn', 'FilterQuery'],
    ['an order that no index has of what a filter leaves', [[always]], 'externalId', 'OrderBy'],
    ['a filter of which one group has no index', [[since], [contains]], 'createdOn', 'FilterQuery'],
  ] as const)('is refused for %s, with the range to use', async (_, filter, orderBy, parameter) => {
    await expect(read(filter, orderBy)).rejects.toMatchObject({ parameter, range: 'createdOn' })
    await expect(read(filter, orderBy)).rejects.toBeInstanceOf(ListTooLarge)
  })

  it('is read in an order with an index, by a filter with one, and within a range', async () => {
    expect((await read([])).companies).toHaveLength(10)
    expect((await read([], 'externalId')).companies).toHaveLength(10)
    expect((await read([[{ property: 'city', operator: '=', value: 'Laval' }]])).companies).toHaveLength(10)
    expect((await read([[contains, since]])).companies).toHaveLength(10)
    expect((await read([[since]], 'externalId')).companies).toHaveLength(10)
  })
})

it('the tenant is read once for a count of 10,000 rows, not once for each of them', async () => {
  const { rows } = await data.database.query<{ name: string; condition: string }>(
    `select tablename as name, qual as condition from pg_policies where schemaname = current_schema() and tablename = any ($1) order by 1`,
    [COUNTED],
  )
  expect(rows.map(({ name }) => name)).toEqual(COUNTED)
  for (const { condition } of rows) expect(condition).toMatch(/^COALESCE\(\(instance_id = \( SELECT /)
})

it('every list that counts a total is bounded, but those of small tables', () => {
  const files = readdirSync(STORE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const unbounded = files.filter((file) => {
    const text = readFileSync(join(STORE, file), 'utf8')
    return text.includes('await countBounded(') && !text.includes('await checkBound(')
  })
  expect(unbounded.filter((file) => !SMALL.includes(file))).toEqual([])
})
