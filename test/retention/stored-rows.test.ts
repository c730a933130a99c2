import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { deleteExpiredRows, expiredBefore, FIRST_POSITION } from '../../src/store/retention/expired-rows.ts'
import { deleteExpiredOfNodes } from '../../src/store/retention/expired-rows-of-nodes.ts'
import { dropExpiredSpans } from '../../src/store/retention/expired-spans.ts'
import { deleteOldPages, listConnectionsWithOldPages } from '../../src/store/retention/old-pages.ts'
import { deleteOldRuns, listConnectionsWithOldRuns, monthBefore } from '../../src/store/retention/old-runs.ts'
import { addPageSpans, listMissingPagePartitions } from '../../src/store/retention/page-spans.ts'
import { RULES } from '../../src/store/retention/rules.ts'
import { findVersionHorizon, raiseVersionHorizon } from '../../src/store/retention/version-horizon.ts'
import { AT, addBooks, addRun, addVersion, type Books, idOf, minutesAfter, SHAPES, storeForTests } from '../records/record-store.ts'
import { dropSpans } from './spans.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let second: Books
  beforeEach(async () => {
    database = test.database
    for (const table of ['raw_pages', 'sync_runs', 'record_versions', 'source_files', 'unclaimed_objects', 'version_horizon'])
      await database.query(`delete from ${table}`)
    books = await addBooks(database)
    second = await addBooks(database)
  })

  const remove = isDistributed ? deleteExpiredOfNodes : deleteExpiredRows
  const bytesOf = async (of: Books) => {
    const { rows } = await database.query<{ bytes: string }>('select bytes from stored_bytes where connection_id = $1', [of.connectionId])
    return Number(rows[0]?.bytes ?? 0)
  }

  it('closed versions are deleted by age, a limited number at a time, from a position on', async () => {
    const version = (of: Books, n: number, minutes: number | null) =>
      addVersion(database, of, { id: idOf(n), validTo: minutes === null ? null : minutesAfter(minutes) })
    for (const [of, n, minutes] of [
      [books, 1, 3],
      [second, 2, 1],
      [books, 3, 2],
      [books, 4, 2],
      [books, 5, 10],
      [books, 6, null],
    ] as const)
      await version(of, n, minutes)
    const left = async () => (await database.query<{ id: string }>('select id from record_versions order by id')).rows.map(({ id }) => id)
    const before = minutesAfter(10)
    const first = await remove(database, RULES.versions, before, FIRST_POSITION, 2)
    expect(first).toEqual({ deleted: 2, next: { age: expect.stringMatching(/^2026-11-20 .*:02:00/), id: idOf(3) } })
    expect(await left()).toEqual([1, 4, 5, 6].map(idOf))
    expect(await remove(database, RULES.versions, before, first.next ?? FIRST_POSITION, 3)).toEqual({ deleted: 2, next: null })
    expect(await left()).toEqual([5, 6].map(idOf))
    expect(await remove(database, RULES.versions, before, FIRST_POSITION, 3)).toEqual({ deleted: 0, next: null })
    // Those before the position have been looked at.
    await version(second, 7, 1)
    expect(await remove(database, RULES.versions, before, { age: minutesAfter(2).toISOString(), id: idOf(1) }, 3)).toEqual({
      deleted: 0,
      next: null,
    })
  })

  it('a file that was read loses its bytes and keeps its row; one that no run has read since stays as it is', async () => {
    const file = async (of: Books, minutes: number, bytes: number): Promise<string> => {
      const id = randomUUID()
      await database.query(
        `insert into source_files (instance_id, id, connection_id, company_id, name, content_hash, received_at, sealed) values ($1, $2, $3, $4, 'a.ofx', '', $5, $6)`,
        [of.instanceId, id, of.connectionId, of.companyId, minutesAfter(minutes), Buffer.alloc(bytes)],
      )
      return id
    }
    const [read, unread, young] = [await file(books, -5, 7), await file(second, 5, 8), await file(books, -1, 9)]
    // On a cluster nothing else counts what is stored.
    if (isDistributed)
      for (const [of, bytes] of [
        [books, 16],
        [second, 8],
      ] as const)
        await database.query('insert into stored_bytes (instance_id, connection_id, bytes) values ($1, $2, $3)', [
          of.instanceId,
          of.connectionId,
          bytes,
        ])
    await addRun(database, second, { id: randomUUID(), state: 'failed', startedAt: minutesAfter(9) })
    await addRun(database, second, { id: randomUUID(), state: 'published', reason: 'replay', startedAt: minutesAfter(9) })
    expect(await remove(database, RULES.sourceFiles, minutesAfter(-2), FIRST_POSITION, 9)).toEqual({ deleted: 1, next: null })
    expect(await remove(database, RULES.sourceFiles, minutesAfter(6), FIRST_POSITION, 9)).toEqual({ deleted: 1, next: null })
    const { rows } = await database.query('select id, length(sealed) as bytes from source_files')
    expect(new Map(rows.map(({ id, bytes }) => [id, bytes]))).toEqual(
      new Map([
        [read, null],
        [unread, 8],
        [young, null],
      ]),
    )
    expect([await bytesOf(books), await bytesOf(second)]).toEqual([0, 8])
  })

  const page = async (
    of: Books,
    minutes: number,
    other: { reviewed?: string; objectId?: string; bytes?: number } = {},
  ): Promise<string> => {
    const { reviewed = 'null', objectId = null, bytes = 5 } = other
    const id = randomUUID()
    await database.query(
      `insert into raw_pages (instance_id, id, connection_id, company_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes, reviewed_at)
       values ($1, $2, $3, $4, 'a', 0, $5, '', $6, $7, $8, ${reviewed})`,
      [of.instanceId, id, of.connectionId, of.companyId, minutesAfter(minutes), Buffer.alloc(bytes), objectId, objectId && 100],
    )
    return id
  }
  const THIS_MONTH = `date_trunc('month', now(), 'UTC')`

  it('old pages go unless a record came from them; those that stay are reviewed once a month', async () => {
    const objectId = randomUUID()
    const [gone, moved, current] = [await page(books, -9), await page(books, -8, { objectId }), await page(books, -7)]
    const [deleted, aside, young] = [await page(books, -7), await page(books, -7), await page(books, 1)]
    const [reviewed, due, longer] = [
      await page(books, -9, { reviewed: THIS_MONTH }),
      await page(books, -9, { reviewed: `${THIS_MONTH} - interval '1 second'` }),
      await page(books, 1, { reviewed: `${THIS_MONTH} - interval '1 second'` }),
    ]
    const foreign = await page(second, -9)
    if (isDistributed) {
      await database.query('delete from stored_bytes')
      await database.query('insert into stored_bytes (instance_id, connection_id, bytes) values ($1, $2, $3)', [
        books.instanceId,
        books.connectionId,
        145,
      ])
    }
    await addVersion(database, books, { id: idOf(1), rawPageId: current })
    await addVersion(database, books, { id: idOf(2), rawPageId: deleted, deleted: true })
    await database.query(
      `insert into quarantined_records (instance_id, connection_id, company_id, entity, orig_id, reason, raw_page_id, raw_index, run_id) values ($1, $2, $3, 'Accounts', 'o', '', $4, 0, $5)`,
      [books.instanceId, books.connectionId, books.companyId, aside, books.runId],
    )
    const list = () => listConnectionsWithOldPages(database, AT, 9)
    const key = ({ instanceId, connectionId }: Books) => ({ instanceId, connectionId })
    expect(new Set((await list()).map(({ connectionId }) => connectionId))).toEqual(new Set([books.connectionId, second.connectionId]))
    expect(await listConnectionsWithOldPages(database, minutesAfter(-99), 9)).toEqual([key(books)])
    const deleteOld = () => inTransaction(database, (db) => deleteOldPages(db, books.instanceId, books.connectionId, AT))
    expect(await deleteOld()).toBe(4)
    const { rows } = await database.query<{ id: string; isReviewed: boolean }>(
      `select id, coalesce(reviewed_at >= ${THIS_MONTH}, false) as "isReviewed" from raw_pages`,
    )
    expect(new Map(rows.map(({ id, isReviewed }) => [id, isReviewed]))).toEqual(
      new Map([
        ...[current, aside, reviewed, longer].map((id) => [id, true] as const),
        ...[young, foreign].map((id) => [id, false] as const),
      ]),
    )
    expect([gone, moved, due, deleted].some((id) => rows.some((row) => row.id === id))).toBe(false)
    expect((await database.query('select object_key as key, is_condemned as "isCondemned" from unclaimed_objects')).rows).toEqual([
      { key: `${books.instanceId}/${books.connectionId}/${objectId}`, isCondemned: true },
    ])
    expect(await bytesOf(books)).toBe(25)
    expect([await deleteOld(), await list()]).toEqual([0, [key(second)]])
  })

  it('old runs go unless something came from them; the newest stays, with those that data quality asks for', async () => {
    const run = (minutes: number, state: string, reason = 'schedule', endedAt: Date | null = AT) =>
      addRun(database, books, { id: randomUUID(), state, reason, startedAt: minutesAfter(minutes), endedAt })
    const published = await run(2, 'published', 'replay')
    const read = await run(1, 'unchanged')
    const newest = await run(9, 'failed')
    const [gone, record, aside, running, young] = [
      await run(-4, 'failed'),
      await run(-3, 'failed'),
      await run(-2, 'abandoned'),
      await run(-1, 'running', 'schedule', null),
      await run(-5, 'failed', 'schedule', minutesAfter(60)),
    ]
    await addVersion(database, { ...books, runId: record }, { id: idOf(1), validTo: AT })
    await database.query(
      `insert into quarantined_records (instance_id, connection_id, company_id, entity, orig_id, reason, raw_index, run_id) values ($1, $2, $3, 'Accounts', 'o', '', 0, $4)`,
      [books.instanceId, books.connectionId, books.companyId, aside],
    )
    const before = minutesAfter(30)
    const key = ({ instanceId, connectionId }: Books) => ({ instanceId, connectionId })
    expect(new Set((await listConnectionsWithOldRuns(database, before, 9)).map(({ connectionId }) => connectionId))).toEqual(
      new Set([books.connectionId, second.connectionId]),
    )
    expect(await listConnectionsWithOldRuns(database, AT, 9)).toEqual([])
    const deleteOld = () => deleteOldRuns(database, books.instanceId, books.connectionId, before)
    // The first run of the connection and the one from which nothing came.
    expect(await deleteOld()).toBe(2)
    const { rows } = await database.query<{ id: string; isReviewed: boolean }>(
      'select id, reviewed_at is not null as "isReviewed" from sync_runs where connection_id = $1',
      [books.connectionId],
    )
    expect(new Map(rows.map(({ id, isReviewed }) => [id, isReviewed]))).toEqual(
      new Map([
        ...[published, read, newest, record, aside].map((id) => [id, true] as const),
        ...[running, young].map((id) => [id, false] as const),
      ]),
    )
    expect(rows.some(({ id }) => id === gone)).toBe(false)
    expect([await deleteOld(), await listConnectionsWithOldRuns(database, before, 9)]).toEqual([0, [key(second)]])
    // They are reviewed again after another period.
    expect(await listConnectionsWithOldRuns(database, new Date('2126-01-01T00:00:00Z'), 9)).toHaveLength(2)
    expect(await listConnectionsWithOldRuns(database, new Date('2126-01-01T00:00:00Z'), 1)).toHaveLength(2)
  })

  it('the horizon of deleted versions never moves back', async () => {
    expect(await findVersionHorizon(database)).toBe(null)
    for (const [minutes, expected] of [
      [5, 5],
      [3, 5],
      [7, 7],
    ] as const) {
      await raiseVersionHorizon(database, minutesAfter(minutes))
      expect(await findVersionHorizon(database)).toEqual(minutesAfter(expected))
    }
  })

  it('the database’s clock says what has expired: by the day, or by the month', async () => {
    const { rows } = await database.query<{ expired: Date; month: Date }>(
      `select now() - interval '3 months' as expired, date_trunc('month', now(), 'UTC') - interval '3 months' as month`,
    )
    const expired = await expiredBefore(database, 3)
    expect(expired.getTime() - (rows[0]?.expired.getTime() ?? 0)).toBeLessThan(60_000)
    expect(expired.getTime()).toBeGreaterThanOrEqual(rows[0]?.expired.getTime() ?? Number.POSITIVE_INFINITY)
    expect(await monthBefore(database, 3)).toEqual(rows[0]?.month)
  })

  it('partitions of pages are made and missed on one server only', async () => {
    const log = { warn: (fields: { partitions: string[] }) => void warned.push(fields.partitions) }
    const warned: string[][] = []
    if (!isDistributed) await dropSpans(database)
    const missing = await listMissingPagePartitions(database, 3)
    expect(missing).toEqual(isDistributed ? [] : [expect.stringMatching(/^raw_pages_\d{6}01$/)])
    expect(await listMissingPagePartitions(database, null)).toEqual([])
    const made = await addPageSpans(database, 3, log)
    expect([made.slice(0, 1), await listMissingPagePartitions(database, 3), warned]).toEqual([missing, [], []])
    if (isDistributed) return
    await database.query(`drop table ${made[0]}`)
    expect(await listMissingPagePartitions(database, null)).toEqual(missing)
    expect([await addPageSpans(database, null, log), warned]).toEqual([missing, [missing]])
  })

  if (isDistributed)
    it('a cluster drops no partitions', async () => {
      const steps: number[] = []
      for await (const step of dropExpiredSpans(database, new Date('2126-01-01T00:00:00Z'))) steps.push(step)
      expect(steps).toEqual([])
    })
})
