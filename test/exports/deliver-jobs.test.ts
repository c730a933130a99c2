import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { KINDS, openDeliveryHarness } from './fake-storage.ts'

const harness = openForTests(openDeliveryHarness)
const query = async (text: string, values: unknown[] = []) => (await harness.api.syncHarness.deps.database.query(text, values)).rows

let destinationId: string
let otherId: string
let id: string
let key: string
beforeAll(async () => {
  destinationId = await harness.addDestination()
  otherId = await harness.addDestination()
  id = await harness.written()
  key = `${id}.ndjson`
})
/** A delivery that waits for its first upload. */
beforeEach(async () => {
  Object.assign(harness.storage, { asked: [], status: 200, headers: {}, onPut: null })
  await query('delete from jobs')
  await query('delete from export_deliveries')
  await query(`update exports set state = 'completed', ended_at = now() where id = $1`, [id])
  await query(
    `insert into export_deliveries (instance_id, export_id, destination_id, object_key, presence) values ($1, $2, $3, $4, 'none')`,
    [harness.api.syncHarness.instanceId, id, destinationId, key],
  )
})

type Kind = (typeof KINDS)[number]
/** Runs a job of the delivery, as it would be claimed. */
const run = (kind: Kind, payload: object = {}, attempts = 1, more = {}) => {
  const { instanceId } = harness.api.syncHarness
  const job = { id: randomUUID(), instanceId, kind, key: '', attempts, furthest: 0 }
  return harness.handle(kind, { ...job, payload: { exportId: id, destinationId, ...payload } }, more)
}
const set = (assignments: string) => query(`update export_deliveries set ${assignments} where export_id = $1`, [id])
const setExport = (assignments: string) => query(`update exports set ${assignments} where id = $1`, [id])
const row = async () =>
  (await query(`select state, presence, upload_id as "uploadId", etags, error from export_deliveries where export_id = $1`, [id]))[0]
const jobs = async () =>
  await query(
    `select kind, payload ->> 'objectKey' as "objectKey", payload ->> 'uploadId' as "uploadId" from jobs where kind = any ($1) order by kind`,
    [[...KINDS]],
  )
const asked = () => harness.storage.asked
const DONE = { done: true }
const WAITING = { state: 'waiting', presence: 'none', uploadId: null, etags: [], error: null }

describe('the job that delivers a file', () => {
  it('uploads it once, and says that it is there', async () => {
    expect(await run('deliverExport')).toEqual(DONE)
    expect([asked(), await row()]).toEqual([[`PUT /lake/${key}`], { ...WAITING, state: 'delivered', presence: 'there' }])
    expect([await run('deliverExport'), asked().length]).toEqual([DONE, 1])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['to another destination', () => set(`destination_id = '${otherId}'`)],
    ['that was deleted', () => query('delete from export_deliveries where export_id = $1', [id])],
    ['that has ended', () => set(`state = 'unreached'`)],
  ])('asks nothing of the storage for a delivery %s', async (_what, change) => {
    await change()
    const before = await row()
    expect([await run('deliverExport'), asked(), await row()]).toEqual([DONE, [], before])
  })

  it('asks nothing for an export that is gone', async () => {
    expect([await run('deliverExport', { exportId: randomUUID() }), asked()]).toEqual([DONE, []])
    expect([await run('eraseDelivered', { exportId: randomUUID() }), asked()]).toEqual([DONE, []])
  })

  it('asks nothing for an export of another instance', async () => {
    const instanceId = await addInstance(harness.api.syncHarness.deps.database)
    const job = { id: randomUUID(), instanceId, kind: 'deliverExport', key: '', attempts: 1, furthest: 0 }
    for (const kind of KINDS)
      expect(await harness.handle(kind, { ...job, payload: { exportId: id, destinationId, objectKey: key, uploadId: 'u' } })).toEqual(DONE)
    expect([asked(), await row()]).toEqual([[], WAITING])
  })

  it('waits while the file is being written', async () => {
    await setExport('ended_at = null')
    expect(await run('deliverExport')).toEqual({ done: false, inMs: 5_000, isFailure: false, reason: 'the file is being written' })
    expect([asked(), await row()]).toEqual([[], WAITING])
  })

  it('fails with the export', async () => {
    await setExport(`state = 'failed'`)
    expect([await run('deliverExport'), asked(), await row(), await jobs()]).toEqual([
      ...[DONE, [], { ...WAITING, state: 'failed', error: 'The export has failed.' }, []],
    ])
  })

  it.each([
    ['waiting', 1],
    ['failed', 1],
    ['erased', 0],
    ['unreached', 0],
  ])('has a delivery that is %s deleted where its data was erased: %i job', async (state, count) => {
    await setExport(`state = 'erased'`)
    await set(`state = '${state}'`)
    expect([await run('deliverExport'), asked()]).toEqual([DONE, []])
    expect((await jobs()).map(({ kind }) => kind)).toEqual(count === 1 ? ['eraseDelivered'] : [])
  })

  it('repeats a refused upload four times, and says each time what the storage said', async () => {
    harness.storage.status = 503
    const error = 'The storage answered 503.'
    for (const attempts of [1, 4]) {
      expect(await run('deliverExport', {}, attempts)).toMatchObject({ done: false, isFailure: true, reason: error })
      expect(await row()).toEqual({ ...WAITING, presence: 'unknown', error })
    }
    expect(await run('deliverExport', {}, 5)).toEqual(DONE)
    expect(await row()).toEqual({ ...WAITING, state: 'failed', presence: 'unknown', error })
  })

  it.each([
    ['none', 403, 'none'],
    ['none', 503, 'unknown'],
    ['unknown', 403, 'unknown'],
    ['there', 403, 'there'],
  ])('knows whether something is there: it was %s, HTTP %i, it is %s', async (before, status, after) => {
    await set(`presence = '${before}'`)
    harness.storage.status = status
    await run('deliverExport')
    expect((await row())?.presence).toBe(after)
  })
})

describe('an upload in parts', () => {
  const inParts = { partBytes: 1_000 }
  const size = async () => Number((await query('select bytes from exports where id = $1', [id]))[0]?.bytes)

  it('sends each part once, in their order, and then ends', async () => {
    const parts = Math.ceil((await size()) / 1_000)
    expect(await run('deliverExport', {}, 1, inParts)).toEqual(DONE)
    expect(parts).toBeGreaterThan(2)
    expect(asked()).toEqual([
      `POST /lake/${key}?uploads=`,
      ...Array.from({ length: parts }, (_, index) => `PUT /lake/${key}?partNumber=${index + 1}&uploadId=u-1`),
      `POST /lake/${key}?uploadId=u-1`,
    ])
    expect(await row()).toMatchObject({ state: 'delivered', presence: 'there', uploadId: 'u-1', etags: Array(parts).fill('"e"') })
  })

  it('goes on after the parts that are known, in the same upload', async () => {
    const parts = Math.ceil((await size()) / 1_000)
    await set(`upload_id = 'u-0', etags = array['"a"', '"b"']`)
    expect(await run('deliverExport', {}, 1, inParts)).toEqual(DONE)
    expect(asked()[0]).toBe(`PUT /lake/${key}?partNumber=3&uploadId=u-0`)
    expect([asked().length, (await row())?.etags.slice(0, 3)]).toEqual([parts - 1, ['"a"', '"b"', '"e"']])
  })

  it('of a file that is as large as a part is none', async () => {
    expect(await run('deliverExport', {}, 1, { partBytes: await size() })).toEqual(DONE)
    expect(asked()).toEqual([`PUT /lake/${key}`])
  })

  it('is kept where the storage refuses a part and has not lost the others', async () => {
    await set(`upload_id = 'u-0', etags = array['"a"']`)
    harness.storage.status = 404
    expect(await run('deliverExport', {}, 1, inParts)).toMatchObject({ done: false, isFailure: true })
    expect(await row()).toMatchObject({ uploadId: 'u-0', etags: ['"a"'] })
  })

  it('whose delivery was deleted meanwhile is given up, and its parts are removed', async () => {
    harness.storage.onPut = async () => {
      harness.storage.onPut = null
      await query('delete from export_deliveries where export_id = $1', [id])
    }
    expect(await run('deliverExport', {}, 1, inParts)).toEqual(DONE)
    expect(asked().length).toBe(2)
    expect(await jobs()).toEqual([{ kind: 'abortUpload', objectKey: key, uploadId: 'u-1' }])
  })

  it.each<[string, string, () => Promise<unknown>, boolean]>([
    ['none', 'was deleted', () => query('delete from export_deliveries where export_id = $1', [id]), true],
    ['there', 'was deleted', () => query('delete from export_deliveries where export_id = $1', [id]), false],
    ['there', 'has been erased', () => set(`state = 'erased'`), true],
  ])('that is complete (before: %s) although its delivery %s leaves nothing behind: %s', async (presence, _what, change, isRemoved) => {
    await set(`presence = '${presence}'`)
    harness.storage.onPut = async () => void (await change())
    expect(await run('deliverExport')).toEqual(DONE)
    expect(await jobs()).toEqual(isRemoved ? [{ kind: 'removeDelivered', objectKey: key, uploadId: null }] : [])
  })
})

describe('the job that deletes what was delivered of erased data', () => {
  beforeEach(() => setExport(`state = 'erased'`))

  it.each<[string, string, string | null, string[]]>([
    ['waiting', 'none', null, []],
    ['waiting', 'unknown', null, ['object']],
    ['failed', 'none', 'u-7', ['upload']],
    ['failed', 'unknown', 'u-7', ['upload', 'object']],
    ['delivered', 'there', 'u-7', ['object']],
    ['unreached', 'there', null, ['object']],
  ])('of a delivery that is %s, object %s, upload %s deletes %j', async (state, presence, uploadId, parts) => {
    await set(`state = '${state}', presence = '${presence}', upload_id = ${uploadId === null ? 'null' : `'${uploadId}'`}, error = 'before'`)
    const urls = { upload: `DELETE /lake/${key}?uploadId=${uploadId}`, object: `DELETE /lake/${key}` }
    expect(await run('eraseDelivered')).toEqual(DONE)
    expect([asked(), await row()]).toEqual([
      parts.map((part) => urls[part === 'upload' ? 'upload' : 'object']),
      { ...WAITING, state: 'erased', presence, uploadId },
    ])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['was not erased', () => setExport(`state = 'completed'`)],
    ['is delivered elsewhere', () => set(`destination_id = '${otherId}'`)],
  ])('deletes nothing where the export %s', async (_what, change) => {
    await set(`state = 'delivered', presence = 'there'`)
    await change()
    const before = await row()
    expect([await run('eraseDelivered'), asked(), await row()]).toEqual([DONE, [], before])
  })

  it.each([
    [1, 'delivered', false],
    [MAX_ATTEMPTS - 1, 'delivered', false],
    [MAX_ATTEMPTS, 'unreached', true],
  ])('that the storage refuses at attempt %i leaves it %s', async (attempts, state, done) => {
    await set(`state = 'delivered', presence = 'there'`)
    harness.storage.status = 503
    const outcome = await run('eraseDelivered', {}, attempts)
    expect(outcome).toMatchObject(done ? DONE : { done: false, isFailure: true, reason: 'The storage answered 503.' })
    expect(await row()).toEqual({
      ...WAITING,
      state: done ? state : 'delivered',
      presence: 'there',
      error: done ? 'The storage answered 503.' : (await row())?.error,
    })
  })
})

describe('the jobs that clean up after a deleted delivery', () => {
  beforeEach(() => query('delete from export_deliveries where export_id = $1', [id]))
  const given = () => ({ objectKey: key, uploadId: 'u-3' })

  it('delete the parts of an upload, or the object', async () => {
    expect([await run('abortUpload', given()), await run('removeDelivered', given())]).toEqual([DONE, DONE])
    expect(asked()).toEqual([`DELETE /lake/${key}?uploadId=u-3`, `DELETE /lake/${key}`])
  })

  it.each(['abortUpload', 'removeDelivered'] as const)('are repeated where the storage refuses: %s', async (kind) => {
    harness.storage.status = 503
    expect(await run(kind, given(), MAX_ATTEMPTS)).toMatchObject({ done: false, isFailure: true, reason: 'The storage answered 503.' })
  })

  it('end where the bucket keeps versions, and where the destination is gone', async () => {
    harness.storage.headers = { 'x-amz-delete-marker': 'true' }
    expect([await run('removeDelivered', given()), asked().length]).toEqual([DONE, 1])
    const gone = { ...given(), destinationId: randomUUID() }
    expect([await run('removeDelivered', gone), await run('abortUpload', gone), asked().length]).toEqual([DONE, DONE, 1])
  })

  it.each([
    ['waiting', 0],
    ['delivered', 0],
    ['failed', 0],
    ['erased', 1],
    ['unreached', 1],
  ])('keep an object that is being delivered there again: %s', async (state, deletions) => {
    expect(await harness.begin(id, destinationId)).toBe(202)
    await set(`state = '${state}'`)
    expect([await run('removeDelivered', given()), asked().length]).toEqual([DONE, deletions])
  })

  it('delete an object whose export is delivered to another destination', async () => {
    expect(await harness.begin(id, otherId)).toBe(202)
    expect([await run('removeDelivered', given()), asked()]).toEqual([DONE, [`DELETE /lake/${key}`]])
  })
})
