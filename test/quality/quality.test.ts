import { beforeAll, describe, expect, it } from 'vitest'
import { countCoverage } from '../../src/store/records/coverage.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { openApiHarness } from '../api/harness.ts'
import { runJob } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'

const api = openForTests(openApiHarness)
let place = ''
beforeAll(() => {
  place = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`
})

interface Quality {
  coverage: { entity: string; countedOn: string; total: number; fields: { field: string; filled: number; share: number }[] }[]
  unmappedWords: { field: string; word: string; count: number }[]
  staleness: { lastReadOn: string; lastChangedOn: string; nextReadOn: string; isStale: boolean }
  setAside: { total: number; count: number; data: { origId: string; reason: string; rawPageId: string }[] }
  heldBackDeletions: { count: number; runId: string | null }
  lastRun: { state: string; warnings: { code: string; count: number; message: string }[] }
}

async function quality(query = ''): Promise<Quality> {
  return (await api.call('GET', `${place}/quality${query}`, { role: 'viewer' })).json() as unknown as Quality
}

/** Runs the count that the last publication requested. */
async function count(): Promise<void> {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string; key: string; payload: Record<string, string> }>(
    `delete from jobs where kind = 'coverage' and key like '%' || $1 returning id, key, payload`,
    [api.syncHarness.serviceId(api.books)],
  )
  const [job] = rows
  if (!job) throw new Error('no count was requested')
  const { deps, instanceId } = api.syncHarness
  await runJob(syncHandlers(deps).coverage, { ...job, instanceId, kind: 'coverage' })
}

const filled = ({ coverage }: Quality, field: string) =>
  coverage.find(({ entity }) => entity === 'Accounts')?.fields.find((one) => one.field === field)

/** Result of a full recount. */
async function countedAnew(at: Date): Promise<Record<string, number>> {
  const key = {
    instanceId: api.syncHarness.instanceId,
    companyId: api.syncHarness.companyId,
    serviceId: api.syncHarness.serviceId(api.books),
  }
  return (await countCoverage(api.syncHarness.deps.database, { ...key, category: 'Accounting', entity: 'Accounts' }, at, null, 10_000))
    .filled
}

describe('coverage', () => {
  it('has the number of published records with a value, per field', async () => {
    await count()
    const answer = await quality()
    expect(answer.coverage.map(({ entity, total }) => [entity, total])).toEqual([
      ['Accounts', 12],
      ['Transactions', 0],
    ])
    expect(filled(answer, 'name')).toEqual({ field: 'name', filled: 12, share: 1 })
    expect(filled(answer, 'description')).toEqual({ field: 'description', filled: 0, share: 0 })
  })

  it('follows changes, deletions and restorations', async () => {
    const all = api.books.accounts
    const steps = [
      all.map((account, i) => (i < 3 ? { ...account, name: '' } : account)),
      all.slice(2),
      [...all.slice(1), { id: '999', name: 'New' }],
    ]
    for (const accounts of steps) {
      api.books.accounts = accounts
      await api.syncHarness.sync(api.connectionId)
      await count()
      const answer = await quality()
      const [coverage] = answer.coverage
      expect(coverage?.total).toBe(accounts.length)
      expect(filled(answer, 'name')?.filled).toBe(accounts.filter(({ name }) => name !== '').length)
      const fields = Object.fromEntries(coverage?.fields.map((field) => [field.field, field.filled]) ?? [])
      expect(fields).toEqual(await countedAnew(new Date(`${coverage?.countedOn}Z`)))
    }
    api.books.accounts = all
  })

  it('counts only what a publication has changed', async () => {
    await api.syncHarness.sync(api.connectionId)
    await count()
    await api.syncHarness.deps.database.query(
      `update record_coverage set filled = jsonb_set(filled::jsonb, '{description}', '5')::json where entity = 'Accounts'`,
    )
    api.books.accounts = api.books.accounts.map((account) => (account.id === '104' ? { ...account, name: '' } : account))
    await api.syncHarness.sync(api.connectionId)
    await count()
    const answer = await quality()
    expect([filled(answer, 'name')?.filled, filled(answer, 'description')?.filled]).toEqual([11, 5])
  })

  it('recounts everything if records have disappeared without a trace', async () => {
    await api.syncHarness.deps.database.query(`delete from record_versions where orig_id = '105'`)
    api.books.accounts = api.books.accounts.map((account) => (account.id === '106' ? { ...account, name: 'Touched' } : account))
    await api.syncHarness.sync(api.connectionId)
    await count()
    expect((await quality()).coverage[0]?.total).toBe(12)
  })
})

describe('the quality of a connection', () => {
  it('counts unknown enum values', async () => {
    api.books.accounts = api.books.accounts.map((account, i) => (i > 9 ? { ...account, name: 'odd word' } : account))
    await api.syncHarness.sync(api.connectionId)
    expect((await quality()).unmappedWords).toEqual([{ entity: 'Accounts', field: 'typeSystem', word: 'odd word', count: 2 }])
  })

  it('lists records that were set aside with the reason, page by page', async () => {
    const good = api.books.accounts
    api.books.accounts = [...good, ...Array.from({ length: 12 }, (_, i) => ({ id: `bad-${String(i).padStart(2, '0')}`, name: 7 }))]
    await api.syncHarness.sync(api.connectionId)
    const answer = await quality('?PageSize=10&PageNumber=2')
    expect(answer.setAside).toMatchObject({
      total: 12,
      count: 2,
      data: [{ origId: 'bad-10', reason: expect.stringContaining('/name') }, { origId: 'bad-11' }],
    })
    expect(answer.lastRun.warnings).toContainEqual({ code: 'setAside', count: 12, message: expect.stringContaining('12 records') })
    api.books.accounts = good
  })

  it('counts held-back deletions, until a complete listing clears them', async () => {
    const all = api.books.accounts
    api.books.accounts = []
    await api.syncHarness.sync(api.connectionId)
    const answer = await quality()
    expect(answer.heldBackDeletions).toMatchObject({ count: 12, runId: expect.any(String) })
    expect(answer.lastRun.warnings.map(({ code }) => code)).toContain('heldBack')
    api.books.accounts = all
    await api.syncHarness.sync(api.connectionId)
    expect((await quality()).heldBackDeletions).toEqual({ count: 0, runId: null, on: null })
  })

  it('says when it was synced, when it changed, when it is synced next, and that it is stale', async () => {
    const { database } = api.syncHarness.deps
    expect((await quality()).staleness).toMatchObject({ isStale: false })
    await database.query(`update connections set last_read_at = clock_timestamp() - interval '49 hours' where id = $1`, [api.connectionId])
    const { staleness } = await quality()
    expect(staleness.isStale).toBe(true)
    expect(staleness.lastReadOn < staleness.lastChangedOn && staleness.lastChangedOn < staleness.nextReadOn).toBe(true)
  })
})

describe('the history', () => {
  interface Entry {
    at: string
    kind: string
    statusCode: number | null
    sessionId: string | null
    detail: string
  }
  const timeline = async (query = '') =>
    (await api.call('GET', `${place}/timeline${query}`)).json() as unknown as { count: number; data: Entry[] }

  it('begins with the link and has every status and every run in order of time', async () => {
    const { data } = await timeline('?PageSize=500')
    expect(data[0]).toMatchObject({ kind: 'linkIssued', detail: 'by dev@example.com', sessionId: null })
    expect(data.filter(({ kind }) => kind === 'status').map(({ statusCode }) => statusCode)).toEqual([6, 9, 2, 12, 13, 15])
    expect(data.filter(({ kind }) => kind === 'linkCompleted')).toHaveLength(1)
    expect(data.filter(({ kind }) => kind === 'run').length).toBeGreaterThan(5)
    expect(data.map(({ at }) => at)).toEqual(data.map(({ at }) => at).toSorted())
  })

  it('exists before the link is first opened', async () => {
    const { id } = (await api.call('POST', '/normalized-data/company', { body: { name: 'New' } })).json() as unknown as { id: string }
    const path = `/normalized-data/company/${id}/data-connection/${api.syncHarness.serviceId(api.books)}`
    await api.call('GET', `${path}/link`)
    const { data } = (await api.call('GET', `${path}/timeline`)).json() as unknown as { data: Entry[] }
    expect(data.map(({ kind }) => kind)).toEqual(['linkIssued'])
    expect((await api.call('GET', `${path}/runs`)).statusCode).toBe(404)
    expect((await api.call('GET', `${path}/quality`)).statusCode).toBe(404)
  })

  it('has the runs with reason, state, counts, warnings and duration', async () => {
    const answer = await api.call('GET', `${place}/runs?Desc=true&PageSize=10`)
    const { data } = answer.json() as unknown as { data: Record<string, unknown>[] }
    expect(Number(answer.headers['x-total-count'])).toBeGreaterThan(5)
    expect(data[0]).toMatchObject({
      reason: 'schedule',
      state: expect.any(String),
      durationMs: expect.any(Number),
      counts: { records: 12 },
    })
    const all = (await api.call('GET', `${place}/runs?PageSize=500`)).json() as unknown as {
      data: { reason: string; warnings: { code: string }[] }[]
    }
    expect(all.data[0]?.reason).toBe('first')
    expect(all.data.flatMap(({ warnings }) => warnings.map(({ code }) => code))).toEqual(
      expect.arrayContaining(['setAside', 'heldBack', 'unmapped']),
    )
  })
})
