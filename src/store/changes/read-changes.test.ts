import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  AT,
  addBooks,
  addPublication,
  addVersion,
  type Books,
  idOf,
  minutesAfter,
  SHAPES,
  storeForTests,
} from '../../../test/records/record-store.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { closePublication, raisePublication } from '../records/publications.ts'
import { placeChanges } from './place-changes.ts'
import { type ChangePosition, LostPosition, readChanges } from './read-changes.ts'

describe.each(SHAPES)('a reader of the feed, with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)

  const NO_FILTER = { companyId: null, entity: null }
  let second: Books
  let database: Database
  let books: Books
  let instanceId = ''
  beforeEach(async () => {
    database = test.database
    for (const table of ['change_feeds', 'placed_changes', 'placed_publications', 'publications', 'unplaced_publications'])
      await database.query(`delete from ${table}`)
    books = await addBooks(database, { createdAt: minutesAfter(-60) })
    instanceId = books.instanceId
    await addPublication(database, books)
    second = await addBooks(database, { instanceId, createdAt: minutesAfter(-60) })
    await addPublication(database, second)
    for (const [of, from] of [
      [books, 1],
      [second, 5],
    ] as const) {
      await addVersion(database, of, { id: idOf(from), doc: { n: from } })
      await addVersion(database, of, { id: idOf(from + 1), doc: { n: from + 1 } })
      await addVersion(database, of, { id: idOf(from + 2), doc: { n: from + 2 }, entity: 'Transactions' })
      await addVersion(database, of, { id: idOf(from + 3), deleted: true })
    }
  })

  /** Reads to the end; each record as its number, `-n` for one that is deleted, `x` for data that is gone. */
  const readAll = async (from: ChangePosition | null, limit: number, filter: Parameters<typeof readChanges>[3] = NO_FILTER) => {
    const seen: string[] = []
    let at = from
    for (let pages = 0; pages < 30; pages += 1) {
      const { items, next, hasMore } = await readChanges(database, instanceId, at, filter, limit)
      expect(items.length).toBeLessThanOrEqual(limit)
      seen.push(...items.map(({ record, cleared }) => (cleared ? 'x' : `${record?.deleted ? '-' : ''}${Number(record?.id.slice(-4))}`)))
      at = next
      if (!hasMore) return { seen, at }
    }
    throw new Error('the feed has no end')
  }
  const inOrder = (numbers: [string[], string[]]) => (books.companyId < second.companyId ? numbers : numbers.toReversed()).flat()

  it.each([1, 2, 3, 6, 50])('has everything that is published in pages of %d, and then what changes', async (limit) => {
    const { seen, at } = await readAll(null, limit)
    expect(seen).toEqual(
      inOrder([
        ['1', '2', '3'],
        ['5', '6', '7'],
      ]),
    )
    expect((await readAll(at, limit)).seen).toEqual([])
    // Two publications: a record changes, is deleted, or is new; then the data of the other company is gone.
    await database.query(`update record_versions set valid_to = $2 where connection_id = $1 and id = any($3)`, [
      books.connectionId,
      minutesAfter(5),
      [idOf(1), idOf(2)],
    ])
    await addVersion(database, books, { id: idOf(1), validFrom: minutesAfter(5) })
    await addVersion(database, books, { id: idOf(2), validFrom: minutesAfter(5), deleted: true })
    await addVersion(database, books, { id: idOf(4), validFrom: minutesAfter(5), entity: 'Transactions' })
    await inTransaction(database, (db) => raisePublication(db, books, { at: minutesAfter(5), isFirst: false }, 0))
    await placeChanges(database, instanceId)
    await inTransaction(database, (db) => closePublication(db, second, 0))
    const changed = await readAll(at, limit)
    expect(changed.seen).toEqual(['1', '-2', '4', 'x'])
    expect((await readAll(changed.at, limit)).seen).toEqual([])
  })

  it('may want one company, or one kind', async () => {
    const read = async (entity: 'Accounts' | 'Transactions') => (await readAll(null, 2, { companyId: null, entity })).seen
    expect(await readAll(null, 2, { companyId: second.companyId, entity: null })).toMatchObject({ seen: ['5', '6', '7'] })
    expect([await read('Transactions'), await read('Accounts')]).toEqual([
      inOrder([['3'], ['7']]),
      inOrder([
        ['1', '2'],
        ['5', '6'],
      ]),
    ])
  })

  it('sees a record with where it is from', async () => {
    const { items } = await readChanges(database, instanceId, null, { companyId: books.companyId, entity: 'Accounts' }, 1)
    const { instanceId: _, runId: _run, ...of } = books
    expect(items).toEqual([
      {
        cleared: null,
        record: {
          ...{
            ...of,
            position: '1',
            placeId: null,
            category: 'Banking',
            entity: 'Accounts',
            id: idOf(1),
            from: '-infinity',
            deleted: false,
          },
          ...{ publishedAt: AT, doc: '{"n":1}' },
        },
      },
    ])
  })

  it('does not go on from another feed, or from what is no longer kept', async () => {
    const { at } = await readAll(null, 9)
    const refused = (other: Partial<ChangePosition>) =>
      readChanges(database, instanceId, { ...at, ...other } as ChangePosition, NO_FILTER, 9).then(
        () => null,
        (error: unknown) => (error instanceof LostPosition ? error.why : error),
      )
    expect([await refused({ feedId: randomUUID() }), await refused({ position: '7' }), await refused({})]).toEqual([
      'foreign',
      'restored',
      null,
    ])
    await database.query(
      `insert into placed_changes (instance_id, position, company_id, service_id, connection_id, kind, until) values ($1, 2, $2, $3, $4, 'all', now())`,
      [instanceId, books.companyId, books.serviceId, books.connectionId],
    )
    await database.query('update change_feeds set position = 2 where instance_id = $1', [instanceId])
    expect(await refused({})).toBe('expired')
  })
})
