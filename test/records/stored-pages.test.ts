import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { SEALED_MIN_BYTES } from '../../src/store/keys/sealing.ts'
import {
  announceObject,
  claimObject,
  claimObjectsToRemove,
  forgetObjects,
  listPageWindow,
  moveToDatabase,
  moveToObject,
  postponeObjects,
  readPageObjects,
  toObjectKey,
} from '../../src/store/records/page-objects.ts'
import { findRawPage, findSamePage, type RawPage, storeRawPage } from '../../src/store/records/raw-pages.ts'
import { AT, addBooks, type Books, minutesAfter, SHAPES, storeForTests } from './record-store.ts'

const HASH = Buffer.alloc(32, 3)

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    await database.query('delete from raw_pages')
    await database.query('delete from unclaimed_objects')
    books = await addBooks(database)
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  type Page = RawPage & { companyId: string }
  const pageOf = (other: Partial<Page> = {}, of = books): Page => ({
    ...{ instanceId: of.instanceId, companyId: of.companyId, connectionId: of.connectionId, id: randomUUID(), pull: 'accounts', page: 2 },
    ...{ fetchedAt: AT, contentHash: HASH, sealed: Buffer.alloc(SEALED_MIN_BYTES + 5, 9), object: null },
    ...other,
  })
  const store = async (other: Partial<Page> = {}, of = books): Promise<Page> => {
    const page = pageOf(other, of)
    await inTransaction(database, (db) => storeRawPage(db, { ...page, span: null }))
    return page
  }
  const storedBytes = async () =>
    (await database.query('select bytes from stored_bytes where connection_id = $1', [books.connectionId])).rows

  it('a raw page is found as it was stored, by its instance, and its bytes are counted', async () => {
    const { companyId, ...page } = await store()
    const { companyId: _, ...moved } = await store({ object: { id: randomUUID(), bytes: 100 }, sealed: Buffer.alloc(4) })
    expect(await findRawPage(database, { ...page, companyId })).toEqual(page)
    expect(await findRawPage(database, { ...moved, companyId })).toEqual(moved)
    expect(await findRawPage(database, { ...page, companyId, instanceId: neighbour.instanceId })).toBe(null)
    expect(await findRawPage(database, { ...page, companyId, id: randomUUID() })).toBe(null)
    expect(await storedBytes()).toEqual([{ bytes: String(SEALED_MIN_BYTES + 5 + 104) }])
  })

  it.each([
    ['the same bytes', {}, true],
    ['other bytes', { contentHash: Buffer.alloc(32, 4) }, false],
    ['another number', { page: 3 }, false],
    ['another list', { pull: 'transactions' }, false],
  ])('an unchanged page is recognized: %s', async (_which, other, isSame) => {
    const page = await store()
    const found = await findSamePage(database, { ...pageOf(), ...other })
    expect(found.same).toEqual(isSame ? { id: page.id, fetchedAt: AT } : null)
    expect(await findSamePage(database, pageOf(other, neighbour))).toMatchObject({ same: null })
  })

  it('only the newest page of a number counts', async () => {
    await store({ fetchedAt: minutesAfter(1) })
    await store({ fetchedAt: minutesAfter(2), contentHash: Buffer.alloc(32, 5) })
    expect((await findSamePage(database, pageOf())).same).toBe(null)
    const back = await store({ fetchedAt: minutesAfter(3) })
    expect((await findSamePage(database, pageOf())).same).toEqual({ id: back.id, fetchedAt: minutesAfter(3) })
  })

  if (!isDistributed)
    it('a page goes to the partition of its time, where there is one; a cluster has none', async () => {
      const { rows } = await database.query<{ span: string; at: Date }>(
        `select to_char(begins, 'YYYYMMDD') as span, begins::timestamp at time zone 'UTC' as at from page_spans order by begins limit 1`,
      )
      const [within] = rows
      if (!within) throw new Error('there are no partitions')
      const key = pageOf({ fetchedAt: within.at })
      expect(await findSamePage(database, key)).toEqual({ same: null, span: within.span })
      expect((await findSamePage(database, { ...key, fetchedAt: new Date('2001-01-01T00:00:00Z') })).span).toBe(null)
      await inTransaction(database, (db) => storeRawPage(db, { ...key, span: within.span }))
      expect((await findSamePage(database, key)).same).toEqual({ id: key.id, fetchedAt: within.at })
      expect((await database.query('select from only raw_pages where id = $1', [key.id])).rowCount).toBe(0)
      // About to be dropped with its partition.
      await database.query(`update page_spans set closed_at = now() where to_char(begins, 'YYYYMMDD') = $1`, [within.span])
      expect((await findSamePage(database, key)).same).toBe(null)
      await database.query('update raw_pages set reviewed_at = now() where id = $1', [key.id])
      expect((await findSamePage(database, key)).same).toEqual({ id: key.id, fetchedAt: within.at })
      await database.query('update page_spans set closed_at = null')
    })

  if (isDistributed)
    it('a cluster has no partitions of pages', async () => {
      expect(await findSamePage(database, pageOf())).toEqual({ same: null, span: null })
    })

  const unclaimed = async () =>
    (
      await database.query(
        `select object_key as key, is_condemned as "isCondemned", round(extract(epoch from due_at - clock_timestamp()) / 60)::int as minutes from unclaimed_objects order by 1`,
      )
    ).rows

  it('a page moves to an object and back, once, with all of its bytes', async () => {
    const page = await store()
    const object = { id: randomUUID(), bytes: 5 }
    const key = toObjectKey(page, object.id)
    expect(key).toBe(`${books.instanceId}/${books.connectionId}/${object.id}`)
    // The object has other bytes than the page, or the page is of another instance.
    expect(await moveToObject(database, page, { ...object, bytes: 4 })).toBe(false)
    expect(await moveToObject(database, { ...page, instanceId: neighbour.instanceId }, object)).toBe(false)
    expect(await moveToObject(database, page, object)).toBe(true)
    expect(await findRawPage(database, page)).toMatchObject({ sealed: Buffer.alloc(SEALED_MIN_BYTES, 9), object })
    expect(await moveToObject(database, page, { id: randomUUID(), bytes: 5 })).toBe(false)
    const back = (other: Partial<Page> = {}, id = object.id) =>
      inTransaction(database, (db) => moveToDatabase(db, { ...page, ...other }, { id, bytes: 5 }, Buffer.alloc(5, 8)))
    expect([await back({}, randomUUID()), await back({ instanceId: neighbour.instanceId })]).toEqual([false, false])
    expect(await unclaimed()).toEqual([])
    expect(await back()).toBe(true)
    expect(await findRawPage(database, page)).toMatchObject({
      sealed: Buffer.concat([Buffer.alloc(SEALED_MIN_BYTES, 9), Buffer.alloc(5, 8)]),
      object: null,
    })
    expect(await unclaimed()).toEqual([{ key, isCondemned: true, minutes: 60 }])
    expect(await back()).toBe(false)
  })

  it('pages are walked through in order of instances and ids: those in storage, or the others', async () => {
    const pages = [await store({}, neighbour)]
    for (let n = 0; n < 6; n += 1) pages.push(await store(n === 2 ? { object: { id: randomUUID(), bytes: 1 } } : {}))
    const keys = pages
      .map(({ instanceId, id, connectionId, companyId, object }) => ({
        instanceId,
        id,
        connectionId,
        companyId,
        isInStorage: object !== null,
      }))
      .toSorted((a, b) => (`${a.instanceId}${a.id}` < `${b.instanceId}${b.id}` ? -1 : 1))
    for (const isInStorage of [true, false]) {
      const wanted = keys
        .filter((key) => key.isInStorage === isInStorage)
        .map((key) =>
          expect.objectContaining({ id: key.id, instanceId: key.instanceId, connectionId: key.connectionId, companyId: key.companyId }),
        )
      expect(await listPageWindow(database, isInStorage, null, 9)).toEqual({ pages: wanted, last: null })
      const found = []
      let windows = 0
      for (let after: Awaited<ReturnType<typeof listPageWindow>>['last'] = null; ; windows += 1) {
        const window = await listPageWindow(database, isInStorage, after, 3)
        found.push(...window.pages)
        after = window.last
        if (after === null) break
        expect(after).toMatchObject({ instanceId: keys[windows * 3 + 2]?.instanceId, id: keys[windows * 3 + 2]?.id })
      }
      expect([found, windows]).toEqual([wanted, 2])
    }
  })

  it('an upload is announced, and then claimed by its page or removed', async () => {
    for (const key of ['a', 'b', 'c']) await announceObject(database, key)
    expect(await unclaimed()).toEqual(['a', 'b', 'c'].map((key) => ({ key, isCondemned: false, minutes: 60 })))
    expect([await claimObject(database, 'a'), await claimObject(database, 'a'), await claimObject(database, 'z')]).toEqual([
      true,
      false,
      false,
    ])
    expect(await claimObjectsToRemove(database, 9)).toEqual([])
    await database.query(`update unclaimed_objects set due_at = clock_timestamp() - interval '1 minute' where object_key = 'b'`)
    expect(await claimObjectsToRemove(database, 9)).toEqual(['b'])
    // It may be gone by now.
    expect(await claimObject(database, 'b')).toBe(false)
    await postponeObjects(database, ['b', 'c'])
    expect(await unclaimed()).toEqual([
      { key: 'b', isCondemned: true, minutes: 10 },
      { key: 'c', isCondemned: false, minutes: 60 },
    ])
    expect(await claimObjectsToRemove(database, 9)).toEqual([])
    await forgetObjects(database, ['b', 'c'])
    expect(await unclaimed()).toEqual([{ key: 'c', isCondemned: false, minutes: 60 }])
  })

  it('objects are removed in the order in which they are due, as many as asked for', async () => {
    for (const [n, key] of ['a', 'b', 'c'].entries()) {
      await announceObject(database, key)
      await database.query(`update unclaimed_objects set due_at = clock_timestamp() - make_interval(mins => $2) where object_key = $1`, [
        key,
        n + 1,
      ])
    }
    expect(await claimObjectsToRemove(database, 2)).toEqual(['c', 'b'])
    expect((await unclaimed()).map(({ isCondemned }) => isCondemned)).toEqual([false, true, true])
    expect(await claimObjectsToRemove(database, 3)).toEqual(['c', 'b', 'a'])
  })

  it('what doctor looks at: some objects of pages, and removals that are late', async () => {
    expect(await readPageObjects(database, 2)).toEqual({ sample: [], late: 0 })
    await store()
    const objects = [1, 2, 3].map((bytes) => ({ id: randomUUID(), bytes }))
    const keys = []
    for (const object of objects) keys.push({ key: toObjectKey(await store({ object }), object.id), bytes: object.bytes })
    await announceObject(database, 'young')
    await database.query(
      `insert into unclaimed_objects (object_key, is_condemned, due_at) select n::text, n > 1, now() - make_interval(mins => n * 50) from generate_series(0, 3) n`,
    )
    const { sample, late } = await readPageObjects(database, 99)
    expect(late).toBe(2)
    expect(new Set(sample.map((each) => JSON.stringify(each)))).toEqual(new Set(keys.map((each) => JSON.stringify(each))))
    expect((await readPageObjects(database, 2)).sample).toHaveLength(2)
  })
})
