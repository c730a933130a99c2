import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { DIRECTORY_SERVICE, openApiHarness } from '../../../../test/api/harness.ts'
import { addCompany } from '../../../../test/harness/app/tenants.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'

type Entry = Record<string, unknown>

const api = openForTests(openApiHarness)
let books = ''
beforeAll(async () => {
  const { syncHarness: harness } = api
  books = `/normalized-data/company/${harness.companyId}/data-connection/${harness.serviceId(api.books)}`
  api.books.accounts = [...api.books.accounts, { id: '900', name: 'Later' }]
  await harness.sync(api.connectionId, { reason: 'schedule' })
})
const read = async (url: string) => {
  const answer = await api.call('GET', url)
  return { status: answer.statusCode, data: (answer.json() as { data?: Entry[] }).data ?? [], body: answer.json() as Entry }
}

describe('the timeline of a connection', () => {
  it('is in the order of time, or newest first, and names statuses and their messages', async () => {
    const { data } = await read(`${books}/timeline`)
    expect((await read(`${books}/timeline?Desc=false`)).data).toEqual(data)
    expect((await read(`${books}/timeline?Desc=true`)).data).toEqual(data.toReversed())
    const times = data.map(({ at }) => String(at))
    expect(times).toEqual(times.toSorted())
    expect(data.find(({ kind }) => kind === 'linkIssued')).toMatchObject({ statusCode: null, statusName: null, detailParts: {} })
    expect(data.filter(({ kind }) => kind === 'status').at(-1)).toMatchObject({
      sessionId: api.connectionId,
      statusCode: expect.any(Number),
      statusName: expect.stringMatching(/^[A-Z]/),
    })
    expect(data.filter(({ kind }) => kind === 'run').map(({ subjectId }) => subjectId)).toHaveLength(2)
  })

  it('of a bank has the links of its aggregator, and those of its own, and an aggregator has only its own', async () => {
    const { companyId } = api.syncHarness
    const bank = `/normalized-data/company/${companyId}/data-connection/${await api.addChildService()}`
    const aggregator = `/normalized-data/company/${companyId}/data-connection/${DIRECTORY_SERVICE}`
    expect((await api.call('GET', `${aggregator}/link`)).statusCode).toBe(200)
    const [ofAggregator, ofBank] = [(await read(`${aggregator}/timeline`)).data, (await read(`${bank}/timeline`)).data]
    expect(ofAggregator).toMatchObject([{ kind: 'linkIssued' }])
    expect(ofBank).toEqual(ofAggregator)
  })

  it.each(['timeline', 'runs', `runs/${randomUUID()}`])('and its %s are of a company and a service that are there', async (path) => {
    const { companyId, serviceId } = api.syncHarness
    const at = (company: string, service: string) => `/normalized-data/company/${company}/data-connection/${service}/${path}`
    expect((await read(at(randomUUID(), serviceId(api.books)))).status).toBe(404)
    expect((await read(at(companyId, randomUUID()))).status).toBe(404)
  })
})

describe('the runs of a connection', () => {
  it('have their times, counts and reasons, in either order', async () => {
    const { data } = await read(`${books}/runs`)
    expect(data.map(({ reason, state }) => [reason, state])).toEqual([
      ['first', 'published'],
      ['schedule', 'published'],
    ])
    expect((await read(`${books}/runs?Desc=true`)).data).toEqual(data.toReversed())
    const [first, second] = data
    expect([first?.counts, second?.counts]).toMatchObject([{ changed: 12 }, { records: 13, changed: 1 }])
    expect((await read(`${books}/runs/${first?.id}`)).body).toEqual(first)
    await api.syncHarness.deps.database.query(
      `update sync_runs set started_at = '2026-11-20T12:00:00Z', ended_at = '2026-11-20T12:00:01.25Z' where id = $1`,
      [second?.id],
    )
    expect((await read(`${books}/runs/${second?.id}`)).body).toMatchObject({
      ...{ startedOn: expect.stringMatching(/^2026-11-20T12:00:00/), endedOn: expect.stringMatching(/^2026-11-20T12:00:01/) },
      ...{ durationMs: 1_250, errorKind: null, error: null },
    })
  })

  it('of a company that was never connected are not there', async () => {
    const { database } = api.syncHarness.deps
    const companyId = await addCompany(database, api.syncHarness.instanceId)
    const path = `/normalized-data/company/${companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`
    expect((await read(`${path}/runs`)).status).toBe(404)
    expect((await read(`${path}/timeline`)).data).toEqual([])
  })

  it('has one that was asked for before it begins, and no other', async () => {
    const asked = await api.call('POST', `${books}/refresh`)
    const { runId } = asked.json() as { runId?: string }
    expect((await read(`${books}/runs/${runId}`)).body).toEqual({
      ...{ id: runId, reason: 'refresh', state: 'waiting', startedOn: null, endedOn: null, durationMs: null, warnings: [] },
      ...{ errorKind: null, error: null, counts: { pages: 0, records: 0, changed: 0, setAside: 0, deleted: 0, heldBack: 0 } },
    })
    expect((await read(`${books}/runs/${randomUUID()}`)).status).toBe(404)
  })
})
