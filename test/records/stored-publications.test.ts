import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { insertExport } from '../../src/store/exports/exports.ts'
import {
  announceChange,
  changeWaitMs,
  consumeAnnouncement,
  isAnnounced,
  listPublicationChanges,
  NotAnnounced,
} from '../../src/store/records/publication-changes.ts'
import { toPublicationKey } from '../../src/store/records/publication-key.ts'
import { closePublication, findPublication, findVersions, raisePublication } from '../../src/store/records/publications.ts'
import { AT, addBooks, addPublication, addVersion, type Books, idOf, minutesAfter, SHAPES, storeForTests } from './record-store.ts'

const LEASE_MS = 250

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  const raise = (isFirst: boolean, at = AT) => inTransaction(database, (db) => raisePublication(db, books, { at, isFirst }, 0))
  const notes = async (table: string, columns: string) =>
    (await database.query(`select ${columns} from ${table} where company_id = $1 order by noted_at, id`, [books.companyId])).rows

  it('a publication counts the records that readers see, and no others', async () => {
    await addVersion(database, books, { id: idOf(1) })
    await addVersion(database, books, { id: idOf(2), deleted: true })
    await addVersion(database, books, { id: idOf(3), validTo: AT })
    for (const n of [4, 5]) await addVersion(database, books, { id: idOf(n), entity: 'Transactions' })
    await addVersion(database, neighbour, { id: idOf(6) })
    await raise(true)
    const version = expect.stringMatching(/^\d{16}$/)
    expect(await findPublication(database, books)).toEqual({ version, publishedAt: AT, accounts: 1, transactions: 2 })
    expect(await findPublication(database, neighbour)).toBe(null)
  })

  it('each publication has a higher version, also where the clock has gone back', async () => {
    await raise(true)
    await database.query('update publications set version = 9000000000000000 where company_id = $1', [books.companyId])
    await raise(false, minutesAfter(1))
    expect(await findPublication(database, books)).toMatchObject({ version: '9000000000000001', publishedAt: minutesAfter(1) })
  })

  it('what the feed and the search have to read again is noted with the change', async () => {
    await raise(true)
    const { version } = (await findPublication(database, books)) ?? expect.fail('nothing is published')
    await inTransaction(database, (db) => closePublication(db, books, 0))
    await inTransaction(database, (db) => closePublication(db, books, 0))
    expect(await findPublication(database, books)).toBe(null)
    const of = { serviceId: books.serviceId, instanceId: books.instanceId }
    const each = 'service_id as "serviceId", instance_id as "instanceId"'
    expect(await notes('unplaced_publications', isDistributed ? `${each}, version, is_removed as "isRemoved"` : each)).toEqual(
      isDistributed ? [false, true].map((isRemoved) => ({ ...of, version, isRemoved })) : [of, of],
    )
    // On a cluster once more after the commit, which the nodes may show later than the coordinator.
    expect(await notes('unindexed_publications', each)).toEqual((isDistributed ? [1, 2, 3, 4] : [1, 2]).map(() => of))
  })

  if (isDistributed)
    it('a publication keeps when its connection first published', async () => {
      const first = async () =>
        (await database.query('select first_published_at as at from publications where company_id = $1', [books.companyId])).rows
      await raise(true, minutesAfter(5))
      expect(await first()).toEqual([{ at: minutesAfter(5) }])
      await raise(false, minutesAfter(9))
      expect(await first()).toEqual([{ at: AT }])
      await database.query('delete from connections where id = $1', [books.connectionId])
      await raise(false, minutesAfter(9))
      expect(await first()).toEqual([{ at: null }])
    })

  it('an export of data that is no longer published is erased, those of others stay', async () => {
    const ids = { own: randomUUID(), other: randomUUID() }
    for (const each of [books, neighbour]) await addPublication(database, each)
    const wanted = { category: 'Banking', entity: 'Accounts', format: 'csv', requestedBy: 'a', companyId: null } as const
    await inTransaction(database, (db) => insertExport(db, { ...wanted, instanceId: books.instanceId, id: ids.own }))
    await inTransaction(database, (db) => insertExport(db, { ...wanted, instanceId: neighbour.instanceId, id: ids.other }))
    await inTransaction(database, (db) => closePublication(db, books, 0))
    const { rows } = await database.query('select id, state from exports where id = any($1) order by state', [Object.values(ids)])
    expect(rows).toEqual([
      { id: ids.own, state: 'erased' },
      { id: ids.other, state: 'waiting' },
    ])
  })

  it('versions of many publications are found at once; of unknown ones there is none', async () => {
    const unknown = { ...books, serviceId: randomUUID() }
    await addPublication(database, books, { version: 7 })
    await addPublication(database, neighbour, { version: 8 })
    expect(await findVersions(database, [books, unknown, neighbour].map(toPublicationKey))).toEqual(
      new Map([
        [toPublicationKey(books), '7'],
        [toPublicationKey(neighbour), '8'],
      ]),
    )
    expect(await findVersions(database, [toPublicationKey(unknown)])).toEqual(new Map())
  })

  const announced = async (ageMs: number) => {
    await announceChange(database, books)
    await database.query(
      `update publication_changes set announced_at = clock_timestamp() - make_interval(secs => $2::float8 / 1000) where key = $1`,
      [toPublicationKey(books), ageMs],
    )
  }
  const consume = async (leaseMs = LEASE_MS) =>
    await inTransaction(database, (db) => consumeAnnouncement(db, books, leaseMs)).then(
      () => 'made',
      (error: unknown) => (error instanceof NotAnnounced && error.scope === books ? 'refused' : error),
    )

  it.each([
    ['is too young', 0, 'refused', false],
    ['no process can have missed', 5_000, 'made', true],
    ['is soon too old to begin with', 320_000, 'made', false],
    ['is too old', 601_000, 'refused', false],
  ])('an announcement that %s: the change is %3$s', async (_which, ageMs, expected, isUsable) => {
    await addPublication(database, books)
    await announced(ageMs)
    expect(await isAnnounced(database, books, LEASE_MS)).toBe(isUsable)
    expect(await consume()).toBe(expected)
    // It is used once.
    expect(await consume()).toBe('refused')
  })

  it('neither a first publication nor a deployment without a cache needs an announcement', async () => {
    expect([await isAnnounced(database, books, LEASE_MS), await consume()]).toEqual([true, 'made'])
    await addPublication(database, books)
    expect([await isAnnounced(database, books, 0), await consume(0)]).toEqual([true, 'made'])
    expect([await isAnnounced(database, books, LEASE_MS), await consume()]).toEqual([false, 'refused'])
    // That of a neighbour does not count.
    await announceChange(database, neighbour)
    await database.query(`update publication_changes set announced_at = announced_at - interval '1 minute'`)
    expect([await isAnnounced(database, books, LEASE_MS), await consume()]).toEqual([false, 'refused'])
  })

  it('an unannounced change is not made', async () => {
    await addPublication(database, books, { version: 3 })
    for (const change of [
      (db: Parameters<typeof closePublication>[0]) => closePublication(db, books, LEASE_MS),
      (db: Parameters<typeof closePublication>[0]) => raisePublication(db, books, { at: AT, isFirst: false }, LEASE_MS),
    ])
      await expect(inTransaction(database, change)).rejects.toBeInstanceOf(NotAnnounced)
    expect(await findPublication(database, books)).toMatchObject({ version: '3' })
  })

  it('processes see what is announced and what was just made, with the time in which to ask again', async () => {
    await database.query('delete from publication_changes')
    await addPublication(database, books)
    await announced(5_000)
    await announceChange(database, neighbour)
    const seen = async () => (await listPublicationChanges(database)).changes.map(({ key, isOpen }) => [key, isOpen]).toSorted()
    const open = [books, neighbour].map((each) => [toPublicationKey(each), true])
    expect(await seen()).toEqual(open.toSorted())
    expect(await consume()).toBe('made')
    expect(await seen()).toEqual([[toPublicationKey(books), false], open[1]].toSorted())
    await database.query(`update publication_changes set made_at = made_at - interval '11 seconds'`)
    expect(await seen()).toEqual([open[1]])
    const { server, askAgainWithinMs, changes } = await listPublicationChanges(database)
    expect([server, askAgainWithinMs, changes[0]?.id]).toEqual([
      expect.stringMatching(/^\d{4}-/),
      5_000,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ])
  })

  it('announcements are forgotten after an hour', async () => {
    await announced(3_590_000)
    await announceChange(database, neighbour)
    const count = async () => (await database.query('select from publication_changes where key = $1', [toPublicationKey(books)])).rowCount
    expect(await count()).toBe(1)
    await announced(3_610_000)
    await database.query(`update publication_changes set announced_at = clock_timestamp() - interval '61 minutes' where key = $1`, [
      toPublicationKey(books),
    ])
    await announceChange(database, neighbour)
    expect(await count()).toBe(0)
  })
})

it.each([
  [0, 0],
  [1, 2],
  [250, 275],
])('with a lease of %d ms a change waits %d ms, a tenth longer', (leaseMs, waitMs) => expect(changeWaitMs(leaseMs)).toBe(waitMs))

it('the same company at the same service has another key in another instance', async () => {
  const of = { instanceId: randomUUID(), companyId: randomUUID(), serviceId: randomUUID() }
  expect(toPublicationKey(of)).toBe(`${of.instanceId}/${of.companyId}/${of.serviceId}`)
})
