import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseFilter } from '../../src/api/lists/filter-query.ts'
import { toCondition } from '../../src/store/db/list-selection.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { isOnCluster, serverNote } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

/** Dates of the bank's transactions: booked in October and November, and one pending. */
const BOOKED = ['2026-10-31', '2026-11-01', '2026-11-15', '2026-11-30', '2026-12-01', null]

const api = openForTests(openApiHarness)

beforeAll(async () => {
  await insertTransactions('bank', BOOKED)
  await insertTransactions('books', BOOKED)
  const dated = `"actualBalanceDate":"2026-11-19T00:00:00+00:00"`
  await api.syncHarness.deps.database.query(`update record_versions set doc = replace(doc, '"actualBalanceDate":null', $1)`, [dated])
})

async function insertTransactions(key: 'bank' | 'books', days: (string | null)[]): Promise<void> {
  const { database } = api.syncHarness.deps
  for (const [index, postedOn] of days.entries()) {
    const origId = `t${index}`
    const doc = { lastUpdatedOn: '2026-11-20T10:00:00.000', origId, postedOn, transactionOn: postedOn ?? '2026-11-20', isDeleted: false }
    await database.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc, content_hash,
         sort_key, run_id, raw_index, mapping_version)
       values ($1, $2, $3, 'Transactions', $4, now(), $5, $6, false, $7, '', $8, $6, 0, 1)`,
      [
        ...[
          api.syncHarness.instanceId,
          api.syncHarness.companyId,
          api.syncHarness.serviceId(api[key]),
          randomUUID(),
          origId,
          api.connectionId,
        ],
        ...[JSON.stringify(doc), `${postedOn ?? (key === 'bank' ? '2026-11-20' : '')}\u0001entry`],
      ],
    )
  }
}

/** Ids of the transactions, in list order. */
async function ids(key: 'bank' | 'books', FilterQuery: string, more: Record<string, string> = {}): Promise<string> {
  const segment = key === 'bank' ? 'banking' : 'accountancy'
  const query = new URLSearchParams({ FilterQuery, ...more })
  const url = `/admin/api/v1/normalized-data/${api.syncHarness.companyId}/${segment}/transactions/${api.syncHarness.serviceId(api[key])}?${query}`
  const answer = await api.app.inject({ url, headers: { authorization: `Bearer ${api.tokens.admin}` } })
  if (answer.statusCode !== 200) return `${answer.statusCode} ${answer.json().errors?.[0]?.message}`
  return answer
    .json<{ data: { origId: string }[] }>()
    .data.map(({ origId }) => origId)
    .join(' ')
}

describe.each(['bank', 'books'] as const)('days of transactions (%s)', (key) => {
  it.each([
    ['postedOn>=2026-11-01', 't1 t2 t3 t4'],
    ['postedOn>2026-11-01', 't2 t3 t4'],
    ['postedOn<2026-11-01', 't0'],
    ['postedOn<=2026-11-01', 't0 t1'],
    ['postedOn=2026-11-15', 't2'],
    ['postedOn!=2026-11-15', 't0 t1 t3 t4 t5'],
    ['postedOn>=2026-11-01 && postedOn<2026-12-01', 't1 t2 t3'],
    ['postedOn<2026-11-01 || postedOn>=2026-12-01', 't0 t4'],
    ['postedOn>=2026-11-30T00:00:00.000000', 't3 t4'],
    ['postedOn=null', 't5'],
    ['postedOn!=null', 't0 t1 t2 t3 t4'],
  ])('accept %s', async (filter, wanted) => {
    expect(await ids(key, filter, { OrderBy: 'origId' })).toBe(wanted)
  })

  it('can be ordered by, null last', async () => {
    expect(await ids(key, '', { OrderBy: 'postedOn' })).toBe('t0 t1 t2 t3 t4 t5')
    expect(await ids(key, '', { OrderBy: 'postedOn', Desc: 'true' })).toBe('t4 t3 t2 t1 t0 t5')
  })

  it.each(['2026-02-30', '2026-11-31', '2026-13-01', '2026', '2026-11-01T10:00:00', 'yesterday'])('refuse %s', async (day) => {
    expect(await ids(key, `postedOn>=${day}`)).toBe('400 needs a day that exists, YYYY-MM-DD, for postedOn')
  })
})

it('the day of the transaction itself is searchable where a bank reports it separately', async () => {
  expect(await ids('bank', 'transactionOn>=2026-11-15 && transactionOn<=2026-11-20', { OrderBy: 'origId' })).toBe('t2 t5')
})

it('deleted transactions are found by their deletion date', async () => {
  expect(await ids('bank', 'isDeleted=true', { includeDeleted: 'true' })).toBe('')
})

it.skipIf(isOnCluster)(`a range of days reads only its own rows, however many others there are${serverNote}`, async () => {
  const { database } = api.syncHarness.deps
  const columns = recordColumns('Accounting', 'Transactions')
  const values: unknown[] = []
  const filter = parseFilter('postedOn>=2020-03-01 && postedOn<2020-04-01', { postedOn: 'day' })
  const condition = toCondition(filter, columns, values)
  await database.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc, content_hash,
       sort_key, run_id, raw_index, mapping_version)
     select $1, $2, $3, 'Transactions', gen_random_uuid(), now(), n::text, $4, false, replace(json_build_object('postedOn', day)::text, '" : ', '":'), '', day || E'\\x01', $4, 0, 1
     from generate_series(1, 20000) n, lateral (select ('2020-01-01'::date + n % 1000)::text as day) d`,
    [api.syncHarness.instanceId, randomUUID(), api.syncHarness.serviceId(api.books), api.connectionId],
  )
  await database.query('analyze record_versions')
  const { rows } = await database.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off) select r.id from record_versions r
     where r.record_set = (select record_set from record_versions where sort_key = E'2020-03-01\\x01' limit 1) and r.valid_to is null and not r.deleted and ${condition}`,
    values,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect([
    plan.match(/rows=(\d+)/)?.[1],
    plan.match(/Index Cond: .*sort_key >=.*sort_key </)?.length,
    plan.includes('Removed by Filter: 19'),
  ]).toEqual(['620', 1, false])
})

/** Every list of the API with its instants. */
const INSTANTS: Record<string, (place: string) => [string, string[]]> = {
  companies: () => ['/normalized-data/companies', ['createdOn']],
  connections: () => ['/normalized-data/data-connection/statuses', ['createdOn', 'lastUpdatedOn', 'updateScheduledOn', 'nextReadOn']],
  'connections of a company': () => [
    `/normalized-data/company/${api.syncHarness.companyId}/data-connection/statuses`,
    ['createdOn', 'lastUpdatedOn', 'updateScheduledOn', 'nextReadOn'],
  ],
  timeline: (place) => [`${place}/timeline`, ['at']],
  runs: (place) => [`${place}/runs`, ['startedOn', 'endedOn']],
  consents: () => ['/normalized-data/consents', ['givenOn', 'expiresOn', 'endedOn']],
  receipts: () => ['/normalized-data/receipts', ['issuedOn']],
  deliveries: () => ['/webhooks/deliveries', ['createdOn', 'deliveredOn', 'nextAttemptOn']],
  'dead jobs': () => ['/jobs/dead', ['createdOn', 'diedOn']],
  mails: () => ['/mails', ['createdOn', 'settledOn']],
  'file feeds': () => ['/file-feeds', ['createdOn', 'checkedOn']],
  users: () => ['/users', ['createdOn', 'updatedOn', 'emailProvenOn']],
  audit: () => ['/audit', ['recordedOn']],
  'bank accounts': () => [
    `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}`,
    ['lastUpdatedOn', 'dueDate', 'maturityDate', 'actualBalanceDate', 'sourceUpdatedDate'],
  ],
}

describe.each(Object.entries(INSTANTS))('instants of %s', (_name, listOf) => {
  it('accept every comparison, and valid days', async () => {
    const [path, names] = listOf(
      `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`,
    )
    const answers: string[] = []
    for (const name of names) {
      const clauses = ['=', '!=', '<', '<=', '>', '>='].map((operator) => `${name}${operator}2026-11-01T00:00:00.000001`)
      for (const filter of [...clauses, `${name}>=2026-11-01 && ${name}<2026-12-01`, `${name}=null`, `${name}>=2026-02-30`]) {
        const { statusCode } = await api.call('GET', `${path}?${new URLSearchParams({ FilterQuery: filter })}`)
        if (statusCode !== (filter.includes('02-30') ? 400 : 200)) answers.push(`${filter}: ${statusCode}`)
      }
    }
    expect(answers).toEqual([])
  })

  it('find an item by each of its instants as it is shown', async () => {
    const [path, names] = listOf(
      `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`,
    )
    const read = async (query: Record<string, string>) =>
      ((await api.call('GET', `${path}?${new URLSearchParams(query)}`)).json() as unknown as { data?: Record<string, unknown>[] }).data ??
      []
    const lost: string[] = []
    for (const item of await read({})) {
      for (const name of names.filter((each) => typeof item[each] === 'string')) {
        const found = await read({ FilterQuery: `${name}=${item[name]}` })
        if (!found.some((each) => JSON.stringify(each) === JSON.stringify(item))) lost.push(`${name}=${item[name]}`)
      }
    }
    expect(lost).toEqual([])
  })

  it('split a list into two parts without loss or overlap', async () => {
    const [path, [name = '']] = listOf(
      `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`,
    )
    const count = async (filter: string) =>
      (await api.call('GET', `${path}?${new URLSearchParams({ FilterQuery: filter })}`)).json() as unknown as { data: unknown[] }
    const [before, after, all] = [await count(`${name}<2026-01-01`), await count(`${name}>=2026-01-01 || ${name}=null`), await count('')]
    expect(before.data.length + after.data.length).toBe(all.data.length)
  })
})

it.each(['asOf', 'modifiedSince'])('%s refuses a day that does not exist', async (name) => {
  expect(await ids('bank', '', { [name]: '2026-02-30T10:00:00Z' })).toBe('400 must be an ISO 8601 date or timestamp of a day that exists')
})
