import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { queueRemoval, writeDeliveryState } from '../../src/store/exports/deliveries.ts'

import { takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type DeliveryHarness, openDeliveryHarness } from './fake-storage.ts'
import { get, PATH } from './requested.ts'

const harness = openForTests(openDeliveryHarness)
let api: DeliveryHarness['api']
let storage: DeliveryHarness['storage']
beforeAll(() => {
  api = harness.api
  storage = harness.storage
})
beforeEach(() => harness.reset())

describe('a delivery', () => {
  it('is not moved to another destination, unless it failed', async () => {
    let [first, second] = [await harness.addDestination(), await harness.addDestination()]
    const id = await harness.written()
    expect(await harness.begin(id, first)).toBe(202)
    const refused = await api.call('POST', `${PATH}/${id}/deliver`, { body: { destinationId: second } })
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('delivered to another destination')])
    storage.status = 403
    expect(await harness.work('deliverExport', 5)).toEqual({ done: true })
    expect(await harness.begin(id, second)).toBe(202)
    expect(await get(api, id)).toMatchObject({ delivery: { destinationId: second, state: 'waiting' } })
    // The storage took nothing of it.
    expect(await harness.status('DELETE', `/export-destinations/${first}`)).toBe(204)
    first = await harness.addDestination()
    storage.status = 200
    expect(await harness.work()).toEqual({ done: true })
    expect(await harness.begin(id, first)).toBe(409)
    expect(await harness.begin(id, second)).toBe(202)
  })

  it.each([
    { what: 'was made before', status: 403, isDelivered: true },
    { what: 'may have been made', status: 503, isDelivered: false },
  ])('that is moved deletes the object that $what', async ({ status: refusal, isDelivered }) => {
    const [first, second] = [await harness.addDestination(), await harness.addDestination()]
    const id = isDelivered ? await harness.delivered(first) : await harness.written()
    expect(await harness.begin(id, first)).toBe(202)
    storage.status = refusal
    expect(await harness.work('deliverExport', 5)).toEqual({ done: true })
    expect(await harness.begin(id, second)).toBe(202)
    expect(await harness.status('DELETE', `/export-destinations/${first}`)).toBe(409)
    expect(await harness.work('removeDelivered')).toMatchObject({ done: false, isFailure: true })
    storage.status = 200
    expect(await harness.work()).toEqual({ done: true })
    await queueRemoval(api.syncHarness.deps.database, { instanceId: api.syncHarness.instanceId, id, destinationId: first }, `${id}.ndjson`)
    storage.asked = []
    expect(await harness.work('removeDelivered')).toEqual({ done: true })
    expect(storage.asked).toEqual([`DELETE /lake/${id}.ndjson`])
    expect(await get(api, id)).toMatchObject({ delivery: { destinationId: second, state: 'delivered' } })
  })

  it('that is moved back keeps its object', async () => {
    const [first, second] = [await harness.addDestination(), await harness.addDestination()]
    const id = await harness.written()
    storage.status = 503
    for (const destinationId of [first, second]) {
      expect(await harness.begin(id, destinationId)).toBe(202)
      expect(await harness.work('deliverExport', 5)).toEqual({ done: true })
    }
    expect(await harness.begin(id, first)).toBe(202)
    const jobs = await takeJobs(api.syncHarness.deps.database, 'removeDelivered')
    storage.asked = []
    storage.status = 200
    for (const job of jobs) expect(await harness.handle('removeDelivered', job)).toEqual({ done: true })
    expect([jobs.length, storage.asked]).toEqual([2, [`DELETE /lake/${id}.ndjson`]])
  })

  it('is not moved while it is tried again, and an earlier upload does not end it', async () => {
    const [first, second] = [await harness.addDestination(), await harness.addDestination()]
    const id = await harness.written()
    expect(await harness.begin(id, first)).toBe(202)
    storage.onPut = async () => expect(await harness.begin(id, first)).toBe(202)
    storage.status = 503
    expect(await harness.work('deliverExport', 5)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'failed' } })
    storage.status = 200
    storage.onPut = async () => expect(await harness.begin(id, second)).toBe(409)
    expect(await harness.work()).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { destinationId: first, state: 'delivered' } })
    const late = { instanceId: api.syncHarness.instanceId, id, destinationId: second }
    expect(await writeDeliveryState(api.syncHarness.deps.database, late, { state: 'delivered' })).toBe(false)
    expect(await writeDeliveryState(api.syncHarness.deps.database, { ...late, destinationId: first }, { state: 'failed' })).toBe(false)
  })

  it('that is dropped leaves no parts of an upload behind', async () => {
    const { deps } = api.syncHarness
    const destinationId = await harness.addDestination()
    const id = await harness.written()
    await harness.begin(id, destinationId)
    const die = async () => await Promise.reject(new Error('killed'))
    await expect(harness.work('deliverExport', 1, { partBytes: 1_000, crashPoint: die })).rejects.toThrow('killed')
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    expect(await harness.status('DELETE', `${PATH}/${id}`)).toBe(204)
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    const [job] = await takeJobs(deps.database, 'abortUpload')
    if (!job) throw new Error('no job')
    storage.asked = []
    storage.status = 500
    expect(await harness.handle('abortUpload', job)).toMatchObject({ done: false, isFailure: true })
    storage.status = 404
    expect(await harness.handle('abortUpload', job)).toEqual({ done: true })
    expect(storage.asked).toEqual(Array(2).fill(`DELETE /lake/${id}.ndjson?uploadId=u-1`))
    expect(await harness.work('removeDelivered')).toMatchObject({ done: false, isFailure: true })
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(204)
  })

  it.each([
    { size: 'small', partBytes: 1_000_000, left: 'removeDelivered', put: '', query: '' },
    { size: 'large', partBytes: 1_000, left: 'abortUpload', put: '?partNumber=1&uploadId=u-1', query: '?uploadId=u-1' },
  ] as const)('of a $size file that is dropped while it uploads leaves nothing behind', async ({ partBytes, left, put, query }) => {
    const destinationId = await harness.addDestination()
    const id = await harness.written()
    await harness.begin(id, destinationId)
    storage.onPut = async () => {
      expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
      expect(await harness.status('DELETE', `${PATH}/${id}`)).toBe(204)
      // As if the job had come before the end of the upload.
      await takeJobs(api.syncHarness.deps.database, left)
    }
    expect(await harness.work('deliverExport', 1, { partBytes })).toEqual({ done: true })
    expect(storage.asked.at(-1)).toBe(`PUT /lake/${id}.ndjson${put}`)
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    expect(await harness.work(left)).toEqual({ done: true })
    expect(storage.asked.at(-1)).toBe(`DELETE /lake/${id}.ndjson${query}`)
  })

  it('that is made again keeps its destination, and the object when it is dropped', async () => {
    const { database } = api.syncHarness.deps
    const destinationId = await harness.addDestination()
    const id = await harness.delivered(destinationId)
    expect(await harness.begin(id, destinationId)).toBe(202)
    await harness.setRunning('deliverExport', true)
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(409)
    await harness.setRunning('deliverExport', false)
    storage.onPut = async () => expect(await harness.status('DELETE', `${PATH}/${id}`)).toBe(204)
    expect(await harness.work()).toEqual({ done: true })
    expect(await takeJobs(database, 'removeDelivered')).toEqual([])
    expect(await harness.status('DELETE', `/export-destinations/${destinationId}`)).toBe(204)
  })
})
