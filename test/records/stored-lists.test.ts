import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { FIRST_ID } from '../../src/model/values/first-id.ts'
import type { Database } from '../../src/store/db/database.ts'
import type { Filter, Selection } from '../../src/store/db/list-selection.ts'
import { listBankAccountsOfCompany, listNewestMovements } from '../../src/store/records/company-accounts.ts'
import { type ListPin, pinList, readPinnedPiece } from '../../src/store/records/pinned-lists.ts'
import { readPinnedRecords } from '../../src/store/records/pinned-records.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { findRecordVersion } from '../../src/store/records/record-history.ts'
import { NATURAL_ORDER, type RecordView, readRecordPage } from '../../src/store/records/record-pages.ts'
import { raiseVersionHorizon } from '../../src/store/retention/version-horizon.ts'
import { AT, addBooks, addPublication, addVersion, type Books, idOf, minutesAfter, SHAPES, storeForTests } from './record-store.ts'

const COLUMNS = recordColumns('Banking', 'Accounts')
const NAMED: Filter = [[{ property: 'accountName', operator: '=', value: 'b' }]]
/** Documents as they are printed: their first property tells them apart. */
const doc = (name: string) => `{"accountName":"${name}"}`
const namesOf = (documents: readonly Buffer[]) => documents.map((document) => JSON.parse(document.toString()).accountName).join('')

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    await database.query('delete from version_horizon')
    books = await addBooks(database)
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  /** At 0 minutes a, b and c are published; at 10 minutes b changes to e and c is deleted; at 20 minutes d is new. */
  const publish = async (): Promise<void> => {
    const changed = minutesAfter(10)
    await addVersion(database, books, { id: idOf(1), sortKey: '3', doc: doc('a') })
    await addVersion(database, books, { id: idOf(2), sortKey: '2', doc: doc('b'), validTo: changed })
    await addVersion(database, books, { id: idOf(2), sortKey: '2', doc: doc('e'), validFrom: changed })
    await addVersion(database, books, { id: idOf(3), sortKey: '1', doc: doc('c'), validTo: changed })
    await addVersion(database, books, { id: idOf(3), sortKey: '1', doc: doc('x'), validFrom: changed, deleted: true })
    await addVersion(database, books, { id: idOf(4), sortKey: '0', doc: doc('d'), validFrom: minutesAfter(20) })
    await addVersion(database, books, { id: idOf(5), sortKey: '9', doc: doc('t'), entity: 'Transactions' })
    await addVersion(database, neighbour, { id: idOf(6), doc: doc('n') })
    await addPublication(database, books, { publishedAt: minutesAfter(20), accounts: 33, transactions: 44, version: 5 })
    if (isDistributed) await database.query('update publications set first_published_at = $2 where company_id = $1', [books.companyId, AT])
  }

  const read = async (
    view: RecordView,
    selection: Partial<Selection> = {},
    entity: 'Accounts' | 'Transactions' = 'Accounts',
    of = books,
  ) => {
    const wanted = { filter: [], orderBy: NATURAL_ORDER, descending: false, limit: 10, offset: 0, ...selection }
    return await readRecordPage(database, of, entity, wanted, view, COLUMNS, ({ documents, ...page }) => ({
      ...page,
      names: namesOf(documents),
    }))
  }

  it.each([
    ['in order of their sort keys', {}, {}, 'dea', 33],
    ['downwards', {}, { descending: true }, 'aed', 33],
    ['page by page', {}, { limit: 1, offset: 1 }, 'e', 33],
    ['in another order', {}, { orderBy: 'accountName' }, 'ade', 33],
    ['in another order downwards', {}, { orderBy: 'accountName', descending: true }, 'eda', 33],
    ['with deleted ones', { includeDeleted: true }, {}, 'dxea', 4],
    ['that changed', { modifiedSince: minutesAfter(10) }, {}, 'de', 2],
    ['that changed, with deleted ones', { modifiedSince: minutesAfter(10), includeDeleted: true }, {}, 'dxe', 3],
    ['by a filter', {}, { filter: NAMED }, '', 0],
    ['by a filter as of then', { asOf: minutesAfter(9) }, { filter: NAMED }, 'b', 1],
  ])('records are read %s', async (_which, view, selection, names, total) => {
    await publish()
    expect(await read(view, selection)).toEqual({
      publication: { version: '5', publishedAt: minutesAfter(20), accounts: 33, transactions: 44 },
      shownPublishedAt: 'asOf' in view ? AT : minutesAfter(20),
      ...{ names, total },
    })
  })

  it.each([
    ['before the first publication', -1, '', null],
    ['at the first', 0, 'cba', 0],
    ['before the second', 9, 'cba', 0],
    ['at the second', 10, 'ea', 10],
    ['at the last', 20, 'dea', 20],
    ['later', 99, 'dea', 20],
  ])('as of an instant %s, with the publication current then', async (_which, minutes, names, shownMinutes) => {
    await publish()
    const asOf = minutesAfter(minutes)
    const page = await read({ asOf })
    expect(page).toMatchObject({ names, total: names.length, shownPublishedAt: shownMinutes === null ? null : minutesAfter(shownMinutes) })
    expect((await read({ asOf, includeDeleted: true }))?.names).toBe(minutes === 10 ? 'xea' : minutes > 10 ? 'dxea' : names)
  })

  it('a publication without records shows its time, as of then too', async () => {
    await addPublication(database, books)
    expect(await read({})).toMatchObject({ names: '', total: 0, shownPublishedAt: AT })
    expect(await read({ asOf: minutesAfter(1) })).toMatchObject({ names: '', total: 0, shownPublishedAt: AT })
    expect(await read({ asOf: minutesAfter(-1) })).toMatchObject({ shownPublishedAt: null })
  })

  it('each kind has its own records and total; where nothing is published there is no page', async () => {
    await publish()
    expect(await read({}, {}, 'Transactions')).toMatchObject({ names: 't', total: 44 })
    expect(await read({}, {}, 'Accounts', neighbour)).toBe(null)
    expect(await read({}, {}, 'Accounts', { ...books, instanceId: neighbour.instanceId })).toBe(null)
  })

  const pinned = async (asOf: Date | null = null): Promise<ListPin> =>
    (await pinList(database, books, asOf)) ?? expect.fail('nothing is published')
  const piece = async (
    pin: ListPin,
    other: { after?: string; limit?: number; filter?: Filter; view?: Pick<RecordView, 'modifiedSince' | 'includeDeleted'> } = {},
  ) => {
    const { after = FIRST_ID, limit = 10, filter = [], view = {} } = other
    return await readPinnedPiece(database, books, pin, { entity: 'Accounts', filter, columns: COLUMNS, view, limit }, after, namesOf)
  }

  it('a list is pinned to a publication, or to that of an instant', async () => {
    expect(await pinList(database, books, null)).toBe(null)
    await publish()
    const pin = await pinned()
    expect([new Date(pin.shownAt), new Date(pin.firstPublishedAt ?? ''), pin.accounts, pin.transactions]).toEqual([
      minutesAfter(20),
      AT,
      33,
      44,
    ])
    expect(new Date(pin.keptFrom).getTime()).toBeGreaterThan(AT.getTime())
    const earlier = await pinned(minutesAfter(5))
    expect([new Date(earlier.shownAt), new Date(earlier.keptFrom)]).toEqual([minutesAfter(5), minutesAfter(5)])
  })

  it('a pinned list is read in pieces in order of ids, whatever is published meanwhile', async () => {
    await publish()
    const pin = await pinned(minutesAfter(15))
    expect(await piece(pin)).toEqual({ written: 'ae', lastId: idOf(2), isLast: true })
    expect(await piece(pin, { limit: 1 })).toEqual({ written: 'a', lastId: idOf(1), isLast: false })
    expect(await piece(pin, { limit: 1, after: idOf(1) })).toEqual({ written: 'e', lastId: idOf(2), isLast: false })
    expect(await piece(pin, { after: idOf(2) })).toEqual({ written: '', lastId: idOf(2), isLast: true })
    expect(await piece(pin, { view: { includeDeleted: true } })).toEqual({ written: 'aex', lastId: idOf(3), isLast: true })
    expect(await piece(pin, { view: { modifiedSince: minutesAfter(10) } })).toMatchObject({ written: 'e', lastId: idOf(2) })
    expect(await piece(await pinned())).toMatchObject({ written: 'aed' })
    expect(await piece(await pinned(minutesAfter(9)))).toMatchObject({ written: 'abc' })
    // A filter keeps any number of the records that were examined.
    expect(await piece(await pinned(minutesAfter(9)), { filter: NAMED, limit: 2 })).toEqual({
      written: 'b',
      lastId: idOf(2),
      isLast: false,
    })
    expect(await piece(pin, { filter: NAMED })).toEqual({ written: '', lastId: idOf(2), isLast: true })
  })

  it('a pinned list ends when another connection publishes, or versions of it are deleted', async () => {
    await publish()
    const pin = await pinned(minutesAfter(15))
    expect(await piece({ ...pin, firstPublishedAt: minutesAfter(1).toISOString() })).toBe(null)
    expect(await piece({ ...pin, firstPublishedAt: null })).toBe(null)
    await raiseVersionHorizon(database, minutesAfter(15))
    expect(await piece(pin)).toMatchObject({ written: 'ae' })
    await raiseVersionHorizon(database, minutesAfter(16))
    expect(await piece(pin)).toBe(null)
  })

  it('records of a publication are read with their ids, a line each', async () => {
    await publish()
    const lines = async (publishedAt: Date, after = FIRST_ID, limit = 10) => {
      const read = await readPinnedRecords(database, books, { entity: 'Accounts', publishedAt: publishedAt.toISOString(), after, limit })
      return { ...read, lines: Buffer.from(read.lines).toString() }
    }
    const line = (n: number, name: string) => `${idOf(n)}${doc(name)}\n`
    expect(await lines(minutesAfter(15))).toEqual({ lines: line(1, 'a') + line(2, 'e'), count: 2, lastId: idOf(2) })
    expect(await lines(minutesAfter(5), idOf(1), 1)).toEqual({ lines: line(2, 'b'), count: 1, lastId: idOf(2) })
    expect(await lines(minutesAfter(5), idOf(3))).toEqual({ lines: '', count: 0, lastId: null })
  })

  it.each([
    ['now', [2], null, 'e', 10],
    ['as of then', [2], 9, 'b', 0],
    ['by the first id that has a version', [9, 1, 2], null, 'a', 0],
    ['by the first id of two', [2, 1], null, 'e', 10],
    ['deleted', [3], null, 'x', 10],
  ])('a version is found with its origin: %s', async (_which, ids, minutes, name, fromMinutes) => {
    await publish()
    const wanted = { entity: 'Accounts' as const, ids: ids.map(idOf), asOf: minutes === null ? null : minutesAfter(minutes) }
    expect(await findRecordVersion(database, books, wanted)).toEqual({
      ...{ id: expect.any(String), origId: expect.stringMatching(/^orig /), validFrom: minutesAfter(fromMinutes), doc: doc(name) },
      ...{ validTo: name === 'b' ? minutesAfter(10) : null, deleted: name === 'x', rawPageId: null, rawIndex: 0, mappingVersion: 1 },
      ...{ connectionId: books.connectionId, runId: books.runId, runReason: 'first', runStartedAt: AT },
    })
  })

  it('a version of what is not published is not found, nor one that did not exist then', async () => {
    await publish()
    const wanted = { entity: 'Accounts' as const, ids: [idOf(2)], asOf: minutesAfter(-1) }
    expect(await findRecordVersion(database, books, wanted)).toBe(null)
    expect(await findRecordVersion(database, books, { ...wanted, ids: [idOf(6)], asOf: null })).toBe(null)
    expect(await findRecordVersion(database, neighbour, { ...wanted, ids: [idOf(6)], asOf: null })).toBe(null)
  })

  it('bank accounts of a company are those published at all its banks', async () => {
    await publish()
    const at = { instanceId: books.instanceId, companyId: books.companyId }
    const before = await addBooks(database, { ...at, serviceId: FIRST_ID.replace(/0$/, '1') })
    const accounting = await addBooks(database, { ...at, category: 'Accounting' })
    const unpublished = await addBooks(database, at)
    for (const [n, each] of [before, accounting, unpublished].entries())
      await addVersion(database, each, { id: idOf(n + 7), doc: doc(`o${n}`), rawPageId: idOf(99), rawIndex: 8 })
    for (const each of [before, accounting]) await addPublication(database, each)
    const first = {
      id: idOf(7),
      serviceId: before.serviceId,
      connectionId: before.connectionId,
      doc: doc('o0'),
      rawPageId: idOf(99),
      rawIndex: 8,
    }
    const account = (n: number, name: string) => ({
      ...{ id: idOf(n), serviceId: books.serviceId, connectionId: books.connectionId, doc: doc(name), rawPageId: null, rawIndex: 0 },
    })
    expect(await listBankAccountsOfCompany(database, at, null)).toEqual([first, account(4, 'd'), account(2, 'e'), account(1, 'a')])
    expect(await listBankAccountsOfCompany(database, at, minutesAfter(9))).toEqual([
      first,
      account(3, 'c'),
      account(2, 'b'),
      account(1, 'a'),
    ])
    expect(await listBankAccountsOfCompany(database, at, minutesAfter(-1))).toEqual([])
    expect(await listBankAccountsOfCompany(database, { ...at, instanceId: neighbour.instanceId }, null)).toEqual([])
  })

  it('the newest booked transactions are compared by account, day, amount and text', async () => {
    const movement = (n: number, properties: object, deleted = false) =>
      addVersion(database, books, {
        id: idOf(n),
        entity: 'Transactions',
        sortKey: String(n),
        deleted,
        doc: { accountOrigId: 'acc', amount: '1.00', isPending: false, ...properties },
      })
    await movement(1, { postedOn: '2026-11-01', description: 'Rent', counterparty: 'Landlord' })
    await movement(2, { postedOn: null, transactionOn: '2026-11-02', description: 'Coffee', counterparty: null })
    await movement(3, { postedOn: '2026-11-03', isPending: true })
    await movement(4, { postedOn: null, transactionOn: null })
    await movement(5, { postedOn: '2026-11-05' }, true)
    await movement(6, { postedOn: '2026-11-06', transactionOn: '2026-11-05', amount: '2.00' })
    const found = (day: string, amount: string, text: string) => ({ accountOrigId: 'acc', day, amount, text })
    expect(await listNewestMovements(database, books, 9)).toEqual([
      found('2026-11-06', '2.00', ''),
      found('2026-11-02', '1.00', 'Coffee'),
      found('2026-11-01', '1.00', 'Rent Landlord'),
    ])
    expect(await listNewestMovements(database, books, 1)).toHaveLength(1)
    expect(await listNewestMovements(database, { ...books, serviceId: randomUUID() }, 9)).toEqual([])
  })
})
