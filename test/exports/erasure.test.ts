import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { deleteOldExports } from '../../src/store/exports/exports.ts'
import { claimJobs, deleteRunningJob } from '../../src/store/jobs/jobs.ts'
import { deleteSuspension, insertSuspension } from '../../src/store/operators/suspensions.ts'
import { apiDeps } from '../harness/app/api-deps.ts'

import { tokenOf } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { BUCKET, type DeliveryHarness, KINDS, openDeliveryHarness } from './fake-storage.ts'
import { get, PATH } from './requested.ts'

const harness = openForTests(openDeliveryHarness)
let api: DeliveryHarness['api']
let storage: DeliveryHarness['storage']
beforeAll(() => {
  api = harness.api
  storage = harness.storage
})
beforeEach(() => harness.reset())

describe('while the object of an erased export waits for its deletion', () => {
  it('the export and its destination stay, for requests and for retention', async () => {
    const { database } = api.syncHarness.deps
    const destinationId = await harness.addDestination()
    const id = await harness.delivered(destinationId)
    await harness.erase()
    expect(await harness.status('DELETE', `${PATH}/${id}`)).toBe(409)
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    await database.query(`update exports set requested_at = requested_at - interval '8 days' where id = $1`, [id])
    await deleteOldExports(database, 7)
    expect(await get(api, id)).toMatchObject({ state: 'erased', delivery: { state: 'delivered' } })
    await harness.setRunning('eraseDelivered', true)
    expect(await harness.status('DELETE', `${PATH}/${id}`)).toBe(409)
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    await harness.setRunning('eraseDelivered', false)
    storage.asked = []
    expect(await harness.work('eraseDelivered')).toEqual({ done: true })
    expect(storage.asked).toEqual([`DELETE /lake/${id}.ndjson`])
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'erased' } })
    await deleteOldExports(database, 7)
    expect(await harness.status('GET', `${PATH}/${id}`)).toBe(404)
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(204)
  })

  it('is tried again for hours, from the first attempt, and then says that it was not reached', async () => {
    const { database } = api.syncHarness.deps
    const destinationId = await harness.addDestination()
    const id = await harness.delivered(destinationId)
    const closed = 'http://127.0.0.1:1'
    await database.query('update export_destinations set endpoint = $1 where id = $2', [closed, destinationId])
    expect(await harness.begin(id, destinationId)).toBe(202)
    await database.query(`update jobs set attempts = 4 where kind = 'deliverExport'`)
    await harness.erase()
    const { rows } = await database.query<{ attempts: number; key: string }>(`select attempts, key from jobs where kind = 'eraseDelivered'`)
    expect(rows.map(({ attempts }) => attempts)).toEqual([0])
    const again = await harness.work('eraseDelivered', MAX_ATTEMPTS - 1)
    expect(again).toMatchObject({ done: false, isFailure: true })
    expect(again.done ? 0 : again.inMs).toBeGreaterThan(30 * 60_000)
    await database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'eraseDelivered', $2, $3)`, [
      ...[api.syncHarness.instanceId, rows[0]?.key, { exportId: id, destinationId }],
    ])
    expect(await harness.work('eraseDelivered', MAX_ATTEMPTS)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'unreached', error: 'The storage cannot be reached.' } })
  })

  it.each([
    { what: 'a bucket that keeps versions', marks: { 'x-amz-delete-marker': 'true' }, isSealed: true, error: /keeps versions/ },
    { what: 'a key that cannot be opened', marks: {}, isSealed: false, error: /cannot be opened/ },
  ])('says that $what did not let it go', async ({ marks, isSealed, error }) => {
    const destinationId = await harness.addDestination()
    const id = await harness.delivered(destinationId)
    await harness.erase()
    Object.assign(storage, { status: 204, headers: { ...marks } })
    const isWrong = 'update export_destinations set secret = $1 where id = $2'
    if (!isSealed) await api.syncHarness.deps.database.query(isWrong, [Buffer.alloc(120), destinationId])
    expect(await harness.work('eraseDelivered', isSealed ? 1 : MAX_ATTEMPTS)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'unreached', error: expect.stringMatching(error) } })
  })
})

describe('the deletion of what was delivered', () => {
  it('goes on while the instance is suspended', async () => {
    const { database } = api.syncHarness.deps
    const { instanceId } = api.syncHarness
    const id = await harness.delivered(await harness.addDestination())
    await harness.erase()
    expect(await harness.begin(await harness.written(), await harness.addDestination())).toBe(202)
    await insertSuspension(database, instanceId, 'unpaid')
    const claim = { worker: randomUUID(), kinds: [...KINDS], limit: 50, leaseMs: 60_000, after: null, cap: 50 }
    const jobs = await claimJobs(database, claim)
    await deleteSuspension(database, instanceId)
    expect(jobs.map(({ kind, payload }) => [kind, payload.exportId])).toEqual([['eraseDelivered', id]])
    for (const job of jobs) await deleteRunningJob(database, job)
  })

  it('asks nothing of a storage to which nothing was sent', async () => {
    const id = await harness.written()
    expect(await harness.begin(id, await harness.addDestination())).toBe(202)
    await harness.erase()
    Object.assign(storage, { status: 204, headers: { 'x-amz-delete-marker': 'true' } })
    expect(await harness.work('eraseDelivered')).toEqual({ done: true })
    expect(await harness.work()).toEqual({ done: true })
    expect(storage.asked).toEqual([])
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'erased', error: null } })
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
        ...{ headers: { authorization: `Bearer ${token}` }, payload: { ...BUCKET, endpoint } },
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
    const id = await harness.delivered(await harness.addDestination())
    for (const source of [api.books, api.bank])
      await api.call('DELETE', `/normalized-data/company/${companyId}/data-connection/${serviceId(source)}`)
    const { rows } = await deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
    for (const connection of rows) await eraseConnection(connection.id)
    const url = `/normalized-data/companies/${companyId}`
    const refused = await api.call('DELETE', url)
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('where an export was delivered')])
    storage.asked = []
    expect(await harness.work('eraseDelivered')).toEqual({ done: true })
    expect(storage.asked).toEqual([`DELETE /lake/${id}.ndjson`])
    expect(await harness.status('DELETE', url)).toBe(204)
    expect(await harness.status('GET', `${PATH}/${id}`)).toBe(404)
  })
})
