import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { deleteOldExports, eraseExportsWith } from '../../src/store/exports/exports.ts'
import { abortUpload, type DeliveryContext, deliverExport } from '../../src/sync/exports/deliver-export.ts'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { tokenOf } from '../harness/app/users.ts'
import { testKeys } from '../harness/keys.ts'
import { get, PATH, request, run } from './requested.ts'

const UPLOAD = '<R><UploadId>u-1</UploadId></R>'
const egress = createEgress({ allowPrivate: true })
let api: ApiHarness
/** What the storage was asked for, and what it adds to its answers. */
let asked: string[] = []
let answer: { status: number; headers: Record<string, string> } = { status: 200, headers: {} }
/** Runs while the storage takes a part. */
let onPart: (() => Promise<void>) | null = null
const storage = createServer((incoming: IncomingMessage, reply) => {
  asked.push(`${incoming.method} ${incoming.url}`)
  incoming.resume().on('end', async () => {
    if (incoming.url?.includes('partNumber')) await onPart?.()
    reply.writeHead(answer.status, { etag: '"e"', ...answer.headers }).end(UPLOAD)
  })
})

beforeAll(async () => {
  api = await openApiHarness()
  await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await egress.close()
  storage.close()
  await api?.close()
})
beforeEach(async () => {
  asked = []
  answer = { status: 200, headers: {} }
  onPart = null
  await takeJobs(api.syncHarness.deps.database, 'deliverExport')
})

const body = { name: 'Lake', region: 'us-east-1', bucket: 'lake', prefix: '', accessKeyId: 'AK', secretAccessKey: 'sk-canary-1187' }

async function addDestination(): Promise<string> {
  const endpoint = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`
  const made = await api.call('POST', '/export-destinations', { body: { ...body, endpoint } })
  return (made.json() as unknown as { id: string }).id
}

async function written(): Promise<string> {
  const { shown, job } = await request(api, { companyId: api.syncHarness.companyId })
  await run(api, job)
  return shown.id
}

async function begin(id: string, destinationId: string): Promise<number> {
  return (await api.call('POST', `${PATH}/${id}/deliver`, { body: { destinationId } })).statusCode
}

/** Runs the only job of a delivery. */
async function work(attempts = 1, more: Partial<DeliveryContext> = {}) {
  const [job, ...others] = await takeJobs(api.syncHarness.deps.database, 'deliverExport')
  if (!job || others.length > 0) throw new Error('there is not one job')
  return await deliverExport({ ...api.syncHarness.deps, egress, ...more }, { ...job, attempts }, () => false)
}

async function delivered(destinationId: string): Promise<string> {
  const id = await written()
  expect(await begin(id, destinationId)).toBe(202)
  expect(await work()).toEqual({ done: true })
  expect(await get(api, id)).toMatchObject({ delivery: { state: 'delivered' } })
  return id
}

/** The data goes as at a disconnect. */
async function erase(): Promise<void> {
  const { instanceId, companyId, deps } = api.syncHarness
  const at = { instanceId, companyId, serviceId: api.syncHarness.serviceId(api.books) }
  await inTransaction(deps.database, (db) => eraseExportsWith(db, at))
}

const status = async (method: string, url: string) => (await api.call(method, url)).statusCode

describe('while the object of an erased export waits for its deletion', () => {
  it('the export and its destination stay, for requests and for retention', async () => {
    const { database } = api.syncHarness.deps
    const destinationId = await addDestination()
    const id = await delivered(destinationId)
    await erase()
    expect(await status('DELETE', `${PATH}/${id}`)).toBe(409)
    expect(await status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    await database.query(`update exports set requested_at = requested_at - interval '8 days' where id = $1`, [id])
    await deleteOldExports(database, 7)
    expect(await get(api, id)).toMatchObject({ state: 'erased', delivery: { state: 'delivered' } })
    asked = []
    expect(await work()).toEqual({ done: true })
    expect(asked).toEqual([`DELETE /lake/${id}.ndjson`])
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'erased' } })
    await deleteOldExports(database, 7)
    expect(await status('GET', `${PATH}/${id}`)).toBe(404)
    expect(await status('DELETE', `/export-destinations/${destinationId}`)).toBe(204)
  })

  it('is tried again for hours, from the first attempt, and then says that it was not reached', async () => {
    const { database } = api.syncHarness.deps
    const destinationId = await addDestination()
    const id = await delivered(destinationId)
    const closed = 'http://127.0.0.1:1'
    await database.query('update export_destinations set endpoint = $1 where id = $2', [closed, destinationId])
    expect(await begin(id, destinationId)).toBe(202)
    await database.query(`update jobs set attempts = 4 where kind = 'deliverExport'`)
    await erase()
    const { rows } = await database.query(`select attempts from jobs where kind = 'deliverExport'`)
    expect(rows).toEqual([{ attempts: 0 }])
    const again = await work(MAX_ATTEMPTS - 1)
    expect(again).toMatchObject({ done: false, isFailure: true })
    expect(again.done ? 0 : again.inMs).toBeGreaterThan(30 * 60_000)
    await database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'deliverExport', $2, $3)`, [
      ...[api.syncHarness.instanceId, `deliverExport/${id}`, { exportId: id }],
    ])
    expect(await work(MAX_ATTEMPTS)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'unreached', error: 'The storage cannot be reached.' } })
  })

  it.each([
    { what: 'a bucket that keeps versions', marks: { 'x-amz-delete-marker': 'true' }, isSealed: true, error: /keeps versions/ },
    { what: 'a key that cannot be opened', marks: {}, isSealed: false, error: /cannot be opened/ },
  ])('says that $what did not let it go', async ({ marks, isSealed, error }) => {
    const destinationId = await addDestination()
    const id = await delivered(destinationId)
    await erase()
    answer = { status: 204, headers: { ...marks } }
    const isWrong = 'update export_destinations set secret = $1 where id = $2'
    if (!isSealed) await api.syncHarness.deps.database.query(isWrong, [Buffer.alloc(120), destinationId])
    expect(await work(isSealed ? 1 : MAX_ATTEMPTS)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'unreached', error: expect.stringMatching(error) } })
  })
})

describe('a delivery', () => {
  it('is not moved to another destination, unless it failed', async () => {
    const [first, second] = [await addDestination(), await addDestination()]
    const id = await written()
    expect(await begin(id, first)).toBe(202)
    const refused = await api.call('POST', `${PATH}/${id}/deliver`, { body: { destinationId: second } })
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('delivered to another destination')])
    answer.status = 403
    expect(await work(5)).toEqual({ done: true })
    expect(await begin(id, second)).toBe(202)
    expect(await get(api, id)).toMatchObject({ delivery: { destinationId: second, state: 'waiting' } })
    answer.status = 200
    expect(await work()).toEqual({ done: true })
    expect(await begin(id, first)).toBe(409)
    expect(await begin(id, second)).toBe(202)
  })

  it('that is dropped leaves no parts of an upload behind', async () => {
    const { deps } = api.syncHarness
    const destinationId = await addDestination()
    const id = await written()
    await begin(id, destinationId)
    const die = async () => await Promise.reject(new Error('killed'))
    await expect(work(1, { partBytes: 1_000, crashPoint: die })).rejects.toThrow('killed')
    expect(await status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    expect(await status('DELETE', `${PATH}/${id}`)).toBe(204)
    expect(await status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    const [job] = await takeJobs(deps.database, 'abortUpload')
    if (!job) throw new Error('no job')
    asked = []
    answer.status = 500
    expect(await abortUpload({ ...deps, egress }, job)).toMatchObject({ done: false, isFailure: true })
    answer.status = 404
    expect(await abortUpload({ ...deps, egress }, job)).toEqual({ done: true })
    expect(asked).toEqual(Array(2).fill(`DELETE /lake/${id}.ndjson?uploadId=u-1`))
    expect(await status('DELETE', `/export-destinations/${destinationId}`)).toBe(204)
  })

  it('that is dropped while it uploads ends the upload itself', async () => {
    const id = await written()
    await begin(id, await addDestination())
    onPart = async () => expect(await status('DELETE', `${PATH}/${id}`)).toBe(204)
    expect(await work(1, { partBytes: 1_000 })).toEqual({ done: true })
    expect(asked.at(-1)).toBe(`DELETE /lake/${id}.ndjson?uploadId=u-1`)
    await takeJobs(api.syncHarness.deps.database, 'abortUpload')
  })
})

describe('the address of a destination', () => {
  it('is a public one, by https, without a path', async () => {
    const { deps: sync } = api.syncHarness
    const strict = createApi(apiDeps({ sync, keys: await testKeys(), allowPrivate: false }))
    const token = await tokenOf(strict, api.emails.admin)
    const add = async (endpoint: string) =>
      await strict.inject({
        ...{ method: 'POST', url: '/admin/api/v1/export-destinations' },
        ...{ headers: { authorization: `Bearer ${token}` }, payload: { ...body, endpoint } },
      })
    for (const endpoint of [
      ...['http://s3.example.com', 'ftp://s3.example.com', 's3.example.com', 'https://u:p@s3.example.com', 'https://storage.internal'],
      ...['https://127.0.0.1', 'https://10.0.0.1', 'https://169.254.169.254', 'https://[::1]', 'https://0x7f000001', 'https://localhost'],
      ...['https://s3.example.com:8443', 'https://s3.example.com/path', 'https://s3.example.com?a=b'],
    ]) {
      const refused = await add(endpoint)
      expect([endpoint, refused.statusCode, refused.body]).toEqual([endpoint, 400, expect.stringContaining('public internet')])
    }
    expect((await add('https://s3.example.com')).statusCode).toBe(201)
    await strict.close()
  })
})

describe('a company', () => {
  it('is not deleted before the objects with its data', async () => {
    const { companyId, serviceId, deps, erase: eraseConnection } = api.syncHarness
    const id = await delivered(await addDestination())
    for (const source of [api.books, api.bank])
      await api.call('DELETE', `/normalized-data/company/${companyId}/data-connection/${serviceId(source)}`)
    const { rows } = await deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
    for (const connection of rows) await eraseConnection(connection.id)
    const url = `/normalized-data/companies/${companyId}`
    const refused = await api.call('DELETE', url)
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('where an export was delivered')])
    asked = []
    // Those of earlier tests go with the company, too.
    for (const job of await takeJobs(deps.database, 'deliverExport'))
      expect(await deliverExport({ ...deps, egress }, job, () => false)).toEqual({ done: true })
    expect(asked).toContain(`DELETE /lake/${id}.ndjson`)
    expect(await status('DELETE', url)).toBe(204)
    expect(await status('GET', `${PATH}/${id}`)).toBe(404)
  })
})
