import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/db/database.ts'
import { toPublicationKey } from '../../src/store/records/publication-key.ts'
import { databaseOfOneServer } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { readRecords } from '../harness/read-records.ts'

const SETS = 60
const RECORDS = 100
const PAGE = 10

const test = openForTests(databaseOfOneServer, (opened) => opened.drop())
/** One connection, which plans the statement for any company once it has planned it for some. */
const one = openForTests(
  () => openDatabase(test.url, { max: 1 }),
  (database) => database.end(),
)
const scope = { instanceId: randomUUID(), companyId: randomUUID(), serviceId: randomUUID() }

beforeAll(async () => {
  const { database } = test
  const values = [scope.instanceId, scope.companyId, scope.serviceId]
  // Set after set, as first runs write them, each in another order than its list.
  await database.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash,
       sort_key, run_id, raw_index, mapping_version)
     select case nth when 1 then $1::uuid else md5('instance' || nth)::uuid end, case nth when 1 then $2::uuid else md5('company' || nth)::uuid end, $3,
       'Accounts', md5(nth || '/' || n)::uuid, '-infinity', n::text, $3, '{"origId":"' || n || '","text":"' || repeat('x', 700) || '"}', '', lpad((n * 37 % ${RECORDS})::text, 8, '0'),
       $3, 0, 1
     from generate_series(1, ${SETS}) nth, generate_series(1, ${RECORDS}) n order by nth, n`,
    values,
  )
  await database.query(
    `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
     values ($4, $1, $2, $3, 1, clock_timestamp(), ${RECORDS}, 0)`,
    [...values, toPublicationKey(scope)],
  )
  await database.query('analyze')
})

it.each([
  ['asc', false, 1],
  ['desc', true, -1],
] as const)(
  'a page is read in the order of its list, and no record set is sorted, however many there are: %s',
  async (name, descending, sign) => {
    const read = () => readRecords(one, scope, { entity: 'Accounts', columns: {}, selection: { descending, limit: PAGE } })
    // After five plans for given values comes one for all.
    for (let times = 0; times < 6; times += 1) await read()
    const placeOf = (origId: unknown): number => (Number(origId) * 37) % RECORDS
    const shown = (await read())?.records.map(({ origId }) => placeOf(origId)) ?? []
    const all = Array.from({ length: RECORDS }, (_, place) => place).sort((a, b) => sign * (a - b))
    expect(shown).toEqual(all.slice(0, PAGE))
    const values = [toPublicationKey(scope), scope.instanceId, scope.companyId, scope.serviceId, 'Accounts'].map((value) => `'${value}'`)
    const { rows } = await one.query<{ 'QUERY PLAN': string }>(`explain execute "record-page-${name}" (${values.join(', ')}, ${PAGE}, 0)`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('using record_versions_list')
    expect(plan).not.toContain('Sort')
  },
)
