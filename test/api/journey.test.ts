import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { saveInstitutions } from '../../src/store/sources/institutions.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { DIRECTORY_SERVICE, openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)
let place = ''
let service = ''
beforeAll(() => {
  service = api.syncHarness.serviceId(api.books)
  place = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${service}`
})

describe('companies', () => {
  it('are created, read, updated, listed and deleted', async () => {
    const created = await api.call('POST', '/normalized-data/company', { body: { name: 'Café Laurier', country: 'CA' } })
    expect(created.statusCode).toBe(201)
    const { id } = created.json()
    expect((await api.call('PUT', `/normalized-data/companies/${id}`, { body: { name: 'Café Laurier inc.' } })).json()).toMatchObject({
      name: 'Café Laurier inc.',
      country: '',
    })
    expect((await api.call('GET', `/normalized-data/companies/${id}`)).json()).toMatchObject({ name: 'Café Laurier inc.' })
    expect((await api.call('GET', `/normalized-data/company/${id}`)).json()).toMatchObject({ name: 'Café Laurier inc.' })
    const list = await api.call('GET', '/normalized-data/companies?filterquery=name~laurier&ORDERBY=name&desc=true')
    expect(list.json()).toMatchObject({ pageNumber: 1, pageSize: 100, count: 1 })
    expect(list.headers['x-total-count']).toBe('1')
    expect((await api.call('DELETE', `/normalized-data/companies/${id}`)).statusCode).toBe(204)
    expect((await api.call('GET', `/normalized-data/companies/${id}`)).statusCode).toBe(404)
  })

  it('cannot be deleted while connected', async () => {
    expect((await api.call('DELETE', `/normalized-data/companies/${api.syncHarness.companyId}`)).statusCode).toBe(409)
  })
})

describe('the catalogue', () => {
  it('lists each source with its fixed ids and texts in both languages', async () => {
    const { data } = (await api.call('GET', '/normalized-data/services?OrderBy=name')).json() as unknown as {
      data: Record<string, string>[]
    }
    expect(data).toHaveLength(3)
    for (const entry of data) expect(Object.keys(JSON.parse(entry.description ?? ''))).toEqual(['en-CA', 'fr-CA'])
    expect(data[0]).toMatchObject({ parentId: null, parentName: null, supportedEntities: ['Accounts'] })
  })

  it('finds institutions by part of the name and by routing number, and stores requests for missing ones', async () => {
    await saveInstitutions(api.syncHarness.deps.database, 'directory', new Date(), [
      { id: 'b1', name: 'Banque du Fleuve', countries: ['CA'], routingNumbers: ['081500001'], url: null },
      { id: 'b2', name: 'River Bank', countries: ['US'], routingNumbers: [], url: 'https://example.com' },
    ])
    const path = `/normalized-data/services/${DIRECTORY_SERVICE}/institutions`
    expect((await api.call('GET', `${path}?search=fleuve`)).json()).toMatchObject({ count: 1 })
    expect((await api.call('GET', `${path}?search=081500001&country=CA`)).json()).toMatchObject({ count: 1 })
    expect((await api.call('GET', `${path}?search=100%25`)).json()).toMatchObject({ count: 0 })
    const asked = await api.call('POST', '/normalized-data/institution-requests', {
      body: { serviceId: DIRECTORY_SERVICE, name: 'Caisse de Rimouski', country: 'CA' },
    })
    expect(asked.statusCode).toBe(201)
    const { id } = asked.json() as unknown as { id: string }
    const answer = { answer: 'Available from Monday on.' }
    expect((await api.call('PUT', `/normalized-data/institution-requests/${id}`, { body: answer })).statusCode).toBe(200)
    expect((await api.call('GET', `/normalized-data/institution-requests/${id}`)).json()).toMatchObject({ id })
    const listed = (await api.call('GET', '/normalized-data/institution-requests')).json() as unknown as object[]
    expect(listed).toMatchObject([{ id, state: 'answered', ...answer, answeredOn: expect.any(String) }])
    const foreign = await api.call('PUT', `/normalized-data/institution-requests/${DIRECTORY_SERVICE}`, { body: answer })
    expect(foreign.statusCode).toBe(404)
  })
})

describe('connections', () => {
  it('are linked, listed and shown with timeline and runs', async () => {
    const { link } = (await api.call('GET', `${place}/link`)).json() as unknown as { link: string }
    const query = new URL(link).searchParams
    expect([query.get('serviceId'), query.get('instanceId'), query.get('accountId')]).toEqual([
      service,
      api.syncHarness.instanceId,
      api.syncHarness.companyId,
    ])
    expect((await api.call('GET', `/normalized-data/company/${api.syncHarness.companyId}/data-connection/statuses`)).json()).toMatchObject({
      count: 2,
    })
    expect((await api.call('GET', '/normalized-data/data-connection/statuses?FilterQuery=statusCode%3D15')).json()).toMatchObject({
      count: 1,
    })
    expect((await api.call('GET', `${place}/status`)).json()).toMatchObject({
      statusCode: 15,
      statusName: 'Structured',
      sessionId: api.connectionId,
    })
  })

  it('have runs of their own, and a schedule that is theirs, the service’s or the source’s', async () => {
    const { data } = (await api.call('GET', `${place}/runs`)).json() as unknown as { data: { id: string }[] }
    expect((await api.call('GET', `${place}/runs/${data[0]?.id}`)).json()).toMatchObject({ id: data[0]?.id })
    const ofService = `/normalized-data/services/${service}/schedule`
    const [initial] = [(await api.call('GET', ofService)).json()]
    expect((await api.call('PUT', ofService, { body: { everyMinutes: 720 } })).json()).toMatchObject({ everyMinutes: 720 })
    expect((await api.call('GET', `${place}/schedule`)).json()).toMatchObject({ everyMinutes: 720, setBy: 'service' })
    expect((await api.call('PUT', `${place}/schedule`, { body: { everyMinutes: null } })).json()).toMatchObject({ setBy: 'connection' })
    expect((await api.call('DELETE', `${place}/schedule`)).json()).toMatchObject({ everyMinutes: 720, setBy: 'service' })
    expect((await api.call('DELETE', ofService)).json()).toEqual(initial)
  })

  it('are an empty list for a company without any', async () => {
    const { id } = (await api.call('POST', '/normalized-data/company', { body: { name: 'New' } })).json()
    expect((await api.call('GET', `/normalized-data/company/${id}/data-connection/statuses`)).json()).toMatchObject({ count: 0, data: [] })
  })

  it('are refreshed, suspended and resumed, and refuse what is not possible in their status', async () => {
    expect((await api.call('POST', `${place}/refresh`)).statusCode).toBe(202)
    expect((await api.call('POST', `${place}/accept-deletions`)).statusCode).toBe(202)
    expect((await api.call('POST', `${place}/suspend`)).json()).toMatchObject({ statusCode: 27, statusName: 'Suspended' })
    expect((await api.call('POST', `${place}/refresh`)).statusCode).toBe(409)
    expect((await api.call('POST', `${place}/resume`)).json()).toMatchObject({ statusCode: 15 })
    expect((await api.call('POST', `${place}/resume`)).statusCode).toBe(409)
  })
})

describe('data', () => {
  const path = () => `/normalized-data/${api.syncHarness.companyId}/accountancy/accounts/${service}`

  it('has an ETag that answers 304 until the next publication', async () => {
    const first = await api.call('GET', path())
    expect(first.json()).toMatchObject({ pagination: { pageNumber: 1, pageSize: 100, count: 12 } })
    expect(first.headers['x-total-count']).toBe('12')
    const etag = String(first.headers.etag)
    expect((await api.call('GET', path(), { headers: { 'if-none-match': etag } })).statusCode).toBe(304)
    api.books.accounts[0] = { id: '100', name: 'Renamed' }
    await api.syncHarness.sync(api.connectionId)
    const second = await api.call('GET', path(), { headers: { 'if-none-match': etag } })
    expect(second.statusCode).toBe(200)
    expect(second.payload).toContain('Renamed')
  })

  it('is paged, ordered and filtered by any of its properties', async () => {
    const page = await api.call('GET', `${path()}?PageSize=10&PageNumber=2&OrderBy=name&Desc=true`)
    expect(page.json()).toMatchObject({ pagination: { pageNumber: 2, pageSize: 10, count: 2 } })
    expect(page.headers.link).toContain('rel="prev"')
    expect((await api.call('GET', `${path()}?FilterQuery=name%20~%20Renamed`)).json()).toMatchObject({ pagination: { count: 1 } })
    const bank = `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}`
    expect((await api.call('GET', `${bank}?FilterQuery=actualBalance%20%3E%201234`)).json()).toMatchObject({ pagination: { count: 1 } })
    expect((await api.call('GET', `${bank}?FilterQuery=actualBalance%20%3E%201234.5`)).json()).toMatchObject({ pagination: { count: 0 } })
  })

  it('is compressed with gzip for clients that accept it', async () => {
    const answer = await api.app.inject({
      url: `/admin/api/v1${path()}`,
      headers: { authorization: `Bearer ${api.tokens.viewer}`, 'accept-encoding': 'gzip' },
    })
    expect(answer.headers['content-encoding']).toBe('gzip')
  })

  it('is 404 for the other category, an unknown company and before the first publication', async () => {
    const { companyId } = api.syncHarness
    expect((await api.call('GET', `/normalized-data/${companyId}/banking/accounts/${service}`)).statusCode).toBe(404)
    expect((await api.call('GET', `/normalized-data/${companyId}/accountancy/accounts/${randomUUID()}`)).statusCode).toBe(404)
    expect((await api.call('GET', `/normalized-data/${companyId}/banking/accounts/${DIRECTORY_SERVICE}`)).json()).toMatchObject({
      Message: expect.stringContaining('published'),
    })
  })

  it('has lists of transactions and supports asOf, modifiedSince and includeDeleted', async () => {
    const { companyId } = api.syncHarness
    const bank = api.syncHarness.serviceId(api.bank)
    expect((await api.call('GET', `/normalized-data/${companyId}/accountancy/transactions/${service}`)).json()).toMatchObject({ data: [] })
    expect((await api.call('GET', `/normalized-data/${companyId}/banking/transactions/${bank}`)).json()).toMatchObject({ data: [] })
    expect((await api.call('GET', `${path()}?asOf=2020-01-01&includeDeleted=true`)).json()).toMatchObject({ data: [] })
    expect((await api.call('GET', `${path()}?modifiedSince=2020-01-01T00:00:00%2B02:00`)).json()).toMatchObject({
      pagination: { count: 12 },
    })
    expect((await api.call('GET', `${path()}?asOf=yesterday`)).statusCode).toBe(400)
  })
})

describe('metadata of records', () => {
  it('is returned per record, per connection and per run', async () => {
    for (const [segment, source, origId] of [
      ['accountancy', api.books, '101'],
      ['banking', api.bank, 'chequing'],
    ] as const) {
      const path = `/normalized-data/${api.syncHarness.companyId}/${segment}/accounts/${api.syncHarness.serviceId(source)}/${origId}/explanation`
      expect((await api.call('GET', path)).json()).toMatchObject({ origId, currentMapping: { gives: 'same' } })
    }
    expect((await api.call('GET', `/normalized-data/companies/${api.syncHarness.companyId}/accounts`)).statusCode).toBe(200)
    expect((await api.call('GET', '/normalized-data/accounts?search=renamed')).json()).toMatchObject({
      data: [{ name: 'Renamed', companyId: api.syncHarness.companyId, serviceId: service }],
    })
    expect((await api.call('GET', '/normalized-data/changes?limit=500')).statusCode).toBe(200)
    for (const what of ['timeline', 'runs', 'quality']) expect((await api.call('GET', `${place}/${what}`)).statusCode).toBe(200)
  })

  it('is exported as a file', async () => {
    const body = { companyId: api.syncHarness.companyId, category: 'Accounting', entity: 'Accounts', format: 'csv' }
    const path = `/normalized-data/exports/${((await api.call('POST', '/normalized-data/exports', { body })).json() as unknown as { id: string }).id}`
    const { deps } = api.syncHarness
    for (const job of await takeJobs(deps.database, 'export')) await runJob(syncHandlers(deps).export, job)
    expect((await api.call('GET', path)).json()).toMatchObject({ state: 'completed' })
    expect((await api.call('GET', '/normalized-data/exports')).headers['x-total-count']).toBe('1')
    for (const headers of [{}, { range: 'bytes=0-8' }])
      expect((await api.call('GET', `${path}/file`, { headers })).body).toMatch(/^companyId/)
    const lake = {
      name: 'Lake',
      endpoint: 'https://s3.example.com',
      region: 'ca-1',
      bucket: 'lake',
      accessKeyId: 'AK',
      secretAccessKey: 'SK',
    }
    const destination = (await api.call('POST', '/export-destinations', { body: lake })).json() as unknown as { id: string }
    expect((await api.call('GET', '/export-destinations')).json()).toMatchObject([{ id: destination.id }])
    expect((await api.call('GET', `/export-destinations/${destination.id}`)).body).not.toContain('SK')
    const delivered = await api.call('POST', `${path}/deliver`, { body: { destinationId: destination.id } })
    expect(delivered.json()).toMatchObject({ delivery: { destinationId: destination.id, state: 'waiting' } })
    const login = { host: 'db.example.com', database: 'warehouse', user: 'loader', password: 'pw-canary' }
    const warehouse = { kind: 'postgres', name: 'Warehouse', schema: 'countinghouse', ...login }
    const server = {
      kind: 'sftp',
      name: 'Inbound',
      host: 'sftp.example.com',
      user: 'in',
      password: 'pw-canary',
      path: '/in',
      hostKey: `SHA256:${'A'.repeat(43)}`,
    }
    expect((await api.call('POST', '/export-destinations', { body: server })).statusCode).toBe(201)
    const added = (await api.call('POST', '/export-destinations', { body: warehouse })).json() as unknown as { id: string }
    const replicated = await api.call('POST', `/export-destinations/${added.id}/replicate`, { body: { cursor: null } })
    expect(replicated.json()).toMatchObject({ kind: 'postgres', replication: { state: 'copying', cursor: null } })
    expect((await api.call('POST', `/export-destinations/${destination.id}/replicate`, { body: {} })).statusCode).toBe(409)
    expect((await api.call('GET', '/export-destinations')).body).not.toContain('canary')
    expect((await api.call('DELETE', `/export-destinations/${destination.id}`)).statusCode).toBe(204)
    expect((await api.call('DELETE', path)).statusCode).toBe(204)
  })

  it('is normalized again on request of an admin', async () => {
    const asked = await api.call('POST', '/normalized-data/replays', { body: { companyId: api.syncHarness.companyId, dryRun: true } })
    expect(asked.statusCode).toBe(202)
    const { id } = asked.json() as unknown as { id: string }
    expect((await api.call('GET', `/normalized-data/replays/${id}`)).json()).toMatchObject({ state: 'running', dryRun: true })
    expect((await api.call('POST', '/normalized-data/replays', { body: { companyId: randomUUID() } })).statusCode).toBe(404)
    expect((await api.call('POST', '/normalized-data/replays', { role: 'developer', body: {} })).statusCode).toBe(403)
  })
})

describe('a dead job', () => {
  it('is listed and run again on request of an admin', async () => {
    const { instanceId, deps } = api.syncHarness
    await deps.database.query(
      `insert into jobs (instance_id, kind, key, state, attempts, error, died_at)
       select $1, 'erase', 'erase/' || n, 'dead', 8, 'unavailable', clock_timestamp() from generate_series(1, 2) n`,
      [instanceId],
    )
    expect((await api.call('GET', '/jobs/queues')).json()).toContainEqual(expect.objectContaining({ kind: 'erase' }))
    expect((await api.call('GET', '/deployment')).json()).toMatchObject({ environment: 'production' })
    const { data } = (await api.call('GET', '/jobs/dead?OrderBy=key')).json() as unknown as { data: { id: string }[] }
    expect(data).toMatchObject([{ kind: 'erase', attempts: 8, error: 'unavailable' }, { kind: 'erase' }])
    expect((await api.call('POST', `/jobs/dead/${data[0]?.id}/redrive`)).json()).toEqual({ jobs: 1 })
    expect((await api.call('POST', '/jobs/dead/redrive', { body: { kind: 'erase' } })).json()).toEqual({ jobs: 1 })
    await deps.database.query(`delete from jobs where key ~ '^erase/[12]$'`)
  })
})

describe('a disconnected connection', () => {
  it('is hidden at once and stays ended', async () => {
    expect((await api.call('DELETE', place)).json()).toMatchObject({ statusCode: 26, statusName: 'Disconnected' })
    expect((await api.call('GET', `/normalized-data/${api.syncHarness.companyId}/accountancy/accounts/${service}`)).statusCode).toBe(404)
    expect((await api.call('DELETE', place)).statusCode).toBe(409)
    expect((await api.call('POST', `${place}/refresh`)).statusCode).toBe(409)
  })
})

describe('owners', () => {
  it('have receipts, and the links to their page can be revoked', async () => {
    expect((await api.call('GET', '/normalized-data/receipts?OrderBy=issuedOn')).json()).toMatchObject({ count: 0 })
    const addresses = `/normalized-data/company/${api.syncHarness.companyId}/owner-addresses`
    expect((await api.call('GET', addresses)).json()).toEqual({ addresses: expect.any(Number) })
    expect((await api.call('DELETE', addresses)).statusCode).toBe(204)
  })
})

describe('API keys', () => {
  it('are created, read, rotated and revoked', async () => {
    const created = (await api.call('POST', '/api-keys', { body: { name: 'Import', scopes: ['data:read'] } })).json() as unknown as {
      id: string
    }
    expect((await api.call('GET', `/api-keys/${created.id}`)).json()).toMatchObject({ name: 'Import', state: 'active' })
    expect((await api.call('POST', `/api-keys/${created.id}/rotate`, { body: { overlapHours: 1 } })).statusCode).toBe(201)
    expect((await api.call('GET', '/api-keys')).json()).toMatchObject({ count: 2 })
    expect((await api.call('DELETE', `/api-keys/${created.id}`)).statusCode).toBe(204)
  })
})

it('roles of groups are read and replaced', async () => {
  const body = { groupRoles: [{ group: 'Finance', role: 'viewer' }] }
  expect((await api.call('PUT', '/group-roles', { body })).json()).toEqual(body)
  expect((await api.call('GET', '/group-roles')).json()).toEqual(body)
  expect((await api.call('GET', '/provisioning')).json()).toMatchObject({ lastRequestOn: null, users: 0, groups: [] })
})

it('every operation on companies, connections, data and jobs has succeeded, checked against the document', () => {
  // The sources here have no transactions to explain; test/explain covers those. The other operations are covered in
  // the folders of the same name.
  const elsewhere =
    /^\/(livez|readyz|auth|users|audit|file-feed|sources|usage|deployment\/health|webhooks|identity-provider)|\{transactionId\}|consents|owner-pages|sign-in-rules|mcp-access|mail/
  expect(api.listUnseen((path) => !elsewhere.test(path))).toEqual([])
})
