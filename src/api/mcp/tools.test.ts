import { describe, expect, it } from 'vitest'
import { listedSchema, TOOLS } from './tools.ts'

const COMPANY = 'AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const SERVICE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const PAGE = { PageNumber: '1', PageSize: '20' }
const read = (name: string, input: unknown) => TOOLS.find((tool) => tool.name === name)?.read(input)
const source = { companyId: COMPANY, serviceId: SERVICE, category: 'banking', entity: 'accounts' }

it.each<[string, object, object]>([
  ['list_companies', {}, { path: '/normalized-data/companies', query: PAGE, companyId: null }],
  [
    'list_companies',
    { page: 3, pageSize: 50, filter: 'name~Maple' },
    { path: '/normalized-data/companies', query: { PageNumber: '3', PageSize: '50', FilterQuery: 'name~Maple' }, companyId: null },
  ],
  ['list_connections', { companyId: COMPANY }, { path: `/normalized-data/company/${COMPANY}/data-connection/statuses`, query: PAGE }],
  [
    'list_company_accounts',
    { companyId: COMPANY, page: 2 },
    {
      path: `/normalized-data/companies/${COMPANY}/accounts`,
      query: { PageNumber: '2', PageSize: '20' },
      recordsPath: `/normalized-data/${COMPANY}/banking/accounts`,
    },
  ],
  [
    'list_records',
    { ...source, filter: 'amount>1' },
    {
      path: `/normalized-data/${COMPANY}/banking/accounts/${SERVICE}`,
      query: { ...PAGE, FilterQuery: 'amount>1' },
      recordsPath: `/normalized-data/${COMPANY}/banking/accounts`,
    },
  ],
  [
    'explain_record',
    { ...source, category: 'accountancy', entity: 'transactions', recordId: '1/2 ?#' },
    { path: `/normalized-data/${COMPANY}/accountancy/transactions/${SERVICE}/1%2F2%20%3F%23/explanation` },
  ],
  [
    'get_quality',
    { companyId: COMPANY, serviceId: SERVICE },
    { path: `/normalized-data/company/${COMPANY}/data-connection/${SERVICE}/quality` },
  ],
])('%s with %j is one read', (name, input, wanted) => {
  expect(read(name, input)).toEqual({ query: {}, recordsPath: null, companyId: COMPANY.toLowerCase(), ...wanted })
})

it.each<[string, unknown]>([
  ['list_companies', { page: 0 }],
  ['list_companies', { page: 10_000 }],
  ['list_companies', { page: 1.5 }],
  ['list_companies', { pageSize: 9 }],
  ['list_companies', { pageSize: 51 }],
  ['list_companies', { filter: 'x'.repeat(2_049) }],
  ['list_companies', { other: 1 }],
  ['list_companies', null],
  ['list_connections', {}],
  ['list_connections', { companyId: `${COMPANY}/x` }],
  ['list_connections', { companyId: `x${COMPANY}` }],
  ['list_company_accounts', { companyId: COMPANY, filter: 'a=1' }],
  ['list_records', { ...source, category: 'secrets' }],
  ['list_records', { ...source, entity: 'users' }],
  ['explain_record', { ...source, recordId: '' }],
  ['explain_record', { ...source, recordId: '.' }],
  ['explain_record', { ...source, recordId: '..' }],
  ['explain_record', { ...source, recordId: 'x'.repeat(401) }],
  ['get_quality', { companyId: COMPANY, serviceId: '..' }],
])('%s with %j is refused', (name, input) => {
  expect(read(name, input)).toBeNull()
})

it('an id of three dots, or with dots in it, is read', () => {
  for (const recordId of ['...', '.a', 'a..']) expect(read('explain_record', { ...source, recordId })).not.toBeNull()
})

describe('the list of tools', () => {
  it('is these, each with words about what it does', () => {
    expect(TOOLS.map(({ name }) => name)).toEqual([
      ...['list_companies', 'list_connections', 'list_company_accounts', 'list_records', 'explain_record', 'get_quality'],
    ])
    expect(TOOLS.filter(({ description }) => description.length < 20)).toEqual([])
  })

  it('has schemas without patterns, which say what each argument is', () => {
    const [, , , , explain, quality] = TOOLS.map(listedSchema)
    expect(quality).toEqual({
      ...{ type: 'object', required: ['companyId', 'serviceId'], additionalProperties: false },
      properties: {
        companyId: { type: 'string', description: 'Id from list_companies' },
        serviceId: { type: 'string', description: 'serviceId from list_connections' },
      },
    })
    expect(explain).toHaveProperty('properties.recordId', { type: 'string', minLength: 1, maxLength: 400, description: 'id or origId' })
    expect(JSON.stringify(TOOLS.map(listedSchema))).not.toContain('pattern')
    expect(listedSchema(TOOLS[0] ?? { name: '', description: '', input: {} as never, read: () => null })).toMatchObject({
      properties: {
        page: { type: 'integer', minimum: 1, maximum: 9999 },
        pageSize: { type: 'integer', minimum: 10, maximum: 50, description: 'Default 20' },
        filter: { type: 'string', maxLength: 2048, description: expect.stringContaining('&& or ||') },
      },
    })
  })
})
