import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { openRowCounter } from '../../../test/growth/rows-read.ts'
import { addBooks, addCrowdOfVersions, addVersion, type Books, idOf, SHAPES, storeForTests } from '../../../test/records/record-store.ts'
import type { Database } from '../db/database.ts'
import { SEALED_COLUMNS } from '../keys/sealed-columns.ts'
import { type ExportedRow, openInstanceSnapshot } from './instance-export.ts'
import { noteRequestPeaks, readRequestPeak } from './request-peaks.ts'

const test = storeForTests(false)

describe.each(SHAPES)('what an instance has stored, with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    neighbour = await addBooks(database)
  })

  const read = async (name: string): Promise<ExportedRow[]> => {
    const snapshot = await openInstanceSnapshot(database, books.instanceId)
    try {
      const table = snapshot.tables.find((each) => each.name === name) ?? expect.fail(`no table ${name}`)
      const rows = []
      for await (const row of snapshot.listRows(
        table,
        SEALED_COLUMNS.filter((column) => column.table === name),
      ))
        rows.push(row)
      return rows
    } finally {
      snapshot.close()
    }
  }

  it('is read row by row at one point in time, without hashes, and nothing of another instance', async () => {
    for (const each of [books, neighbour]) await addVersion(database, each, { id: idOf(1), doc: { n: 1 } })
    const [found, ...others] = await read('record_versions')
    expect([found?.sealed, others]).toEqual([[], []])
    expect(found?.row).toMatchObject({
      instance_id: books.instanceId,
      connection_id: books.connectionId,
      doc: '{"n":1}',
      entity: 'Accounts',
    })
    expect(Object.keys(found?.row ?? {})).not.toContain('content_hash')
    const snapshot = await openInstanceSnapshot(database, books.instanceId)
    const before = new Date(Date.now() - 60_000)
    expect(snapshot.takenAt > before).toBe(true)
    await addVersion(database, books, { id: idOf(2) })
    const table = snapshot.tables.find(({ name }) => name === 'connections') ?? expect.fail('no table')
    const ids = []
    for await (const { row } of snapshot.listRows(table, [])) ids.push(row.id)
    snapshot.close()
    expect(ids).toEqual([books.connectionId])
  })

  it('has the records of each service once, however often a company was connected to it', async () => {
    const { instanceId, companyId, serviceId } = books
    const ended = await addBooks(database, { instanceId, companyId, serviceId, status: 26 })
    await addVersion(database, ended, { id: idOf(1), validTo: new Date('2001-01-01') })
    await addVersion(database, books, { id: idOf(1) })
    await addVersion(database, books, { id: idOf(2), entity: 'Transactions' })
    const rows = await read('record_versions')
    expect(rows.map(({ row }) => `${row.entity} ${row.orig_id}`).toSorted()).toEqual([
      'Accounts orig 1',
      'Accounts orig 1',
      'Transactions orig 2',
    ])
  })

  it('is read to its end, however many rows there are', async () => {
    await database.query(`insert into jobs (instance_id, kind, key) select $1, 'k', n::text from generate_series(1, 401) n`, [
      books.instanceId,
    ])
    expect(new Set((await read('jobs')).map(({ row }) => row.key)).size).toBe(401)
    await database.query('delete from jobs where instance_id = $1 and key = $2', [books.instanceId, '1'])
    expect(await read('jobs')).toHaveLength(400)
  })

  it('has sealed values with what opens them, and where their bytes lie', async () => {
    const [objectId, here, there] = [randomUUID(), randomUUID(), randomUUID()]
    for (const [id, object] of [
      [here, null],
      [there, objectId],
    ] as const)
      await database.query(
        `insert into raw_pages (instance_id, id, connection_id, company_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes) values ($1, $2, $3, $4, 'a', 0, '2001-01-01', '', 'abc', $5, $6)`,
        [books.instanceId, id, books.connectionId, books.companyId, object, object && 9],
      )
    const found = new Map((await read('raw_pages')).map(({ row, sealed }) => [row.id, sealed]))
    const value = (id: string, object: object | null) => [
      {
        column: expect.objectContaining({ table: 'raw_pages', column: 'sealed' }),
        of: { instanceId: books.instanceId, rowId: id, generation: null },
        bytes: Buffer.from('abc'),
        object,
      },
    ]
    expect(found).toEqual(
      new Map([
        [here, value(here, null)],
        [there, value(there, { key: `${books.instanceId}/${books.connectionId}/${objectId}`, bytes: 9 })],
      ]),
    )
    await database.query(`update connections set credentials = 'secret', credentials_generation = 4 where id = $1`, [books.connectionId])
    const [connection] = await read('connections')
    expect(connection?.sealed.map(({ of, bytes }) => ({ of, bytes }))).toContainEqual({
      of: { instanceId: books.instanceId, rowId: books.connectionId, generation: 4 },
      bytes: Buffer.from('secret'),
    })
    expect(connection?.row).not.toHaveProperty('credentials')
  })

  it('is that of an instance', async () => {
    await expect(openInstanceSnapshot(database, `x' or true --`)).rejects.toThrow(RangeError)
  })
})

it('what an instance has stored is read without the records of another', async () => {
  const [books, neighbour] = [await addBooks(test.database), await addBooks(test.database)]
  for (const each of [books, neighbour]) await addVersion(test.database, each, { id: idOf(1) })
  await addCrowdOfVersions(test.database, neighbour.connectionId)
  const counter = openRowCounter(test.url)
  const read = await counter
    .count(async () => {
      const snapshot = await openInstanceSnapshot(counter.database, books.instanceId)
      for (const table of snapshot.tables)
        for await (const { row } of snapshot.listRows(table, [])) expect(row.instance_id).toBe(books.instanceId)
      snapshot.close()
    })
    .finally(counter.close)
  const records = read.find(({ table }) => table === 'record_versions')
  expect(records?.scanned).toBe(0)
  expect(records?.looked).toBeLessThan(100)
})

describe('the most requests of a minute', () => {
  it('are kept for each instance; a recent higher count stays, and an old one gives way', async () => {
    const { database } = test
    const [one, two] = [(await addBooks(database)).instanceId, (await addBooks(database)).instanceId]
    const note = (peak: number) =>
      noteRequestPeaks(
        database,
        new Map([
          [one, peak],
          [randomUUID(), 99],
        ]),
      )
    const age = (minutes: number) => database.query('update instance_uses set counted_at = now() - make_interval(mins => $1)', [minutes])
    const peaks = async () => [await readRequestPeak(database, one), await readRequestPeak(database, two)]
    expect(await peaks()).toEqual([0, 0])
    await note(5)
    await note(3)
    expect(await peaks()).toEqual([5, 0])
    await note(7)
    expect(await peaks()).toEqual([7, 0])
    await age(9)
    await note(4)
    expect(await peaks()).toEqual([7, 0])
    await age(11)
    await note(4)
    expect(await peaks()).toEqual([4, 0])
    await age(14)
    expect(await peaks()).toEqual([4, 0])
    await age(16)
    expect(await peaks()).toEqual([0, 0])
  })
})
