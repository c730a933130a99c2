import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { AT, addBooks, addPublication, type Books, minutesAfter, SHAPES, storeForTests } from '../../../test/records/record-store.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { enqueueJob } from '../jobs/jobs.ts'
import { closePublication } from '../records/publications.ts'
import { beginDelivery, beginUpload, ERASE_DELIVERED_JOB, writeDeliveryState } from './deliveries.ts'
import { insertDestination } from './destinations.ts'
import { appendChunk, beginExport, failExport, listParts } from './export-progress.ts'
import {
  countExports,
  deleteExport,
  deleteExportsOfCompany,
  deleteOldExports,
  eraseAllExports,
  eraseExportsWith,
  findExport,
  insertExport,
  listExports,
  type NewExport,
} from './exports.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let second: Books
  let neighbour: Books
  let instanceId = ''
  beforeEach(async () => {
    database = test.database
    await database.query('delete from jobs')
    books = await addBooks(database, { connectionId: randomUUID() })
    instanceId = books.instanceId
    second = await addBooks(database, { instanceId, companyId: books.companyId })
    neighbour = await addBooks(database, { serviceId: books.serviceId })
    await addPublication(database, books, { accounts: 2, transactions: 5 })
    await addPublication(database, second, { accounts: 3, transactions: 7, publishedAt: minutesAfter(1) })
    await addPublication(database, neighbour)
  })

  const newExport = (other: Partial<NewExport> = {}): NewExport => ({
    ...{
      instanceId,
      id: randomUUID(),
      companyId: null,
      category: 'Banking',
      entity: 'Accounts',
      format: 'csv',
      requestedBy: 'dev@example.com',
    },
    ...other,
  })
  const insert = async (other: Partial<NewExport> = {}) => {
    const wanted = newExport(other)
    await inTransaction(database, (db) => insertExport(db, wanted))
    return wanted
  }
  const partOf = (of: Books, part: number, records: number, publishedAt: Date) => ({
    ...{
      part,
      companyId: of.companyId,
      serviceId: of.serviceId,
      records,
      publishedAt: expect.stringContaining(publishedAt.toISOString().slice(0, 10)),
    },
  })
  const parts = async (id: string) => await listParts(database, { instanceId, id }, 0, 9)

  it('an export is pinned to what is published at its request, in order of companies and services', async () => {
    const accounting = await addBooks(database, { instanceId, category: 'Accounting' })
    await addPublication(database, accounting, { accounts: 9 })
    const never = await addBooks(database, { instanceId, publishedAt: null })
    await addPublication(database, never, { accounts: 9 })
    const ordered = [
      { of: books, accounts: 2, transactions: 5, at: AT },
      { of: second, accounts: 3, transactions: 7, at: minutesAfter(1) },
    ].toSorted((a, b) => (a.of.serviceId < b.of.serviceId ? -1 : 1))
    const wanted = await insert()
    expect(await parts(wanted.id)).toEqual(ordered.map(({ of, accounts, at }, part) => partOf(of, part, accounts, at)))
    const transactions = await insert({ entity: 'Transactions', companyId: books.companyId })
    expect(await parts(transactions.id)).toEqual(ordered.map((each, part) => partOf(each.of, part, each.transactions, each.at)))
    expect(await parts((await insert({ companyId: never.companyId })).id)).toEqual([])
    const foreign = await insert({ instanceId: neighbour.instanceId })
    expect(await listParts(database, foreign, 0, 9)).toEqual([partOf(neighbour, 0, 0, AT)])
    expect(await parts((await insert({ category: 'Accounting' })).id)).toEqual([partOf(accounting, 0, 9, AT)])
    const { rows } = await database.query('select published_at as at from export_parts where export_id = $1 order by at', [wanted.id])
    expect(rows).toEqual([{ at: AT }, { at: minutesAfter(1) }])
    expect(
      [await listParts(database, wanted, 1, 9), await listParts(database, wanted, 0, 1)].map((found) => found.map(({ part }) => part)),
    ).toEqual([[1], [0]])
    expect(await findExport(database, wanted)).toEqual({
      ...{
        ...wanted,
        state: 'waiting',
        requestedAt: expect.any(Date),
        expectedRows: 5,
        rows: 0,
        bytes: 0,
        error: null,
        endedAt: null,
        delivery: null,
      },
    })
    expect(await findExport(database, { ...wanted, instanceId: neighbour.instanceId })).toBe(null)
  })

  it('on a cluster no publication of the instance is closed while an export is pinned, nor the other way round', async () => {
    const isFree = async (of: string) => {
      const { rows } = await database.query<{ isFree: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isFree"', [
        `pins/${of}`,
      ])
      return rows[0]?.isFree
    }
    // Elsewhere rows are locked, which one statement cannot do on several nodes.
    const expected = [!isDistributed, true]
    await inTransaction(database, async (db) => {
      await insertExport(db, newExport())
      expect([await isFree(instanceId), await isFree(neighbour.instanceId)]).toEqual(expected)
    })
    await inTransaction(database, async (db) => {
      await closePublication(db, books, 0)
      expect([await isFree(instanceId), await isFree(neighbour.instanceId)]).toEqual(expected)
    })
  })
})

describe('an export', () => {
  const test = storeForTests(false)
  let database: Database
  let books: Books
  let instanceId = ''
  beforeEach(async () => {
    database = test.database
    await database.query('delete from jobs')
    books = await addBooks(database)
    instanceId = books.instanceId
    await addPublication(database, books, { accounts: 2 })
  })
  const insert = async (other: Partial<NewExport> = {}, of = books) => {
    const wanted: NewExport = {
      ...{
        instanceId: of.instanceId,
        id: randomUUID(),
        companyId: of.companyId,
        category: 'Banking',
        entity: 'Accounts',
        format: 'csv',
        requestedBy: 'a',
      },
      ...other,
    }
    await inTransaction(database, (db) => insertExport(db, wanted))
    return wanted
  }
  /** An export whose file has begun. */
  const begin = async (key: NewExport) => {
    const before = (await beginExport(database, key)) ?? expect.fail('there is no export')
    const after = { ...before, chunks: 1, bytes: 10, isLast: false }
    await appendChunk(database, key, before, after, { id: randomUUID(), bytes: 10, summary: null, sealed: Buffer.alloc(3) })
  }
  const chunksOf = async (id: string) => (await database.query('select from export_chunks where export_id = $1', [id])).rowCount

  it('is listed newest first, by filters, in its instance', async () => {
    const neighbour = await addBooks(database)
    const [old, young] = [await insert({ format: 'parquet' }), await insert({ entity: 'Transactions' })]
    await insert({}, neighbour)
    for (const [{ id }, at] of [
      [old, AT],
      [young, minutesAfter(60)],
    ] as const)
      await database.query('update exports set requested_at = $2 where id = $1', [id, at])
    const list = async (filter: Parameters<typeof listExports>[2]['filter'] = [], limit = 9, offset = 0) => {
      const { exports, total } = await listExports(database, instanceId, { filter, limit, offset })
      return { ids: exports.map(({ id }) => id), total }
    }
    expect(await list()).toEqual({ ids: [young.id, old.id], total: 2 })
    expect(await list([], 1, 1)).toEqual({ ids: [old.id], total: 2 })
    const is = (property: string, value: string) => list([[{ property, operator: '=', value }]])
    const [both, first, last, none] = [[young.id, old.id], [old.id], [young.id], []].map((ids) => ({ ids, total: ids.length }))
    expect([await is('format', 'parquet'), await is('entity', 'Transactions'), await is('id', young.id)]).toEqual([first, last, last])
    expect([await is('companyId', books.companyId), await is('category', 'Banking'), await is('category', 'Accounting')]).toEqual([
      both,
      both,
      none,
    ])
    expect([await is('state', 'waiting'), await is('state', 'failed'), await is('requestedBy', 'a'), await is('requestedBy', 'b')]).toEqual(
      [both, none, both, none],
    )
    const since = (property: string, minutes: number) => list([[{ property, operator: '>=', value: minutesAfter(minutes).toISOString() }]])
    expect([
      await since('requestedOn', 60),
      await since('requestedOn', 0),
      await since('requestedOn', 61),
      await since('endedOn', 0),
    ]).toEqual([last, both, none, none])
    const week = 7 * 24 * 60
    expect([await since('expiresOn', week + 60), await since('expiresOn', week), await since('expiresOn', week + 61)]).toEqual([
      last,
      both,
      none,
    ])
  })

  it('counts towards the limits of its instance until it ends', async () => {
    const [one] = [await insert(), await insert(), await insert()]
    await beginExport(database, one)
    await insert({}, await addBooks(database))
    const count = () => inTransaction(database, (db) => countExports(db, instanceId))
    expect(await count()).toEqual({ unfinished: 3, all: 3 })
    await failExport(database, one, '')
    expect(await count()).toEqual({ unfinished: 2, all: 3 })
    expect(await inTransaction(database, (db) => countExports(db, randomUUID()))).toEqual({ unfinished: 0, all: 0 })
  })

  const destinationId = randomUUID()
  const deliver = async (key: NewExport) => {
    const target = { kind: 's3', endpoint: 'https://s3', region: 'r', bucket: 'b', prefix: '', accessKeyId: 'k' } as const
    await database.query('delete from export_destinations where id = $1', [destinationId])
    await insertDestination(database, { instanceId: key.instanceId, id: destinationId, name: 'd', secret: Buffer.alloc(1) }, target, 9)
    await inTransaction(database, (db) => beginDelivery(db, key, destinationId, 'object'))
    await beginUpload(database, { ...key, destinationId })
    await writeDeliveryState(database, { ...key, destinationId }, { state: 'delivered', presence: 'there' })
    await database.query('delete from jobs')
  }
  const jobs = async () => (await database.query('select kind, payload from jobs order by kind')).rows
  const erasure = (key: NewExport) => ({ kind: ERASE_DELIVERED_JOB, payload: { exportId: key.id, destinationId } })

  it('shows its delivery', async () => {
    const key = await insert()
    await deliver(key)
    await database.query(`update export_deliveries set etags = '{a,b}', error = 'late'`)
    expect((await findExport(database, key))?.delivery).toEqual({
      destinationId,
      objectKey: 'object',
      state: 'delivered',
      partsSent: 2,
      error: 'late',
    })
  })

  it('is erased with the data it has, here and where it was delivered', async () => {
    const other = await addBooks(database, { instanceId, companyId: books.companyId })
    await addPublication(database, other)
    const neighbour = await addBooks(database, { serviceId: books.serviceId })
    await addPublication(database, neighbour)
    const [key, done, foreign] = [await insert(), await insert(), await insert({}, neighbour)]
    const elsewhere = await addBooks(database, { instanceId })
    await addPublication(database, elsewhere)
    const untouched = await insert({}, elsewhere)
    for (const each of [key, untouched]) await begin(each)
    await failExport(database, done, 'why')
    const [ended] = (await database.query<{ at: Date }>('select ended_at as at from exports where id = $1', [done.id])).rows
    await deliver(key)
    const erase = () => inTransaction(database, (db) => eraseExportsWith(db, books))
    await erase()
    expect(await findExport(database, key)).toMatchObject({ state: 'erased', bytes: 0, endedAt: expect.any(Date), error: null })
    expect(await findExport(database, done)).toMatchObject({ state: 'erased', error: null, endedAt: ended?.at })
    expect([(await findExport(database, untouched))?.state, (await findExport(database, foreign))?.state]).toEqual(['running', 'waiting'])
    expect([await chunksOf(key.id), await chunksOf(untouched.id), await jobs()]).toEqual([0, 1, [erasure(key)]])
    await database.query('delete from jobs')
    await erase()
    expect(await jobs()).toEqual([])
  })

  it('of an instance that is erased goes with all others of it', async () => {
    const neighbour = await addBooks(database)
    const [key, second, foreign] = [await insert(), await insert(), await insert({}, neighbour)]
    await begin(key)
    await deliver(key)
    await inTransaction(database, (db) => eraseAllExports(db, instanceId))
    const states = async () => await Promise.all([key, second, foreign].map(async (each) => (await findExport(database, each))?.state))
    expect([await states(), await chunksOf(key.id), await jobs()]).toEqual([['erased', 'erased', 'waiting'], 0, [erasure(key)]])
    await database.query('delete from jobs')
    await inTransaction(database, (db) => eraseAllExports(db, instanceId))
    expect(await jobs()).toEqual([])
  })

  it('is deleted, unless its object is being deleted', async () => {
    const key = await insert()
    await deliver(key)
    const remove = (of = key) => inTransaction(database, (db) => deleteExport(db, of))
    expect([await remove({ ...key, id: randomUUID() }), await remove({ ...key, instanceId: randomUUID() })]).toEqual(['unknown', 'unknown'])
    await inTransaction(database, (db) => eraseExportsWith(db, books))
    expect(await remove()).toBe('erasing')
    expect(await findExport(database, key)).not.toBe(null)
    expect(await inTransaction(database, (db) => deleteExportsOfCompany(db, instanceId, books.companyId))).toBe(false)
    await database.query(`update exports set requested_at = now() - interval '8 days'`)
    await deleteOldExports(database, 7)
    expect(await findExport(database, key)).not.toBe(null)
    await database.query('delete from jobs')
    expect(await remove()).toBe('deleted')
    expect([await findExport(database, key), await remove()]).toEqual([null, 'unknown'])
  })

  it('that was not delivered in full leaves nothing at the destination when it is deleted', async () => {
    const key = await insert()
    await deliver(key)
    await database.query(`update export_deliveries set state = 'failed', upload_id = 'u', presence = 'unknown'`)
    expect(await inTransaction(database, (db) => deleteExport(db, key))).toBe('deleted')
    expect((await jobs()).map(({ kind }) => kind)).toEqual(['abortUpload', 'removeDelivered'])
  })

  it('of a company is deleted with all others of it', async () => {
    const neighbour = await addBooks(database)
    const [one, two, all, foreign] = [await insert(), await insert(), await insert({ companyId: null }), await insert({}, neighbour)]
    await enqueueJob(database, { instanceId, kind: 'other', key: 'k', payload: {} })
    expect(await inTransaction(database, (db) => deleteExportsOfCompany(db, instanceId, books.companyId))).toBe(true)
    expect(await Promise.all([one, two].map((each) => findExport(database, each)))).toEqual([null, null])
    for (const each of [all, foreign]) expect(await findExport(database, each)).not.toBe(null)
  })

  it('is deleted when it is old', async () => {
    const [old, young] = [await insert(), await insert()]
    await database.query(`update exports set requested_at = now() - interval '7 days 1 minute' where id = $1`, [old.id])
    await database.query(`update exports set requested_at = now() - interval '6 days 23 hours' where id = $1`, [young.id])
    await deleteOldExports(database, 7)
    expect([await findExport(database, old), (await findExport(database, young))?.id]).toEqual([null, young.id])
  })
})
