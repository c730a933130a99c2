import { beforeEach, describe, expect, it, vi } from 'vitest'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { openApiHarness } from '../api/harness.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions } from '../sync/harness.ts'
import { type Statement, StatementSource } from './statement-source.ts'

const [north, south, east] = [new StatementSource('north'), new StatementSource('south'), new StatementSource('east')]

const api = openForTests(() => openApiHarness([north, south, east]))

interface Listed {
  pageNumber: number
  count: number
  data: {
    id: string
    serviceName: string
    serviceId: string
    accountName: string
    isCounted: boolean
    sameAs: { id: string; serviceId: string; reasons: { code: string; text: string; transactions: number | null; from: string | null }[] }[]
  }[]
  totals: { currency: string; accounts: number; withoutBalance: number; assets: number; debts: number }[]
  banksHeldTwice: { bank: string; connections: { serviceId: string }[] }[]
}

const ROWS = [
  ['2026-10-01', '-41.27'],
  ['2026-10-09', '-118.02'],
  ['2026-10-14', '2500.13'],
  ['2026-10-22', '-7.95'],
  ['2026-11-02', '-63.4'],
] as const

const OTHER_ROWS = ROWS.map(([day, amount]) => [day, `${amount}1`] as const)

const shared: Statement = {
  id: 'one',
  bank: 'Maple Trust Bank',
  ending: '4410',
  balance: '1200.55',
  balanceAt: '2026-11-20T08:00:00Z',
  rows: ROWS,
}

/** A company of its own per test, connected to sources that show these accounts. */
class Company {
  id = ''
  actions: ReturnType<typeof companyActions> | undefined
  connections = new Map<StatementSource, string>()

  async open(): Promise<void> {
    const { deps, instanceId } = api.syncHarness
    this.id = await addCompany(deps.database, instanceId)
    this.actions = companyActions(deps, instanceId, this.id)
  }

  async show(source: StatementSource, statements: Statement[]): Promise<void> {
    source.statements = statements
    if (!this.actions) throw new Error('not open')
    const known = this.connections.get(source)
    const connection = known ?? (await this.actions.connect(source))
    this.connections.set(source, connection)
    await this.actions.sync(connection, { reason: known ? 'schedule' : 'first' })
  }

  async end(source: StatementSource): Promise<void> {
    await api.call('DELETE', `/normalized-data/company/${this.id}/data-connection/${api.syncHarness.serviceId(source)}`)
    await this.actions?.erase(this.connections.get(source) ?? '')
  }

  async list(query = ''): Promise<Listed> {
    return (await api.call('GET', `/normalized-data/companies/${this.id}/accounts${query}`)).json() as unknown as Listed
  }
}

/** Runs what publications have queued. */
async function match(): Promise<void> {
  const { deps } = api.syncHarness
  for (const job of await takeJobs(deps.database, 'accountMatches')) await runJob(syncHandlers(deps).accountMatches, job)
}

const pairs = ({ data }: Listed) => data.flatMap(({ id, sameAs }) => sameAs.map((same) => [id, same.id].sort().join('='))).sort()

let company: Company
beforeEach(async () => {
  company = new Company()
  await company.open()
})

describe('an account at two services', () => {
  beforeEach(async () => {
    await company.show(north, [shared, { id: 'two', bank: 'Maple Trust Bank', ending: '9921', balance: '99.99' }])
    await company.show(south, [{ ...shared, id: 'S-1', balance: '1150.25', balanceAt: '2026-11-21T08:00:00Z' }])
    await match()
  })

  it('is linked, with the reasons as codes and in words', async () => {
    const { data } = await company.list()
    const [first] = data.filter(({ sameAs }) => sameAs.length > 0)
    expect(data.map(({ sameAs }) => sameAs.length).sort()).toEqual([0, 1, 1])
    expect(first?.sameAs[0]?.reasons).toEqual([
      {
        code: 'sameTransactions',
        text: '5 transactions from 2026-10-01 to 2026-11-02 agree in date and amount.',
        transactions: 5,
        from: '2026-10-01',
        until: '2026-11-02',
      },
      expect.objectContaining({ code: 'sameEnding' }),
      expect.objectContaining({ code: 'sameBank' }),
    ])
  })

  it('is counted once, with its newest balance', async () => {
    const { totals, data } = await company.list()
    expect(totals).toEqual([{ currency: 'CAD', accounts: 2, withoutBalance: 0, assets: 1250.24, debts: 0 }])
    expect(data.filter(({ isCounted }) => !isCounted)).toHaveLength(1)
  })

  it('counts again alone as soon as the other connection is ended, and is not linked', async () => {
    await company.end(south)
    const { data, totals } = await company.list()
    expect([pairs({ data } as Listed), data.length]).toEqual([[], 2])
    expect(totals[0]?.assets).toBe(1300.54)
    const stored = await api.syncHarness.deps.database.query('select from account_matches where company_id = $1', [company.id])
    expect(stored.rowCount).toBe(0)
  })

  it('is not linked any more when a later reading shows that they are two', async () => {
    await company.show(south, [{ ...shared, id: 'S-1', ending: '7777' }])
    await match()
    expect(pairs(await company.list())).toEqual([])
  })

  it('keeps its link through a reading that changes nothing', async () => {
    const before = await company.list()
    await company.show(south, [{ ...shared, id: 'S-1', balance: '1150.25', balanceAt: '2026-11-21T08:00:00Z' }])
    await match()
    expect(await company.list()).toEqual(before)
  })

  it('is shown as of an earlier instant, too', async () => {
    const { rows } = await api.syncHarness.deps.database.query<{ now: Date }>('select clock_timestamp() as now')
    await company.show(south, [{ ...shared, id: 'S-1', balance: '1.23', balanceAt: '2026-11-22T08:00:00Z' }])
    await match()
    const then = await company.list(`?asOf=${rows[0]?.now.toISOString()}`)
    expect([(await company.list()).totals[0]?.assets, then.totals[0]?.assets, pairs(then).length]).toEqual([101.22, 1250.24, 2])
    expect((await company.list('?asOf=2020-01-01')).data).toEqual([])
  })

  it('says which bank is held twice', async () => {
    const { banksHeldTwice } = await company.list()
    expect(banksHeldTwice.map(({ bank, connections }) => [bank, connections.length])).toEqual([['Maple Trust Bank', 2]])
  })

  it('has its document read once for the list and for the banks that are held twice', async () => {
    const query = vi.spyOn(api.syncHarness.deps.database, 'query')
    const { data, banksHeldTwice } = await company.list()
    const reads = query.mock.calls.filter(([text]) => String(text).includes('from record_versions'))
    query.mockRestore()
    expect([data.length, banksHeldTwice.length, reads.length]).toEqual([3, 1, 1])
  })

  it('leaves nothing behind when its company is deleted', async () => {
    const { database } = api.syncHarness.deps
    const count = async () => (await database.query('select from account_matches where company_id = $1', [company.id])).rowCount
    const before = await count()
    for (const source of [north, south]) await company.end(source)
    const after = await api.call('DELETE', `/normalized-data/companies/${company.id}`)
    await match()
    expect([before, after.statusCode, await count()]).toEqual([1, 204, 0])
  })
})

describe('accounts that are not linked', () => {
  it.each<[string, Statement, Statement]>([
    ['the same ending at the same bank', { ...shared, rows: [] }, { ...shared, id: 'x', balance: '77.10', rows: [] }],
    ['no balance and no transactions', { id: 'a', bank: 'Maple Bank', ending: '4410' }, { id: 'b', bank: 'Maple Bank', ending: '4410' }],
    ['another currency', shared, { ...shared, id: 'x', currency: 'USD' }],
    ['money held and money owed', shared, { ...shared, id: 'x', kind: 'CreditCard' }],
    ['the same round balance', { ...shared, balance: '1000', rows: [] }, { ...shared, id: 'x', balance: '1000', rows: [] }],
    ['a re-issued number', shared, { ...shared, id: 'x', ending: '5510' }],
    ['transactions that are not the same', shared, { ...shared, id: 'x', balance: '1', rows: OTHER_ROWS }],
    ['the same balance, and other transactions', shared, { ...shared, id: 'x', rows: OTHER_ROWS }],
  ])('%s', async (_what, one, other) => {
    await company.show(north, [one])
    await company.show(south, [other])
    await match()
    expect(pairs(await company.list())).toEqual([])
  })

  it('two accounts of one source, however alike', async () => {
    await company.show(north, [shared, { ...shared, id: 'twin' }])
    await match()
    expect(pairs(await company.list())).toEqual([])
  })

  it('an account that resembles two of another source', async () => {
    await company.show(north, [shared])
    await company.show(south, [
      { ...shared, id: 'S-1' },
      { ...shared, id: 'S-2' },
    ])
    await match()
    expect(pairs(await company.list())).toEqual([])
  })

  it('accounts of two companies', async () => {
    const other = new Company()
    await other.open()
    await company.show(north, [shared])
    await other.show(south, [{ ...shared, id: 'S-1' }])
    await match()
    expect([pairs(await company.list()), pairs(await other.list())]).toEqual([[], []])
  })
})

describe('accounts that are linked', () => {
  it('by the full number, which two accounts of one ending do not share', async () => {
    await company.show(north, [{ ...shared, rows: [], number: '003-12345-6004410' }])
    await company.show(south, [
      { ...shared, id: 'S-1', balance: '5.00', rows: [], number: '00312345 6004410' },
      { ...shared, id: 'S-2', rows: [], number: '00399999 6004410' },
    ])
    await match()
    const { data } = await company.list()
    expect(data.find(({ sameAs }) => sameAs.length > 0)?.sameAs[0]?.reasons.map(({ code }) => code)).toEqual(['sameNumber', 'sameBank'])
  })

  it('by the same balance to the cent at the same time', async () => {
    await company.show(north, [{ ...shared, rows: [] }])
    await company.show(south, [{ ...shared, id: 'S-1', rows: [] }])
    await match()
    expect(pairs(await company.list())).toHaveLength(2)
  })

  it('over three services, as one', async () => {
    await company.show(north, [shared])
    await company.show(south, [{ ...shared, id: 'S-1' }])
    await company.show(east, [{ ...shared, id: 'E-1', balance: '0.1' }])
    await match()
    const { data, totals } = await company.list()
    expect([data.map(({ sameAs }) => sameAs.length), totals[0]?.accounts]).toEqual([[2, 2, 2], 1])
  })
})

describe('the list', () => {
  it('has pages and filters, and totals of all accounts', async () => {
    const statements = Array.from({ length: 12 }, (_, index) => ({
      id: `n${index}`,
      bank: 'Maple Bank',
      name: `Account ${String(index).padStart(2, '0')}`,
      balance: '0.1',
    }))
    await company.show(north, [...statements, { id: 'card', bank: 'Maple Bank', kind: 'CreditCard', balance: '20.5' }])
    const first = await company.list('?PageSize=10&OrderBy=accountName&Desc=true')
    const some = await company.list(`?FilterQuery=${encodeURIComponent('accountName~1 && isCounted=true')}`)
    expect([first.count, first.data[1]?.accountName, some.count]).toEqual([10, 'Account 11', 3])
    expect(some.totals).toEqual([{ currency: 'CAD', accounts: 13, withoutBalance: 0, assets: 1.2, debts: 20.5 }])
  })

  it('keeps every digit of an amount', async () => {
    await company.show(north, [{ id: 'big', bank: 'Maple Bank', balance: '12345678901234567.89' }])
    const { payload } = (await api.call('GET', `/normalized-data/companies/${company.id}/accounts`)) as unknown as { payload: string }
    expect(payload).toContain('"actualBalance":12345678901234567.89')
    expect(payload).toContain('"assets":12345678901234567.89')
  })

  it('does not count an account that is closed', async () => {
    await company.show(north, [{ id: 'old', bank: 'Maple Bank', balance: '5', status: 'CLOSED' }])
    expect((await company.list()).totals).toEqual([])
  })

  it('is 404 for a company that is unknown, and for one of another instance', async () => {
    const { token } = await api.openOtherInstance()
    const path = (id: string) => `/normalized-data/companies/${id}/accounts`
    const foreign = await api.call('GET', path(company.id), { role: null, headers: { authorization: `Bearer ${token}` } })
    const unknown = await api.call('GET', path('00000000-0000-4000-8000-000000000000'))
    expect([foreign.statusCode, unknown.statusCode]).toEqual([404, 404])
  })
})
