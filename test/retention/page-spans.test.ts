import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findRawPage, findSamePage, storeRawPage } from '../../src/store/records/raw-pages.ts'
import { addPageSpans, listMissingPagePartitions } from '../../src/store/retention/page-spans.ts'
import { listTables } from '../../src/store/snapshot/tables.ts'
import { applyRetention } from '../../src/sync/connection/retention.ts'
import { databaseOfOneServer } from '../harness/database.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { ageSpan, dropSpans, placesOf, waitADay } from './spans.ts'

const MONTHS = 24
const KEPT = { links: null, timeline: null, sourceFiles: null, receipts: null, versions: null, runs: null }

let books: ScriptedSource
let harness: SyncHarness
let id: string
const warnings: string[][] = []
const log = { warn: ({ partitions }: { partitions: string[] }) => void warnings.push(partitions) }
const query = async <T extends object>(text: string, values: unknown[] = []) => (await harness.deps.database.query<T>(text, values)).rows

beforeEach(async () => {
  warnings.length = 0
  books = new ScriptedSource('books')
  books.accounts = [
    { id: '1', name: 'One' },
    { id: '2', name: 'Two' },
  ]
  books.pageSize = 1
  // A cluster has no partitions of pages.
  harness = await openSyncHarness([books], [], undefined, {}, databaseOfOneServer)
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
})
afterEach(() => harness.close())

/** Runs a pass; returns the number of deleted pages. */
async function tidy(months: number | null = MONTHS): Promise<number> {
  let deleted = 0
  const onDeleted = (_of: string, count: number): void => {
    deleted += count
  }
  await applyRetention(harness.deps.database, { ...KEPT, rawPages: months }, { onDeleted, isStopping: () => false })
  return deleted
}

async function rename(): Promise<void> {
  books.accounts = [
    { id: '1', name: 'One, renamed' },
    { id: '2', name: 'Two' },
  ]
  await harness.sync(id)
}

const pages = async () => (await query<{ id: string }>('select id from raw_pages order by page, fetched_at')).map((row) => row.id)
const storedBytes = async () => (await query<{ bytes: string }>('select bytes from stored_bytes'))[0]?.bytes
const counted = async () =>
  (await query<{ bytes: string }>('select sum(octet_length(sealed) + coalesce(object_bytes, 0)) as bytes from raw_pages'))[0]?.bytes
const spans = () =>
  query<{ begins: string; months: number }>(
    `select begins::text, (extract(year from age(ends, begins)) * 12 + extract(month from age(ends, begins)))::int as months from page_spans order by 1`,
  )

async function thisMonth(format: string): Promise<string> {
  const [row] = await query<{ it: string }>(`select to_char(date_trunc('month', now() at time zone 'UTC'), $1) as it`, [format])
  return row?.it ?? ''
}

/** Two pages of three years ago in a partition, one of which no record comes from any more. */
async function expire(): Promise<string> {
  const partition = await ageSpan(harness.deps.database)
  await addPageSpans(harness.deps.database, MONTHS, log)
  await rename()
  return partition
}

describe('a raw page', () => {
  it('goes to the partition of its months, with its bytes as they are; an unchanged answer goes nowhere', async () => {
    await harness.sync(id)
    expect(await placesOf(harness.deps.database)).toEqual({ here: 0, spans: 2 })
    const [{ storage } = { storage: null }] = await query<{ storage: string }>(
      `select attstorage as storage from pg_attribute where attname = 'sealed' and attrelid = (select inhrelid from pg_inherits where inhparent = 'raw_pages'::regclass limit 1)`,
    )
    expect(storage, 'not compressed again').toBe('e')
    expect(await storedBytes()).toBe(await counted())
  })

  it('whose bytes go to a bucket is counted with them', async () => {
    const { database, instanceId, companyId } = { ...harness, ...harness.deps }
    const key = { instanceId, companyId, connectionId: id, pull: 'other', page: 0, contentHash: Buffer.alloc(32), fetchedAt: new Date() }
    const { span } = await findSamePage(database, key)
    const object = { id: randomUUID(), bytes: 7_000 }
    await storeRawPage(database, { ...key, id: randomUUID(), sealed: Buffer.alloc(97), object, span })
    expect(await placesOf(database)).toEqual({ here: 0, spans: 3 })
    expect(await storedBytes()).toBe(await counted())
  })

  it('goes to the table itself where there is no partition, as in the months of an upgrade', async () => {
    await dropSpans(harness.deps.database)
    await rename()
    expect(await placesOf(harness.deps.database)).toEqual({ here: 2, spans: 0 })
  })
})

describe('partitions of raw pages', () => {
  it.each([
    [24, 3],
    [13, 2],
    [3, 1],
    [120, 15],
  ])('of pages that are kept for %i months are for %i months each, from this month on', async (months, width) => {
    const { database } = harness.deps
    await dropSpans(database)
    await addPageSpans(database, months, log)
    const [first, ...others] = await spans()
    expect(first).toEqual({ begins: await thisMonth('YYYY-MM-DD'), months: width })
    expect(others.length).toBeLessThan(2)
    expect(await addPageSpans(database, months, log)).toEqual([])
    expect(warnings).toEqual([])
  })

  it('are not made where pages are kept for ever', async () => {
    const { database } = harness.deps
    await dropSpans(database)
    expect(await addPageSpans(database, null, log)).toEqual([])
    expect([await listMissingPagePartitions(database, null), await listMissingPagePartitions(database, MONTHS)]).toEqual([
      [],
      [`raw_pages_${await thisMonth('YYYYMMDD')}`],
    ])
  })

  it.each([
    ['dropped', 'drop table %', 0],
    ['taken out of its table', 'alter table % no inherit raw_pages', 2],
  ])('one that was %s is named and made again; pages are stored meanwhile', async (_how, statement, left) => {
    const { database } = harness.deps
    const [{ name } = { name: '' }] = await query<{ name: string }>('select tableoid::regclass::text as name from raw_pages limit 1')
    await query(statement.replace('%', name))
    expect(await listMissingPagePartitions(database, MONTHS)).toEqual([name])
    await rename()
    const { here } = await placesOf(database)
    expect(here).toBeGreaterThan(0)
    expect([await addPageSpans(database, MONTHS, log), warnings]).toEqual([[name], [[name]]])
    expect(await placesOf(database)).toEqual({ here, spans: left })
    expect(await listMissingPagePartitions(database, MONTHS)).toEqual([])
  })
})

describe('a partition that has expired', () => {
  it('is closed, and dropped a day later; pages that records came from stay, with their ids', async () => {
    const { database } = harness.deps
    const partition = await expire()
    const before = await pages()
    expect(await tidy()).toBe(0)
    expect(await pages(), 'within a day').toEqual(before)
    await waitADay(database)
    expect(await tidy()).toBe(1)
    expect(await query('select to_regclass($1) as it', [partition])).toEqual([{ it: null }])
    const [, renamed = '', second = ''] = before
    expect(await pages()).toEqual([renamed, second])
    expect(await placesOf(database)).toEqual({ here: 1, spans: 1 })
    expect((await findRawPage(database, { ...harness, id: second }))?.page).toBe(1)
    expect(await storedBytes()).toBe(await counted())
    expect(await tidy(), 'what was kept was looked at this month').toBe(0)
    await query(`update only raw_pages set reviewed_at = reviewed_at - interval '1 month'`)
    books.accounts = [{ id: '1', name: 'One, renamed' }]
    await harness.sync(id)
    expect(await tidy()).toBe(1)
  })

  it('queues the objects of the pages that go for removal, and of no others', async () => {
    await expire()
    await query(`update raw_pages set object_id = id, object_bytes = 7`)
    const [gone = ''] = await pages()
    await tidy()
    await waitADay(harness.deps.database)
    await tidy()
    const keys = (await query<{ key: string }>('select object_key as key from unclaimed_objects where is_condemned')).map(({ key }) => key)
    expect(keys).toEqual([`${harness.instanceId}/${id}/${gone}`])
    expect(await storedBytes()).toBe(await counted())
  })

  it('gives no page to records any more: an unchanged answer is stored again', async () => {
    const { database } = harness.deps
    await expire()
    await harness.sync(id)
    expect(await placesOf(database), 'before').toEqual({ here: 0, spans: 3 })
    await tidy()
    await harness.sync(id)
    expect(await placesOf(database)).toEqual({ here: 0, spans: 4 })
  })

  it('is open again if the period is longer now, and stays', async () => {
    await expire()
    await tidy()
    await waitADay(harness.deps.database)
    expect([await tidy(60), await tidy(null)]).toEqual([0, 0])
    await harness.sync(id)
    expect(await placesOf(harness.deps.database)).toEqual({ here: 0, spans: 3 })
  })

  it('and that somebody reads is left to the next time', async () => {
    const { database } = harness.deps
    const partition = await expire()
    await tidy()
    await waitADay(database)
    const reader = await database.connect()
    await reader.query(`begin; select from ${partition}`)
    expect(await tidy()).toBe(0)
    await reader.query('rollback')
    reader.release()
    expect(await tidy(), 'another process may be at it').toBe(0)
    await waitADay(database)
    expect(await tidy()).toBe(1)
  })

  it('and was taken out before a crash is no longer read; an erasure finds its pages, the next run drops it', async () => {
    const { database } = harness.deps
    const partition = await expire()
    await tidy()
    await waitADay(database)
    await query(`alter table ${partition} no inherit raw_pages`)
    await query(`drop trigger raw_pages_removed on ${partition}`)
    expect([await addPageSpans(database, MONTHS, log), await listMissingPagePartitions(database, MONTHS)]).toEqual([[], []])
    expect(
      (await listTables(database)).filter(({ name }) => name === partition),
      'in a backup',
    ).toEqual([])
    await query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'erase', $2, $3)`, [
      ...[harness.instanceId, `erase/${id}`, JSON.stringify({ connectionId: id })],
    ])
    await harness.erase(id)
    expect(await query(`select from ${partition}`)).toEqual([])
    await waitADay(database)
    await tidy()
    expect(await query('select to_regclass($1) as it', [partition])).toEqual([{ it: null }])
  })
})
