import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { StatusCode } from '../../../src/model/statuses.ts'
import { type CompanyDetails, createCompany, findCompany } from '../../../src/store/connections/companies.ts'
import { listCompanies } from '../../../src/store/connections/company-list.ts'
import { listConnections } from '../../../src/store/connections/connection-list.ts'
import { findCurrentConnection } from '../../../src/store/connections/connections.ts'
import type { Clause, Selection } from '../../../src/store/db/list-selection.ts'
import { addCompany } from '../../harness/app/tenants.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId, companyId } = tenants)
})

const details = (more: Partial<CompanyDetails> = {}): CompanyDetails => ({
  ...{ name: 'Érable', industry: 'Bakery', fullAddress: '1 rue A', country: 'CA', city: 'Laval', companyContactNumber: '+1 514', ...more },
})

const where = (property: string, value: string | null, operator: Clause['operator'] = '=') => [[{ property, operator, value }]]
const page: Selection = { filter: [], orderBy: 'createdOn', descending: false, limit: 10, offset: 0 }

describe('the list of companies', () => {
  it('has filters, orders and pages', async () => {
    const { database } = test
    const one = await createCompany(database, instanceId, randomUUID(), details({ externalId: 'crm-1', metadata: { tier: 'gold' } }))
    const two = await createCompany(database, instanceId, randomUUID(), details({ name: 'Bouleau', city: 'Lévis' }))
    const list = async (more: Partial<Selection> = {}, words: string[] = [], of = instanceId) =>
      await listCompanies(database, of, { ...page, ...more }, words)
    const first = await findCompany(database, instanceId, companyId)
    expect(await list()).toEqual({ companies: [first, one, two], total: { total: 3, hasMore: false } })
    const table: [Partial<Selection>, string[], unknown[]][] = [
      [{ descending: true, limit: 1 }, [], [two]],
      [{ offset: 1, limit: 1 }, [], [one]],
      [{ orderBy: 'name', limit: 2 }, [], [first, two]],
      [{ orderBy: 'externalId', limit: 1 }, [], [one]],
      [{ filter: where('externalId', 'crm-1') }, [], [one]],
      [{ filter: where('metadata.tier', 'gold') }, [], [one]],
      [{ filter: where('name', 'bouleau', '~') }, [], [two]],
      [{}, ['levis'], [two]],
      [{}, ['levis', 'bou'], [two]],
      [{}, ['levis', 'crm'], []],
      [{ filter: where('country', 'CA') }, ['bakery'], [one, two]],
      [{ filter: where('country', 'US') }, ['bakery'], []],
      [{ filter: where('name', 'bouleau', '~'), offset: 1 }, [], []],
    ]
    for (const [more, words, expected] of table)
      expect((await list(more, words)).companies, JSON.stringify([more, words])).toEqual(expected)
    expect((await list({ filter: where('name', 'bouleau', '~'), offset: 1 })).total).toEqual({ total: 1, hasMore: false })
    expect((await list({}, ['bakery'])).total).toEqual({ total: 2, hasMore: false })
    expect((await list({}, [], otherId)).companies.map(({ id }) => id)).toEqual([tenants.otherCompanyId])
  })
})

describe('the list of connections', () => {
  it('has the names of services, filters, orders and pages, of an instance or a company', async () => {
    const { database } = test
    const neighbour = { instanceId, companyId: await addCompany(database, instanceId) }
    const bank = randomUUID()
    await database.query(
      `insert into child_services (instance_id, id, connector_key, institution_id, name) values ($1, $2, 'plaid', 'i', 'Harbor')`,
      [instanceId, bank],
    )
    const books = await storeConnection(database, tenants)
    const child = await storeConnection(
      database,
      tenants,
      { connectorKey: 'plaid', serviceId: bank, category: 'Banking', status: 8 },
      {
        ...{ fault_code: `'declined'`, trouble: `'{"code":"internal","nextAt":"2026-11-20T12:00:00Z"}'` },
      },
    )
    const unknown = await storeConnection(database, neighbour, { connectorKey: 'gone', status: 26 })
    const names = new Map([
      ['quickbooks', 'QuickBooks'],
      ['plaid', 'Plaid'],
    ])
    const list = async (more: Partial<Selection> = {}, company: string | null = null, of = instanceId) =>
      await listConnections(database, of, company, names, { ...page, ...more })
    const named = [
      { ...books, name: 'QuickBooks', parentName: null, isCurrent: true },
      { ...child, name: 'Harbor', parentName: 'Plaid', isCurrent: true },
      { ...unknown, name: '', parentName: null, isCurrent: true },
    ]
    expect(await list()).toEqual({ connections: named, total: { total: 3, hasMore: false } })
    expect(await list({}, companyId)).toEqual({ connections: named.slice(0, 2), total: { total: 2, hasMore: false } })
    expect(await list({}, null, otherId)).toEqual({ connections: [], total: { total: 0, hasMore: false } })
    const ids = async (more: Partial<Selection>) =>
      (await list(more)).connections.map(({ id }) => [books, child, unknown].findIndex((one) => one.id === id))
    const table: [Partial<Selection>, number[]][] = [
      [{ descending: true, limit: 2 }, [2, 1]],
      [{ filter: where('statusName', 'Deauthorized') }, [1]],
      [{ filter: where('statusName', 'No such') }, []],
      [{ filter: where('statusName', 'Deauthorized', '!=') }, [0, 2]],
      [{ filter: where('statusCode', '26') }, [2]],
      [{ filter: where('statusCode', '99') }, []],
      [{ filter: where('statusCode', '9', '>') }, [2]],
      [{ filter: where('serviceName', 'Harbor') }, [1]],
      [{ filter: where('parentServiceName', 'Plaid') }, [1]],
      [{ filter: where('serviceId', bank) }, [1]],
      [{ filter: where('category', 'Banking') }, [1]],
      [{ filter: where('faultCode', 'declined') }, [1]],
      [{ filter: where('faultCode', null) }, [0, 2]],
      [{ filter: where('troubleCode', null, '!=') }, [1]],
      [{ filter: where('updateScheduledOn', null) }, [1, 2]],
      [{ orderBy: 'serviceName' }, [2, 1, 0]],
      [{ orderBy: 'statusCode' }, [1, 0, 2]],
    ]
    for (const [more, expected] of table) expect(await ids(more), JSON.stringify(more)).toEqual(expected)
    for (const orderBy of [
      'sessionId',
      'companyId',
      'statusName',
      'parentServiceName',
      'serviceId',
      'categoryId',
      'category',
      'lastUpdatedOn',
      'updateScheduledOn',
      'nextReadOn',
      'faultCode',
      'troubleCode',
    ])
      expect(await ids({ orderBy }), orderBy).toHaveLength(3)
  })

  it('tells the current connection of each service: the active one, else the newest', async () => {
    const { database } = test
    const [one, two] = [randomUUID(), randomUUID()]
    const store = async (serviceId: string, status: StatusCode, entity: string, of: Tenants = tenants) =>
      (await storeConnection(database, of, { serviceId, status }, { entity_id: entity })).id
    const active = await store(one, 8, `'e'`)
    await store(one, 26, `'e'`)
    await store(one, 20, 'null')
    await store(two, 20, 'null')
    const newest = await store(two, 26, `'e'`)
    const elsewhere = await store(one, 20, 'null', { ...tenants, companyId: await addCompany(database, instanceId) })
    const list = async (filter: Selection['filter']) =>
      (await listConnections(database, instanceId, null, new Map(), { ...page, filter })).connections
    const all = await list([])
    expect(all.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)).toEqual([active, newest, elsewhere])
    expect(await list(where('isCurrent', 'true'))).toEqual(all.filter(({ isCurrent }) => isCurrent))
    expect(await list(where('isCurrent', 'true', '!='))).toEqual(all.filter(({ isCurrent }) => !isCurrent))
    for (const { id, serviceId, companyId: company, isCurrent } of all)
      expect((await findCurrentConnection(database, instanceId, company, serviceId))?.id === id).toBe(isCurrent)
  })
})
