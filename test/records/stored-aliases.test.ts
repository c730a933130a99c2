import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import {
  aliasMovements,
  findAliases,
  insertAliases,
  listFreshWindows,
  stageStaleMovements,
} from '../../src/store/records/record-aliases.ts'
import { addBooks, addRun, addVersion, type Books, idOf, minutesAfter, SHAPES, storeForTests } from './record-store.ts'

describe.each(SHAPES)('transactions of an account that its source has renamed, with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    await addRun(database, books, { id: randomUUID(), state: 'failed' })
    await inTransaction(database, (db) =>
      insertAliases(db, books, 'Accounts', [{ origId: 'new account', id: idOf(99), keptOrigId: 'kept' }]),
    )
  })

  const movement = (origId: string, other: object = {}) => ({
    ...{ origId, accountOrigId: 'kept', postedOn: '2026-11-10', transactionOn: null, amount: '5.00', debit: null, credit: null },
    ...{ currency: 'CAD', isPending: false, description: 'Coffee', ...other },
  })
  const stage = async (n: number, doc: object | null, pageId = idOf(70), runId = books.runId) =>
    await database.query(
      `insert into staged_records (instance_id, run_id, company_id, entity, id, seq, orig_id, doc, raw_page_id) values ($1, $2, $3, 'Transactions', $4, 1, $5, $6, $7)`,
      [books.instanceId, runId, books.companyId, idOf(n), `orig ${n}`, doc && JSON.stringify(doc), pageId],
    )
  const publish = (n: number, doc: object, other: { deleted?: boolean; rawPageId?: string } = {}) =>
    addVersion(database, books, { id: idOf(n), entity: 'Transactions', origId: `orig ${n}`, doc, rawIndex: n, ...other })
  const staged = async () =>
    (
      await database.query(
        `select id, seq, doc is null as "isRemoval", orig_id as "origId", raw_page_id as "rawPageId", raw_index as "rawIndex", company_id as "companyId" from staged_records where run_id = $1 order by id`,
        [books.runId],
      )
    ).rows
  const match = () => inTransaction(database, (db) => aliasMovements(db, books, books.runId))

  it('begin where the run lists the first of them under a new id', async () => {
    await publish(1, movement('one'))
    for (const [n, day] of [
      [1, '2026-11-01'],
      [2, '2026-11-12'],
      [3, '2026-11-11'],
    ] as const)
      await stage(n, movement(`new ${n}`, { postedOn: day }))
    await stage(4, movement('new 4', { postedOn: null, transactionOn: '2026-11-13' }))
    await stage(5, movement('new 5', { accountOrigId: 'another', postedOn: '2026-11-02' }))
    await stage(6, null)
    const windows = () => inTransaction(database, (db) => listFreshWindows(db, books, books.runId))
    expect(await windows()).toEqual([{ account: 'kept', from: '2026-11-11' }])
    await database.query('delete from staged_records where run_id = $1', [books.runId])
    expect(await windows()).toEqual([])
  })

  it('are matched one to one by account, day, amount and description', async () => {
    const pages = [idOf(71), idOf(72)]
    // Two equal ones stay two; the active one is matched first.
    await publish(1, movement('one'), { deleted: true })
    await publish(2, movement('two'))
    await publish(3, movement('three', { amount: '6.00' }))
    await publish(4, movement('four', { description: 'Tea' }))
    await stage(11, movement('new 11'), pages[0])
    await stage(12, movement('new 12'), pages[1])
    await stage(13, movement('new 13'), pages[1])
    await stage(14, movement('new 14', { amount: '6.00' }), pages[1])
    await stage(15, movement('new 15', { description: 'Teapot' }))
    const { count, rawPageIds } = await match()
    expect([count, rawPageIds.toSorted()]).toEqual([3, pages])
    const aliases = await findAliases(
      database,
      books,
      'Transactions',
      [11, 12, 13, 14, 15].map((n) => `orig ${n}`),
    )
    expect(aliases.toSorted((a, b) => (a.origId < b.origId ? -1 : 1))).toEqual([
      { origId: 'orig 11', id: idOf(2), keptOrigId: 'two' },
      { origId: 'orig 12', id: idOf(1), keptOrigId: 'one' },
      { origId: 'orig 14', id: idOf(3), keptOrigId: 'three' },
    ])
    expect((await staged()).map(({ id }) => id)).toEqual([13, 15].map(idOf))
    // What has been matched is left out the next time.
    expect(await match()).toEqual({ count: 0, rawPageIds: [] })
  })

  it('of an account that was not renamed are left alone', async () => {
    await publish(1, movement('one', { accountOrigId: 'another' }))
    await stage(11, movement('new 11', { accountOrigId: 'another' }))
    expect(await match()).toEqual({ count: 0, rawPageIds: [] })
    expect(await staged()).toHaveLength(1)
  })

  it('end when they are no longer listed: from the first day of the window on, and pending ones', async () => {
    await publish(1, movement('one', { postedOn: '2026-11-09' }))
    await publish(2, movement('two', { postedOn: '2026-11-10' }), { rawPageId: idOf(71) })
    await publish(3, movement('three', { postedOn: '2026-11-09', isPending: true }))
    await publish(4, movement('four', { postedOn: '2026-11-11' }), { deleted: true })
    await publish(5, movement('five', { postedOn: '2026-11-11' }))
    await publish(6, movement('six', { postedOn: '2026-11-11', accountOrigId: 'another' }))
    // Published after the account was renamed: under its new id.
    await addVersion(database, books, {
      id: idOf(7),
      entity: 'Transactions',
      doc: movement('seven'),
      validFrom: minutesAfter(60 * 24 * 365 * 40),
    })
    await stage(5, movement('five'))
    const end = (windows: { account: string; from: string | null }[]) =>
      inTransaction(database, (db) => stageStaleMovements(db, books, books.runId, windows))
    await end([])
    await end([{ account: 'unknown', from: '2026-01-01' }])
    expect(await staged()).toHaveLength(1)
    await end([{ account: 'kept', from: '2026-11-10' }])
    const removal = { seq: '0', isRemoval: true, companyId: books.companyId }
    expect((await staged()).filter(({ isRemoval }) => isRemoval)).toEqual([
      { id: idOf(2), origId: 'orig 2', rawPageId: idOf(71), rawIndex: 2, ...removal },
      { id: idOf(3), origId: 'orig 3', rawPageId: null, rawIndex: 3, ...removal },
    ])
    expect(await staged()).toHaveLength(3)
  })

  it('without a first day end only where they were pending', async () => {
    await publish(1, movement('one'))
    await publish(2, movement('two', { isPending: true }))
    await inTransaction(database, (db) => stageStaleMovements(db, books, books.runId, [{ account: 'kept', from: null }]))
    expect((await staged()).map(({ id }) => id)).toEqual([idOf(2)])
  })
})
