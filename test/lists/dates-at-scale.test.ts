import { beforeAll, describe, expect, it } from 'vitest'
import { parseFilter } from '../../src/api/lists/filter-query.ts'
import { listCompanies } from '../../src/store/connections/company-list.ts'
import { type Db, inTransaction, openDatabase } from '../../src/store/db/database.ts'
import type { Selection } from '../../src/store/db/list-selection.ts'
import { listDeadJobs } from '../../src/store/jobs/dead-jobs.ts'
import { listReceipts } from '../../src/store/owners/receipts.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const RECORDS = 20_000
/** Far from UTC, each in a way of its own: half an hour, a day ahead, a day behind. */
const ZONES = ['America/St_Johns', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']

const api = openForTests(openApiHarness)
let list = ''
beforeAll(async () => {
  list = `/normalized-data/${api.syncHarness.companyId}/banking/transactions/${api.syncHarness.serviceId(api.bank)}`
  await insertTransactions()
}, 120_000)

/** Booked from 2020 on, forty a day, each made one to five days before; every fiftieth is pending. Read at any minute. */
async function insertTransactions(): Promise<void> {
  const { deps, instanceId, companyId, serviceId } = api.syncHarness
  const { rows } = await deps.database.query<{ id: string }>(`select id from connections where category = 'Banking'`)
  await deps.database.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc, content_hash,
       sort_key, run_id, raw_index, mapping_version)
     select $1, $2, $3, 'Transactions', id, '-infinity', 't' || n, $4, false, replace(json_build_object('id', id, 'lastUpdatedOn', read_at,
         'origId', 't' || n, 'accountOrigId', 'chequing', 'postedOn', posted, 'transactionOn', made, 'amount', n, 'currency', 'CAD',
         'description', '', 'counterparty', '', 'category', '', 'isPending', posted is null, 'runningBalance', null, 'isDeleted', false)::text, '" : ', '":'),
       '', coalesce(posted, made) || E'\\x01chequing', $4, 0, 1
     from generate_series(1, ${RECORDS}) n, lateral (select gen_random_uuid() as id, (date '2020-01-01' + n / 40 - n % 5 - 1)::text as made,
       case when n % 50 > 0 then (date '2020-01-01' + n / 40)::text end as posted,
       to_char(timestamp '2026-11-01 00:00' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS') as read_at) as made_up`,
    [instanceId, companyId, serviceId(api.bank), rows[0]?.id],
  )
  await deps.database.query('update publications set transactions = $1 where service_id = $2', [RECORDS, serviceId(api.bank)])
  await deps.database.query('analyze record_versions')
}

interface Transaction {
  origId: string
  postedOn: string | null
  transactionOn: string
  lastUpdatedOn: string
}

async function read(path: string, app = api.app): Promise<{ total: number; data: Transaction[] }> {
  const answer = await app.inject({ url: `/admin/api/v1${path}`, headers: { authorization: `Bearer ${api.tokens.admin}` } })
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return { total: Number(answer.headers['x-total-count']), data: answer.json<{ data: Transaction[] }>().data }
}

/** All pages of a filtered list. */
async function readAll(FilterQuery: string, more: Record<string, string> = {}): Promise<{ total: number; data: Transaction[] }> {
  const data: Transaction[] = []
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({ FilterQuery, PageSize: '500', PageNumber: String(page), ...more })
    const answer = await read(`${list}?${query}`)
    data.push(...answer.data)
    if (answer.data.length < 500) return { total: answer.total, data }
  }
}

const count = (FilterQuery: string, app = api.app) =>
  read(`${list}?${new URLSearchParams({ FilterQuery, PageSize: '10' })}`, app).then(({ total }) => total)

describe(`ranges over ${RECORDS} transactions`, () => {
  it.each([
    ['postedOn>=2020-03-01 && postedOn<2020-04-01', ({ postedOn }: Transaction) => postedOn?.startsWith('2020-03') ?? false],
    [
      'transactionOn>2020-02-28 && transactionOn<=2020-03-31',
      (one: Transaction) => one.transactionOn.startsWith('2020-03') || one.transactionOn === '2020-02-29',
    ],
    [
      'lastUpdatedOn>=2026-11-03T04:30:00 && lastUpdatedOn<2026-11-04',
      (one: Transaction) => one.lastUpdatedOn >= '2026-11-03T04:30' && one.lastUpdatedOn < '2026-11-04',
    ],
    ['lastUpdatedOn=2026-11-05T06:07:00.000000', (one: Transaction) => one.lastUpdatedOn === '2026-11-05T06:07:00.000'],
    ['postedOn=null && transactionOn<2020-02-01', (one: Transaction) => one.postedOn === null && one.transactionOn < '2020-02-01'],
  ])('%s finds each match once, on as many pages as it takes, and in a stream', async (filter, matches) => {
    const { total, data } = await readAll(filter)
    const { rows } = await api.syncHarness.deps.database.query<{ doc: string }>(
      `select doc from record_versions where entity = 'Transactions'`,
    )
    const wanted = rows.map(({ doc }) => JSON.parse(doc) as Transaction).filter(matches)
    expect(wanted.length).toBeGreaterThan(0)
    const namesOf = (found: Transaction[]) => found.map(({ origId }) => origId).toSorted()
    expect([total, namesOf(data)]).toEqual([wanted.length, namesOf(wanted)])
    const headers = { accept: 'application/x-ndjson' }
    const { body } = await api.call('GET', `${list}?${new URLSearchParams({ FilterQuery: filter })}`, { headers })
    const lines = body.split('\n').slice(0, -1)
    expect(namesOf(lines.map((line) => JSON.parse(line) as Transaction))).toEqual(namesOf(wanted))
  })

  it.each(['postedOn', 'transactionOn', 'lastUpdatedOn'])('two halves by %s are the whole, in order', async (name) => {
    const middle = name === 'lastUpdatedOn' ? '2026-11-08' : '2020-09-01'
    const halves = [await count(`${name}<${middle}`), await count(`${name}>=${middle}`), await count(`${name}=null`)]
    expect(halves.reduce((sum, half) => sum + half)).toBe(RECORDS)
    const { data } = await readAll(`${name}>=${middle} && origId~"9"`, { OrderBy: name, Desc: 'true' })
    const values = data.map((one) => String(one[name as keyof Transaction]))
    expect(values).toEqual(values.toSorted().toReversed())
  })
})

it('a range means the same in whatever zone the database and the process are', async () => {
  const { database } = api.syncHarness.deps
  const filters = [
    'lastUpdatedOn>=2026-11-03 && lastUpdatedOn<2026-11-04',
    'lastUpdatedOn>=2026-11-03T23:59:59.999999Z && lastUpdatedOn<=2026-11-04T00:01:00',
    'postedOn>=2020-03-08 && postedOn<2020-03-09',
    'transactionOn<2020-01-05',
  ]
  const wanted = await Promise.all(filters.map((filter) => count(filter)))
  expect(wanted.map((number) => number > 0)).toEqual([true, true, true, true])
  const { rows } = await database.query<{ name: string }>('select current_database() as name')
  const before = process.env.TZ
  for (const zone of ZONES) {
    await database.query(`alter database ${rows[0]?.name} set timezone to '${zone}'`)
    process.env.TZ = zone
    const elsewhere = openDatabase(api.syncHarness.url)
    const app = api.openOn({ ...api.syncHarness.deps, database: elsewhere })
    try {
      expect((await elsewhere.query<{ zone: string }>(`select current_setting('timezone') as zone`)).rows[0]?.zone).toBe(zone)
      expect([zone, await Promise.all(filters.map((filter) => count(filter, app)))]).toEqual([zone, wanted])
      const headers = { accept: 'application/x-ndjson', authorization: `Bearer ${api.tokens.admin}` }
      const { body } = await app.inject({ url: `/admin/api/v1${list}?${new URLSearchParams({ FilterQuery: filters[0] ?? '' })}`, headers })
      expect(body.split('\n').length - 1).toBe(wanted[0])
    } finally {
      await app.close()
      await elsewhere.end()
    }
  }
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
  await database.query(`alter database ${rows[0]?.name} reset timezone`)
}, 60_000)

it('instants with an offset are found by their moment, not by their text', async () => {
  const { database } = api.syncHarness.deps
  const { companyId, serviceId } = api.syncHarness
  const accounts = `/normalized-data/${companyId}/banking/accounts/${serviceId(api.bank)}`
  await database.query(
    `update record_versions set doc = regexp_replace(doc, '"dueDate":[^,}]*', '"dueDate":"2026-10-31T23:30:00-04:00"') where entity = 'Accounts' and service_id = $1`,
    [serviceId(api.bank)],
  )
  const found = async (filter: string) => (await read(`${accounts}?${new URLSearchParams({ FilterQuery: filter })}`)).total
  expect(await found('dueDate>=2026-11-01')).toBe(1)
  expect(await found('dueDate=2026-11-01T03:30:00')).toBe(1)
  expect(await found('dueDate<2026-11-01')).toBe(0)
})

/** Lists that grow with a deployment, the index that leads to a range of their dates, and how rows are inserted (`many`: a moment each). */
const GROWING: [string, string, string, (db: Db, selection: Selection) => Promise<unknown>][] = [
  [
    'createdOn',
    'companies_by_creation',
    `insert into companies (instance_id, id, name, created_at) select $1, gen_random_uuid(), 'Company ' || n, at from many`,
    (db, selection) => listCompanies(db, api.syncHarness.instanceId, selection),
  ],
  [
    'issuedOn',
    'receipts_by_time',
    `insert into receipts (instance_id, id, company_id, connection_id, kind, issued_at, service_name, signed)
     select $1, gen_random_uuid(), $2, gen_random_uuid(), 'deletion', at, 'Books', '' from many`,
    (db, selection) => listReceipts(db, api.syncHarness.instanceId, selection),
  ],
  [
    'diedAt',
    'jobs_dead',
    `insert into jobs (instance_id, kind, key, state, died_at) select $1, 'sync', 'none/' || n, 'dead', at from many`,
    (db, selection) => listDeadJobs(db, api.syncHarness.instanceId, selection),
  ],
]

it.each(GROWING)('a range of %s is read through %s', async (name, index, fill, read) => {
  const { deps, instanceId, companyId } = api.syncHarness
  const filter = parseFilter(`${name}>=2026-11-01 && ${name}<2026-11-02`, { [name]: 'date' })
  const plans = await inTransaction(deps.database, async (db) => {
    const many = `select n, timestamptz '2026-10-25' + n * interval '1 minute' as at from generate_series(1, ${RECORDS}) n`
    // Not every list has rows of companies: what they are inserted with has its types here.
    await db.query(`with many as (${many}), typed as (select $1::uuid, $2::uuid) ${fill}`, [instanceId, companyId])
    await db.query('analyze companies, receipts, jobs')
    const asked: [string, unknown[]][] = []
    const query = (async (text: string, values: unknown[] = []) => {
      asked.push([text, [...values]])
      return await db.query(text, values)
    }) as Db['query']
    await read({ query }, { filter, orderBy: name, descending: false, limit: 100, offset: 0 })
    return await Promise.all(asked.map(async ([text, values]) => await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)))
  })
  for (const { rows } of plans) {
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(new RegExp(`(using|Bitmap Index Scan on) ${index} [\\s\\S]*Index Cond: .*_at >=`))
  }
  expect(plans.length).toBeGreaterThan(1)
})
