import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '../../src/store/jobs/jobs.ts'
import type { ExportContext } from '../../src/sync/exports/run-export.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { download as downloadOf, get as getOf, PATH, request as requestOf, run as runOf, type Shown } from './requested.ts'

/** More than a double can hold. */
const LONG = '12345678901234567.89'

const api = openForTests(openApiHarness)

beforeAll(async () => {
  api.bank.accounts = [
    { id: 'chequing', name: '=HYPERLINK("https://evil.example")', balance: LONG },
    { id: 'savings', name: 'Épargne, “à vue”\\ "x"', balance: '-0.10' },
  ]
  await api.syncHarness.sync(await bankConnection())
})

async function bankConnection(): Promise<string> {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(`select id from connections where category = 'Banking'`)
  return rows[0]?.id ?? ''
}

const request = (body: object = {}) => requestOf(api, body)
const run = (job: Job, more: Partial<ExportContext> = {}) => runOf(api, job, { pieceRecords: 5, ...more })
const get = (id: string) => getOf(api, id)
const download = (id: string, headers: Record<string, string> = {}) => downloadOf(api, id, headers)

async function exported(body: object = {}): Promise<{ shown: Shown; text: string }> {
  const { shown, job } = await request(body)
  expect(await run(job)).toEqual({ done: true })
  return { shown: await get(shown.id), text: (await download(shown.id)).body }
}

async function listed(path: string): Promise<Record<string, unknown>[]> {
  const { companyId } = api.syncHarness
  const answer = await api.call('GET', `/normalized-data/${companyId}/${path}?PageSize=500`)
  return (answer.json() as unknown as { data: Record<string, unknown>[] }).data
}

describe('an export', () => {
  it('has every record of the list, word for word, behind its company', async () => {
    const { shown, text } = await exported()
    const lines = text.trimEnd().split('\n')
    const { companyId } = api.syncHarness
    const wanted = (await listed(`accountancy/accounts/${api.syncHarness.serviceId(api.books)}`)).map((one) => ({ companyId, ...one }))
    expect(lines.map((line) => JSON.parse(line))).toEqual(expect.arrayContaining(wanted))
    expect(shown).toMatchObject({ state: 'completed', records: 12, expectedRecords: 12, bytes: Buffer.byteLength(text), error: null })
    expect(lines).toHaveLength(12)
  })

  it('keeps every digit, and names columns once', async () => {
    const banking = { category: 'Banking', companyId: api.syncHarness.companyId }
    expect((await exported(banking)).text).toContain(`"actualBalance":${LONG}`)
    const { text } = await exported({ ...banking, format: 'csv' })
    const [head = '', ...rows] = text.trimEnd().split('\r\n')
    expect(head.split(',').slice(0, 4)).toEqual(['companyId', 'serviceId', 'serviceName', 'lastUpdatedOn'])
    expect(rows).toHaveLength(2)
    expect(rows.find((row) => row.includes('chequing'))).toContain(`,${LONG},`)
    // Text that spreadsheets would run, and quotes, commas and backslashes.
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
    expect(text).toContain('"Épargne, “à vue”\\ ""x"""')
  })

  it('is of the publication at its request: a sync in between changes no byte', async () => {
    const before = await exported()
    const { shown, job } = await request()
    let isFirst = true
    const syncOnce = async () => {
      if (!isFirst) return
      isFirst = false
      api.books.accounts = api.books.accounts.slice(1).map(({ id }) => ({ id, name: `Renamed ${id}` }))
      api.books.accounts.push({ id: 'new', name: 'New' })
      await api.syncHarness.sync(api.connectionId)
    }
    expect(await run(job, { crashPoint: syncOnce })).toEqual({ done: true })
    expect((await listed(`accountancy/accounts/${api.syncHarness.serviceId(api.books)}`)).map(({ origId }) => origId)).toContain('new')
    expect((await download(shown.id)).body).toBe(before.text)
    expect((await exported()).text).not.toBe(before.text)
  })

  it('goes on after its last piece when its worker dies', async () => {
    const before = await exported()
    const { shown, job } = await request()
    const die = async () => await Promise.reject(new Error('killed'))
    expect(await run(job, { crashPoint: die })).toMatchObject({ done: false })
    expect(await get(shown.id)).toMatchObject({ state: 'running', records: 5 })
    expect((await download(shown.id)).statusCode).toBe(409)
    expect(await run(job)).toEqual({ done: true })
    expect((await download(shown.id)).body).toBe(before.text)
  })

  it('is written once, however many workers do it', async () => {
    const before = await exported()
    const { shown, job } = await request()
    await Promise.all([run(job), run(job), run(job)])
    await run(job)
    expect((await download(shown.id)).body).toBe(before.text)
  })

  it('fails with the reason when what it was pinned to is no longer stored', async () => {
    const { shown, job } = await request()
    await api.syncHarness.deps.database.query(`update export_parts set records = records + 1 where export_id = $1`, [shown.id])
    await run(job)
    expect(await get(shown.id)).toMatchObject({ state: 'failed', bytes: 0, error: expect.stringContaining('no longer stored') })
  })

  it('as Parquet fails with the reason rather than round a number', async () => {
    const { database } = api.syncHarness.deps
    const swap = (from: string, to: string) => database.query('update record_versions set doc = replace(doc, $1, $2)', [from, to])
    await swap(LONG, '0.12345678901')
    const { shown, job } = await request({ category: 'Banking', format: 'parquet' })
    await run(job)
    await swap('0.12345678901', LONG)
    expect(await get(shown.id)).toMatchObject({ state: 'failed', bytes: 0, error: expect.stringContaining('NDJSON or CSV') })
  })

  it('of nothing is an empty file', async () => {
    expect(await exported({ entity: 'Transactions' })).toMatchObject({ shown: { state: 'completed', records: 0 }, text: '' })
    expect((await exported({ entity: 'Transactions', format: 'csv' })).text.trimEnd().split('\r\n')).toHaveLength(1)
  })
})

describe('its file', () => {
  it('is downloaded in parts that make the whole', async () => {
    const { shown, text } = await exported()
    const whole = Buffer.from(text)
    const first = await download(shown.id, { range: 'bytes=0-999' })
    const rest = await download(shown.id, { range: 'bytes=1000-', 'if-range': String(first.headers.etag) })
    expect([first.statusCode, first.headers['content-range']]).toEqual([206, `bytes 0-999/${whole.length}`])
    expect([rest.statusCode, rest.headers['content-length']]).toEqual([206, String(whole.length - 1000)])
    expect(first.body + rest.body).toBe(text)
    expect((await download(shown.id, { range: 'bytes=-7' })).body).toBe(whole.subarray(-7).toString())
    // The part of another file would not fit.
    expect((await download(shown.id, { range: 'bytes=1000-', 'if-range': '"another"' })).statusCode).toBe(200)
    const beyond = await download(shown.id, { range: `bytes=${whole.length}-` })
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${whole.length}`])
  })

  it('lies sealed in the database', async () => {
    const { shown } = await exported({ category: 'Banking' })
    const { rows } = await api.syncHarness.deps.database.query<{ sealed: Buffer }>(
      'select sealed from export_chunks where export_id = $1',
      [shown.id],
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.some(({ sealed }) => sealed.includes('chequing'))).toBe(false)
  })

  it('goes with its export', async () => {
    const { shown } = await exported()
    expect((await api.call('DELETE', `${PATH}/${shown.id}`)).statusCode).toBe(204)
    expect((await api.call('GET', `${PATH}/${shown.id}`)).statusCode).toBe(404)
    const { rows } = await api.syncHarness.deps.database.query('select from export_chunks where export_id = $1', [shown.id])
    expect(rows).toEqual([])
  })

  it('is of its instance alone', async () => {
    const { shown } = await exported()
    const other = await api.openOtherInstance()
    const headers = { authorization: `Bearer ${other.token}` }
    expect((await api.call('GET', `${PATH}/${shown.id}/file`, { role: null, headers })).statusCode).toBe(404)
    const { data } = (await api.call('GET', PATH, { role: null, headers })).json() as unknown as { data: Shown[] }
    expect(data).toEqual([])
  })
})

describe('what cannot be exported', () => {
  it('is said, and nothing is made', async () => {
    const good = { companyId: null, category: 'Banking', entity: 'Accounts', format: 'csv' }
    const before = (await api.call('GET', PATH)).headers['x-total-count']
    for (const [wrong, status] of [
      [{ companyId: randomUUID() }, 404],
      [{ companyId: 'x' }, 400],
      [{ format: 'xlsx' }, 400],
      [{ entity: 'Invoices' }, 400],
      [{ since: '2026-01-01' }, 400],
    ] as const)
      expect([wrong, (await api.call('POST', PATH, { body: { ...good, ...wrong } })).statusCode]).toEqual([wrong, status])
    expect((await api.call('GET', PATH)).headers['x-total-count']).toBe(before)
  })

  it('is more than five at once', async () => {
    const requested = [await request(), await request(), await request(), await request(), await request()]
    const body = { companyId: null, category: 'Banking', entity: 'Accounts', format: 'csv' }
    const refused = await api.call('POST', PATH, { body })
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('Wait for one of them')])
    for (const { shown } of requested) await api.call('DELETE', `${PATH}/${shown.id}`)
  })
})

// Last, because it ends the connection.
it('a disconnected bank takes its exports along, finished or not, and no other', async () => {
  const { companyId, serviceId, erase } = api.syncHarness
  const finished = await exported({ category: 'Banking' })
  const other = await exported()
  const begun = await request({ category: 'Banking' })
  const id = await bankConnection()
  const disconnect = async () => {
    const answer = await api.call('DELETE', `/normalized-data/company/${companyId}/data-connection/${serviceId(api.bank)}`)
    expect([answer.statusCode, answer.body]).toEqual([expect.toBeOneOf([200, 202, 204]), expect.anything()])
  }
  await run(begun.job, { pieceRecords: 1, crashPoint: once(disconnect) })
  for (const gone of [finished.shown.id, begun.shown.id]) {
    expect(await get(gone)).toMatchObject({ state: 'erased', bytes: 0 })
    expect((await download(gone)).statusCode).toBe(409)
  }
  const { rows } = await api.syncHarness.deps.database.query('select from export_chunks where export_id = any($1)', [
    [finished.shown.id, begun.shown.id],
  ])
  expect(rows).toEqual([])
  expect((await download(other.shown.id)).body).toBe(other.text)
  // Until its data is erased, nothing more of the company is exported.
  const wanted = { companyId, category: 'Accounting', entity: 'Accounts', format: 'csv' }
  expect((await api.call('POST', PATH, { body: wanted })).statusCode).toBe(409)
  await erase(id)
  expect((await api.call('POST', PATH, { body: wanted })).statusCode).toBe(202)
})

function once(work: () => Promise<void>): () => Promise<void> {
  let isDone = false
  return async () => {
    if (isDone) return
    isDone = true
    await work()
  }
}
