import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import {
  beginDelivery,
  beginUpload,
  type Delivery,
  findDelivery,
  queueEmptying,
  queueErasures,
  queueRemains,
  writeDeliveryState,
  writeUpload,
} from './deliveries.ts'
import { type DestinationTarget, insertDestination } from './destinations.ts'
import { insertExport } from './exports.ts'

const test = databaseForTests()
const S3: DestinationTarget = { kind: 's3', endpoint: 'https://s3.example', region: 'ca', bucket: 'b', prefix: 'p/', accessKeyId: 'k' }
const POSTGRES: DestinationTarget = {
  ...{ kind: 'postgres', host: 'h', port: 5432, database: 'd', user: 'u', schema: 's' },
  ...{ tls: 'verify', certificateAuthority: null },
}
let [instanceId, exportId, first, second] = ['', '', '', '']
let key = { instanceId, id: exportId }

async function addDestination(target: Parameters<typeof insertDestination>[2] = S3): Promise<string> {
  const id = randomUUID()
  const isNew = await insertDestination(test.database, { instanceId, id, name: 'Bucket', secret: Buffer.from('s') }, target, 10)
  expect(isNew).toBe(true)
  return id
}

beforeEach(async () => {
  instanceId = await addInstance(test.database)
  exportId = randomUUID()
  key = { instanceId, id: exportId }
  const about = { companyId: null, category: 'Banking', entity: 'Accounts', format: 'csv', requestedBy: 'a@maple.example' } as const
  await insertExport(test.database, { ...key, ...about })
  first = await addDestination()
  second = await addDestination()
})

const at = (destinationId: string, id = exportId) => ({ instanceId, id, destinationId })

async function jobs() {
  const { rows } = await test.database.query<{ kind: string; key: string; payload: unknown }>(
    `select kind, key, payload from jobs where instance_id = $1 order by kind, key`,
    [instanceId],
  )
  return rows
}
const kinds = async () => (await jobs()).map(({ kind }) => kind)

/** Sets what a test begins with. */
async function deliver(destinationId: string, row: Partial<Delivery> = {}): Promise<void> {
  expect(await beginDelivery(test.database, key, destinationId, 'a.csv')).toBe(true)
  const { state = 'waiting', uploadId = null, etags = [], presence = 'none' } = row
  await test.database.query(
    'update export_deliveries set state = $3, upload_id = $4, etags = $5, presence = $6 where instance_id = $1 and export_id = $2',
    [instanceId, exportId, state, uploadId, etags, presence],
  )
  await test.database.query('delete from jobs where instance_id = $1', [instanceId])
}

describe('a delivery that begins', () => {
  it('is waiting, and queued with its export and its destination', async () => {
    expect(await findDelivery(test.database, key)).toBe(null)
    expect(await beginDelivery(test.database, key, first, 'a.csv')).toBe(true)
    const started = { exportId, destinationId: first, objectKey: 'a.csv', state: 'waiting' }
    expect(await findDelivery(test.database, key)).toEqual({ ...started, uploadId: null, etags: [], presence: 'none', error: null })
    const payload = { exportId, destinationId: first }
    expect(await jobs()).toEqual([{ kind: 'deliverExport', key: `delivery/${exportId}/${first}`, payload }])
  })

  it.each([
    [
      'waiting',
      { state: 'waiting', uploadId: 'u', etags: ['1'], presence: 'unknown' },
      { uploadId: 'u', etags: ['1'], presence: 'unknown' },
    ],
    ['failed', { state: 'failed', uploadId: 'u', etags: ['1'], presence: 'there' }, { uploadId: 'u', etags: ['1'], presence: 'there' }],
    ['delivered', { state: 'delivered', uploadId: 'u', etags: ['1'], presence: 'there' }, { uploadId: null, etags: [], presence: 'there' }],
  ] as const)('again to the same destination after it was %s continues only an unfinished upload', async (_state, before, after) => {
    await deliver(first, { ...before, etags: [...before.etags] })
    expect(await beginDelivery(test.database, key, first, 'b.csv')).toBe(true)
    expect(await findDelivery(test.database, key)).toMatchObject({ state: 'waiting', objectKey: 'b.csv', error: null, ...after })
    expect(await kinds()).toEqual(['deliverExport'])
  })

  it.each(['waiting', 'delivered'] as const)('to another destination is refused while the first is %s', async (state) => {
    await deliver(first, { state, presence: 'there' })
    expect(await beginDelivery(test.database, key, second, 'b.csv')).toBe(false)
    expect([await findDelivery(test.database, key), await kinds()]).toEqual([expect.objectContaining({ destinationId: first, state }), []])
  })

  it.each([
    ['none', null, []],
    ['none', 'u', ['abortUpload']],
    ['unknown', null, ['removeDelivered']],
    ['there', 'u', ['abortUpload', 'removeDelivered']],
  ] as const)(
    'to another destination after a failure removes what is %s at the first, with upload %s',
    async (presence, uploadId, queued) => {
      await deliver(first, { state: 'failed', presence, uploadId, etags: ['1'] })
      expect(await beginDelivery(test.database, key, second, 'b.csv')).toBe(true)
      expect(await findDelivery(test.database, key)).toMatchObject({ destinationId: second, uploadId: null, etags: [], presence: 'none' })
      const made = await jobs()
      expect(made.map(({ kind }) => kind)).toEqual([...queued, 'deliverExport'].sort())
      const abort = made.find(({ kind }) => kind === 'abortUpload')
      expect(abort?.payload).toEqual(uploadId === null ? undefined : { destinationId: first, objectKey: 'a.csv', uploadId })
      const removal = made.find(({ kind }) => kind === 'removeDelivered')
      const wanted = { exportId, destinationId: first, objectKey: 'a.csv' }
      expect(removal).toEqual(
        presence === 'none' ? undefined : { kind: 'removeDelivered', key: `delivery/${exportId}/${first}`, payload: wanted },
      )
    },
  )

  it('back to a destination where an object is still to be removed does not know whether one is there', async () => {
    await deliver(first, { state: 'failed', presence: 'there' })
    await beginDelivery(test.database, key, second, 'b.csv')
    await test.database.query(`update export_deliveries set state = 'failed' where instance_id = $1`, [instanceId])
    expect(await beginDelivery(test.database, key, first, 'a.csv')).toBe(true)
    expect(await findDelivery(test.database, key)).toMatchObject({ destinationId: first, presence: 'unknown' })
  })
})

it.each([
  ['waiting', 'unknown', 'u', ['abortUpload', 'removeDelivered']],
  ['waiting', 'there', null, []],
  ['waiting', 'none', 'u', ['abortUpload']],
  ['failed', 'unknown', null, ['removeDelivered']],
  ['delivered', 'unknown', 'u', []],
] as const)(
  'what a delivery that was %s leaves (%s, upload %s) is removed when it is deleted',
  async (state, presence, uploadId, queued) => {
    await deliver(first, { state, presence, uploadId })
    await queueRemains(test.database, key)
    expect(await kinds()).toEqual(queued)
  },
)

describe('an upload', () => {
  it.each([
    ['waiting', 'none', true, 'unknown'],
    ['failed', 'unknown', true, 'unknown'],
    ['failed', 'there', true, 'there'],
    ['delivered', 'there', false, 'there'],
    ['erased', 'none', false, 'none'],
  ] as const)('of a delivery that is %s and %s begins: %s', async (state, presence, isBegun, after) => {
    await deliver(first, { state, presence })
    expect(await beginUpload(test.database, at(second))).toBe(false)
    expect(await beginUpload(test.database, at(first, randomUUID()))).toBe(false)
    expect(await beginUpload(test.database, at(first))).toBe(isBegun)
    expect(await findDelivery(test.database, key)).toMatchObject({ state: isBegun ? 'waiting' : state, presence: after })
  })

  it('is recorded with its parts at its destination only', async () => {
    await deliver(first)
    expect(await writeUpload(test.database, at(second), { uploadId: 'x', etags: [] })).toBe(false)
    expect(await writeUpload(test.database, at(first), { uploadId: 'u', etags: ['1', '2'] })).toBe(true)
    expect(await findDelivery(test.database, key)).toMatchObject({ uploadId: 'u', etags: ['1', '2'] })
  })

  it.each([
    ['waiting', 'delivered', true],
    ['failed', 'delivered', true],
    ['delivered', 'failed', false],
    ['delivered', 'delivered', true],
    ['delivered', 'erased', true],
    ['erased', 'delivered', false],
    ['erased', 'unreached', true],
  ] as const)('that is %s becomes %s: %s', async (before, state, isWritten) => {
    await deliver(first, { state: before, presence: 'unknown' })
    expect(await writeDeliveryState(test.database, at(second), { state })).toBe(false)
    expect(await writeDeliveryState(test.database, at(first), { state, error: 'denied' })).toBe(isWritten)
    const wanted = isWritten ? { state, error: 'denied' } : { state: before, error: null }
    expect(await findDelivery(test.database, key)).toMatchObject({ ...wanted, presence: 'unknown' })
    expect(await writeDeliveryState(test.database, at(first), { state, presence: 'there' })).toBe(isWritten)
    expect(await findDelivery(test.database, key)).toMatchObject({ error: null, presence: isWritten ? 'there' : 'unknown' })
  })
})

it('the objects of erased exports are deleted by a job each, and rows in databases by one for each database', async () => {
  const replica = await addDestination(POSTGRES)
  await deliver(first, { state: 'delivered', presence: 'there' })
  await queueErasures(test.database, instanceId, [randomUUID()])
  expect(await kinds()).toEqual([])
  await queueErasures(test.database, instanceId, [exportId, randomUUID()])
  await queueEmptying(test.database, instanceId)
  expect(await jobs()).toEqual([
    { kind: 'emptyReplica', key: `emptyReplica/${replica}`, payload: { destinationId: replica } },
    { kind: 'eraseDelivered', key: `delivery/${exportId}/${first}`, payload: { exportId, destinationId: first } },
  ])
})
