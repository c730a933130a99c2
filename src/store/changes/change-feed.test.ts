import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { AT, addBooks, addPublication, type Books, minutesAfter, SHAPES, storeForTests } from '../../../test/records/record-store.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { closePublication, raisePublication } from '../records/publications.ts'
import { deleteOldNotes, deleteOldPlaces, findHead, findLoss, listFeeds } from './change-feed.ts'
import { listPlaces } from './changed-records.ts'
import { placeChanges } from './place-changes.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  let instanceId = ''
  beforeEach(async () => {
    database = test.database
    for (const table of ['unplaced_publications', 'change_feeds', 'placed_changes', 'placed_publications', 'publications'])
      await database.query(`delete from ${table}`)
    await database.query('delete from unplaced_publications')
    books = await addBooks(database, { createdAt: minutesAfter(-60) })
    instanceId = books.instanceId
    neighbour = await addBooks(database)
    for (const each of [books, neighbour]) await addPublication(database, each)
  })

  const raise = (of: Books, minutes: number) =>
    inTransaction(database, (db) => raisePublication(db, of, { at: minutesAfter(minutes), isFirst: false }, 0))
  const close = (of: Books) => inTransaction(database, (db) => closePublication(db, of, 0))
  const places = async () =>
    (
      await database.query(
        `select position, company_id as "companyId", connection_id as "connectionId", kind, after, until from placed_changes where instance_id = $1 order by position`,
        [instanceId],
      )
    ).rows
  const noted = async (of = instanceId) => (await database.query('select from unplaced_publications where instance_id = $1', [of])).rowCount
  const placeOf = (position: number, of: Books, kind: string, after: number | null, until: number | null) => ({
    ...{ position: String(position), companyId: of.companyId, connectionId: of.connectionId, kind },
    ...{ after: after === null ? null : minutesAfter(after), until: until === null ? null : minutesAfter(until) },
  })

  it('a feed begins with what is published then, and has no places yet', async () => {
    expect([await findHead(database, instanceId), await listFeeds(database)]).toEqual([null, []])
    const head = await placeChanges(database, instanceId)
    const known = { feedId: expect.any(String), position: '0', placeId: null, isCompared: true }
    expect(head).toEqual({ ...known, isCurrent: true })
    expect([await places(), await noted(), await listFeeds(database), await findHead(database, instanceId)]).toEqual([
      [],
      0,
      [instanceId],
      known,
    ])
    const { rows } = await database.query(
      'select instance_id as "instanceId", company_id as "companyId", connection_id as "connectionId" from placed_publications',
    )
    expect(rows).toEqual([{ instanceId, companyId: books.companyId, connectionId: books.connectionId }])
    // What a neighbour has noted stays for its own feed.
    await raise(neighbour, 1)
    await placeChanges(database, instanceId)
    expect((await noted(neighbour.instanceId)) ?? 0).toBeGreaterThan(0)
  })

  it('a publication after that has a place, once, and its note is gone', async () => {
    const before = await placeChanges(database, instanceId)
    await raise(books, 5)
    const head = await placeChanges(database, instanceId)
    expect([await places(), await noted()]).toEqual([[placeOf(1, books, 'some', 0, 5)], 0])
    expect(head).toMatchObject({ feedId: before.feedId, position: '1', placeId: expect.any(String) })
    expect(await placeChanges(database, instanceId)).toEqual(head)
    await raise(books, 6)
    await raise(books, 7)
    await placeChanges(database, instanceId)
    expect(await places()).toEqual([placeOf(1, books, 'some', 0, 5), placeOf(2, books, 'some', 5, 7)])
  })

  it('the end of a publication has a place, as does what another connection publishes in its stead', async () => {
    await placeChanges(database, instanceId)
    await database.query('update connections set status = 26 where id = $1', [books.connectionId])
    const next = await addBooks(database, { ...books, connectionId: randomUUID(), createdAt: AT })
    await raise(next, 5)
    await placeChanges(database, instanceId)
    expect(await places()).toEqual([placeOf(1, books, 'none', null, null), placeOf(2, next, 'all', null, 5)])
    await close(next)
    await placeChanges(database, instanceId)
    expect((await places()).slice(2)).toEqual([placeOf(3, next, 'none', null, null)])
    expect((await database.query('select from placed_publications where instance_id = $1', [instanceId])).rowCount).toBe(0)
    // New data there begins anew.
    await raise(next, 9)
    await placeChanges(database, instanceId)
    expect((await places()).slice(3)).toEqual([placeOf(4, next, 'all', null, 9)])
  })

  if (isDistributed)
    it('a note stays until the nodes show its change', async () => {
      await placeChanges(database, instanceId)
      const note = (version: number, isRemoved: boolean) =>
        database.query(
          'insert into unplaced_publications (instance_id, company_id, service_id, version, is_removed) values ($1, $2, $3, $4, $5)',
          [instanceId, books.companyId, books.serviceId, version, isRemoved],
        )
      // The publication has version 1: a change to 2 is on its way, as is the removal of 1.
      for (const [version, isRemoved] of [
        [2, false],
        [1, true],
      ] as const) {
        await database.query('delete from unplaced_publications')
        await note(version, isRemoved)
        await placeChanges(database, instanceId)
        expect([await noted(), await places()]).toEqual([1, []])
      }
      await database.query('delete from unplaced_publications')
      await note(1, false)
      await note(0, true)
      await placeChanges(database, instanceId)
      expect(await noted()).toBe(0)
      // Nothing is there: only notes up to a removal that is noted, too, are settled.
      await database.query('delete from publications where company_id = $1', [books.companyId])
      await note(2, false)
      await placeChanges(database, instanceId)
      expect(await noted()).toBe(1)
      await note(2, true)
      await note(3, false)
      await placeChanges(database, instanceId)
      const { rows } = await database.query('select version from unplaced_publications')
      expect(rows).toEqual([{ version: '3' }])
      expect(await places()).toEqual([placeOf(1, books, 'none', null, null)])
    })

  it('notes of instances without a feed go after a day, the oldest first', async () => {
    await placeChanges(database, instanceId)
    await database.query('delete from unplaced_publications')
    for (const [of, hours] of [
      [instanceId, 99],
      [neighbour.instanceId, 25],
      [neighbour.instanceId, 26],
      [neighbour.instanceId, 23],
    ] as const)
      await database.query(
        `insert into unplaced_publications (instance_id, company_id, service_id, noted_at) values ($1, $2, $2, clock_timestamp() - make_interval(hours => $3))`,
        [of, randomUUID(), hours],
      )
    expect(await deleteOldNotes(database, 1)).toBe(1)
    const left = async () =>
      (
        await database.query(
          `select round(extract(epoch from clock_timestamp() - noted_at) / 3600)::int as hours from unplaced_publications order by 1`,
        )
      ).rows.map(({ hours }) => hours)
    expect(await left()).toEqual([23, 25, 99])
    expect([await deleteOldNotes(database, 9), await deleteOldNotes(database, 9), await left()]).toEqual([1, 0, [23, 99]])
  })

  /** Places with their positions, so many days old. */
  const addPlaces = async (days: readonly number[], of = books) => {
    for (const [at, age] of days.entries())
      await database.query(
        `insert into placed_changes (instance_id, position, company_id, service_id, connection_id, kind, until, placed_at) values ($1, $2, $3, $4, $5, 'all', now(), now() - make_interval(days => $6))`,
        [of.instanceId, at + 1, of.companyId, of.serviceId, of.connectionId, age],
      )
    await database.query('update change_feeds set position = $2 where instance_id = $1', [of.instanceId, days.length])
  }

  it.each([
    [
      [100, 95, 92, 10],
      [3, 4],
    ],
    [[100, 95, 92], [3]],
    [
      [100, 10, 100],
      [1, 2, 3],
    ],
    [
      [10, 5],
      [1, 2],
    ],
  ])('places of %j days go from the beginning, once their successors are old: %j stay', async (days, left) => {
    await placeChanges(database, instanceId)
    await placeChanges(database, neighbour.instanceId)
    await addPlaces(days)
    await addPlaces([10], neighbour)
    await deleteOldPlaces(database, 90)
    expect((await places()).map(({ position }) => Number(position))).toEqual(left)
    expect((await database.query('select from placed_changes where instance_id = $1', [neighbour.instanceId])).rowCount).toBe(1)
  })

  it('reading goes on from places that are there, of this history', async () => {
    await placeChanges(database, instanceId)
    const loss = (position: string, placeId: string | null, of = instanceId) => findLoss(database, of, { position, placeId })
    expect([await loss('0', null), await loss('1', null), await loss('0', null, randomUUID())]).toEqual([null, 'restored', 'restored'])
    await addPlaces([3, 2, 1])
    const { rows } = await database.query<{ id: string }>('select id from placed_changes where instance_id = $1 order by position', [
      instanceId,
    ])
    const [first = '', second = '', third = ''] = rows.map(({ id }) => id)
    expect([
      await loss('3', third),
      await loss('1', first),
      await loss('2', third),
      await loss('2', null),
      await loss('4', third),
      await loss('0', null),
    ]).toEqual([null, null, 'restored', 'restored', 'restored', null])
    await database.query('delete from placed_changes where position = 1')
    expect([await loss('0', null), await loss('1', first), await loss('2', second)]).toEqual(['expired', 'expired', null])
  })

  it('places are listed from a position to another, those of a company alone', async () => {
    await placeChanges(database, instanceId)
    await addPlaces([1, 1, 1, 1])
    const company = randomUUID()
    await database.query('update placed_changes set company_id = $1 where position = 3', [company])
    const list = async (position: string, isOpen: boolean, until: string, companyId: string | null = null, limit = 9) =>
      (await listPlaces(database, instanceId, { position, isOpen, until }, { companyId, entity: null }, limit))
        .map((place) => place.position)
        .join('')
    expect([
      await list('1', false, '4'),
      await list('1', true, '4'),
      await list('1', true, '3'),
      await list('0', false, '4', null, 2),
    ]).toEqual(['234', '1234', '123', '12'])
    expect([await list('0', false, '9', company), await list('0', false, '9', randomUUID())]).toEqual(['3', ''])
  })
})
