import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseForTests, folderForTests, openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { findFreePort, type Service, startService } from '../process/service.ts'
import { openCollector, type ReceivedSpan } from './collector.ts'

const COMPANY = 'Canary Bakery of Rosemont'
const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const folder = folderForTests()
const test = databaseForTests()
const collector = openForTests(openCollector)
let receiver: Receiver
let api: Service
let worker: Service
let client: Client
let link: string
let companyId: string
let spans: ReceivedSpan[]

/** Two processes on one database: an owner connects the books of a company, and its events are delivered. */
beforeAll(async () => {
  const port = await findFreePort()
  const environment = {
    DATABASE_URL: test.url,
    SEED_PASSWORD: 'harbour-violet-teapot-91',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  }
  api = await startService({ dataDir: folder.path, port, environment: { ...environment, ROLE: 'api' } })
  worker = await startService({ dataDir: folder.path, port, environment: { ...environment, ROLE: 'worker' } })
  client = await Client.logIn(api)
  receiver = await openReceiver()
  await client.subscribe('NormalizedData', receiver.url)
  companyId = await client.addCompany(COMPANY)
  const quickbooks = await client.service('QuickBooks Online')
  link = await client.link(companyId, quickbooks.id)
  await connectQuickbooks(api.baseUrl, link, { realmId: '4620816365200000101' })
  await receiver.first('of the data', ({ Data }) => Data.CompanyId === companyId, 60_000)
  const ofConsent = () => collector.spans().find(({ name }) => name === 'POST /connect/consent')?.traceId ?? null
  spans = await collector.trace(ofConsent, ['accept grants', 'job sync', 'GET quickbooks', 'publish', 'webhook delivery'])
})
afterAll(async () => {
  await worker?.stop()
  await api?.stop()
  await receiver?.close()
})

describe('one trace', () => {
  it('spans two processes from the owner’s click to the delivery', () => {
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    const roleOf = (name: string) => [...new Set(spans.filter((span) => span.name === name).map(({ role }) => role))]
    expect(roleOf('POST /connect/consent')).toEqual(['api'])
    expect(roleOf('accept grants')).toEqual(['api'])
    expect(['job sync', 'publish', 'webhook delivery'].map(roleOf)).toEqual([['worker'], ['worker'], ['worker']])
    expect(roleOf('GET quickbooks')).toContain('worker')
  })

  it('has no gap: each span but the click has its parent in it', () => {
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const orphans = spans.filter(({ parentId }) => !ids.has(parentId))
    expect(orphans.map(({ name }) => name)).toEqual(['POST /connect/consent'])
  })

  it('is passed to the receiver', () => {
    const arrival = receiver.arrivals.find(({ event }) => event.Data.CompanyId === companyId)
    const delivery = spans.find(({ name }) => name === 'webhook delivery')
    expect(arrival?.headers.traceparent?.split('-')[1]).toBe(delivery?.traceId)
  })

  it('contains no link, token, password, company, person or account', async () => {
    const everything = collector.everything()
    const { body } = await client.ask('/normalized-data/companies')
    expect(body).toContain(COMPANY)
    const token = new URL(link).searchParams.get('token') ?? ''
    const canaries = [
      COMPANY,
      token,
      'harbour-violet-teapot-91',
      'developer@example.com',
      receiver.url,
      '4620816365200000101',
      ...client.secrets,
    ]
    expect(everything).toContain('POST /connect/consent')
    for (const canary of canaries) expect(everything).not.toContain(canary)
    expect(everything).not.toMatch(/eyJ|whsec_|Bearer|access_token|[?&]token=/)
  })

  it('is found in the log by its id', () => {
    const [first] = spans
    const lines = worker
      .output()
      .split('\n')
      .filter((line) => line.includes('"sync done"'))
    expect(lines.some((line) => line.includes(`"traceId":"${first?.traceId}"`))).toBe(true)
  })
})

describe('a request', () => {
  const ask = async (path: string) => await fetch(`${api.baseUrl}${path}`, { headers: { traceparent: SAMPLED } })
  const [, traceId = ''] = SAMPLED.split('-')

  it('of a program joins the trace that it names', async () => {
    await ask('/admin/api/v1/auth/me')
    const [span] = await collector.trace(() => traceId, ['GET /admin/api/v1/auth/me'])
    expect([span?.parentId, span?.attributes['http.response.status_code']]).toEqual(['b7ad6b7169203331', '401'])
  })

  it('of an anonymous client to a public page joins none', async () => {
    const before = collector.spans().length
    await ask('/connect/problem?kind=link')
    await collector.trace(
      () =>
        collector
          .spans()
          .slice(before)
          .find(({ name }) => name === 'GET /connect/problem')?.traceId ?? null,
      ['GET /connect/problem'],
    )
    const pages = collector.spans().filter(({ name }) => name === 'GET /connect/problem')
    expect(pages.filter((span) => span.traceId === traceId)).toEqual([])
  })
})

it('metrics of both processes arrive under the names of /metrics', async () => {
  const wanted = [
    'api countinghouse_connections',
    'api http_request_duration_seconds',
    'worker countinghouse_sync_runs_total',
    'worker process_cpu_seconds_total',
  ]
  await expect.poll(() => wanted.filter((name) => !collector.metrics().has(name)), { timeout: 20_000 }).toEqual([])
})
