import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addBooks, addPublication, type Books, idOf, storeForTests } from '../../../test/records/record-store.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { appendChunk, beginExport, type ExportProgress, failExport, findChunkAt, listSummaries } from './export-progress.ts'
import { findExport, insertExport, type NewExport } from './exports.ts'

describe('the file of an export', () => {
  const test = storeForTests(false)
  let database: Database
  let books: Books
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    await addPublication(database, books, { accounts: 2 })
  })
  const insert = async () => {
    const wanted: NewExport = {
      ...{
        instanceId: books.instanceId,
        id: randomUUID(),
        companyId: books.companyId,
        category: 'Banking',
        entity: 'Accounts',
        format: 'csv',
        requestedBy: 'a',
      },
    }
    await inTransaction(database, (db) => insertExport(db, wanted))
    return wanted
  }
  const start: ExportProgress = {
    ...{
      category: 'Banking',
      entity: 'Accounts',
      format: 'csv',
      part: 0,
      afterId: '00000000-0000-0000-0000-000000000000',
      partRows: 0,
      chunks: 0,
      rows: 0,
      bytes: 0,
    },
  }
  const chunk = (bytes: number, summary: string | null) => ({ id: randomUUID(), bytes, summary, sealed: Buffer.alloc(3, bytes) })
  const append = (
    key: NewExport,
    before: ExportProgress,
    after: ExportProgress & { isLast: boolean },
    piece: ReturnType<typeof chunk> | null,
  ) => inTransaction(database, (db) => appendChunk(db, key, before, after, piece))
  const chunksOf = async (id: string) =>
    (
      await database.query(
        'select id, number, starts_at::int as "startsAt", bytes, summary, sealed from export_chunks where export_id = $1 order by number',
        [id],
      )
    ).rows

  it('is written piece by piece, each once, and continues where it stopped', async () => {
    const key = await insert()
    expect(await beginExport(database, key)).toEqual(start)
    const first = { ...start, part: 0, afterId: idOf(1), partRows: 1, chunks: 1, rows: 1, bytes: 10 }
    const [one, two] = [chunk(10, 'a'), chunk(5, null)]
    expect(await append(key, start, { ...first, isLast: false }, one)).toBe(true)
    // Another worker has written it, or has come further.
    expect(await append(key, start, { ...first, isLast: true }, chunk(10, 'a'))).toBe(false)
    expect(await append(key, { ...first, part: 1 }, { ...first, isLast: true }, two)).toBe(false)
    expect(await append(key, { ...first, afterId: idOf(9) }, { ...first, isLast: true }, two)).toBe(false)
    expect(await beginExport(database, key)).toEqual(first)
    const second = { ...first, part: 1, afterId: idOf(2), partRows: 2, chunks: 2, rows: 3, bytes: 15 }
    expect(await append(key, first, { ...second, isLast: false }, two)).toBe(true)
    expect(await append(key, second, { ...second, isLast: true }, null)).toBe(true)
    expect(await chunksOf(key.id)).toEqual([
      { ...one, number: 0, startsAt: 0 },
      { ...two, number: 1, startsAt: 10 },
    ])
    expect(await listSummaries(database, key)).toEqual(['a', null])
    expect(await findExport(database, key)).toMatchObject({ state: 'completed', rows: 3, bytes: 15, endedAt: expect.any(Date) })
    expect([await beginExport(database, key), await append(key, second, { ...second, isLast: false }, null)]).toEqual([null, false])
    await failExport(database, key, 'late')
    expect(await findExport(database, key)).toMatchObject({ state: 'completed', error: null, bytes: 15 })
    expect(await chunksOf(key.id)).toHaveLength(2)
  })

  it.each([
    [0, 0],
    [9, 0],
    [10, 1],
    [14, 1],
    [15, null],
    [99, null],
  ])('has the byte at %d in its piece %s', async (place, number) => {
    const key = await insert()
    await beginExport(database, key)
    const [one, two] = [chunk(10, null), chunk(5, null)]
    const first = { ...start, chunks: 1, bytes: 10 }
    await append(key, start, { ...first, isLast: false }, one)
    await append(key, first, { ...first, chunks: 2, bytes: 15, isLast: true }, two)
    const pieces = [
      { id: one.id, startsAt: 0, bytes: 10, sealed: one.sealed },
      { id: two.id, startsAt: 10, bytes: 5, sealed: two.sealed },
    ]
    expect(await findChunkAt(database, key, place)).toEqual(number === null ? null : pieces[number])
    expect(await findChunkAt(database, { ...key, instanceId: randomUUID() }, place)).toBe(null)
  })

  it('that fails keeps no file, and says why', async () => {
    const [key, other] = [await insert(), await insert()]
    for (const each of [key, other]) {
      await beginExport(database, each)
      await append(each, start, { ...start, chunks: 1, bytes: 10, isLast: false }, chunk(10, null))
    }
    await failExport(database, key, 'too large')
    expect(await findExport(database, key)).toMatchObject({ state: 'failed', error: 'too large', bytes: 0, endedAt: expect.any(Date) })
    expect([await chunksOf(key.id), await beginExport(database, key)]).toEqual([[], null])
    expect(await chunksOf(other.id)).toHaveLength(1)
  })
})
