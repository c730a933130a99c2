import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Entity } from '../../src/model/catalogue.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { publishStaged } from '../../src/store/records/staged-publishing.ts'
import {
  countStaged,
  dropStaged,
  listNewAccounts,
  listStagedPages,
  type StagedRecord,
  stageEnded,
  stageRecords,
  toColumns,
  unstageRecords,
} from '../../src/store/records/staged-records.ts'
import {
  AT,
  addBooks,
  addRun,
  addVersion,
  type Books,
  HASH,
  idOf,
  newRecord,
  SHAPES,
  storeForTests,
  versionsOf,
  watched,
} from './record-store.ts'

const PAGES = [randomUUID(), randomUUID(), randomUUID()] as const
const removal = (n: number, other: Partial<StagedRecord> = {}) => newRecord(n, { doc: null, contentHash: null, ...other })

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let run: { instanceId: string; companyId: string; id: string }
  let other: typeof run
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    run = { ...books, id: books.runId }
    other = { ...run, id: await addRun(database, books, { id: randomUUID(), state: 'failed' }) }
  })

  const stage = async (seq: number, records: StagedRecord[], entity: Entity = 'Accounts', of = run) =>
    await stageRecords(
      database,
      { instanceId: of.instanceId, companyId: of.companyId, runId: of.id, seq, entity, rawPageId: PAGES[seq] ?? '', mappingVersion: 3 },
      toColumns(records),
    )
  const staged = async (columns: string, of = run) =>
    (
      await database.query(`select ${columns} from staged_records where run_id = $1 and instance_id = $2 order by entity, id`, [
        of.id,
        of.instanceId,
      ])
    ).rows

  it('a page is staged with where it came from; a removal has neither text nor mapping', async () => {
    await stage(1, [newRecord(1, { sourceVersion: 'v1' }), removal(2)])
    await stage(1, [])
    const columns = `instance_id as "instanceId", run_id as "runId", company_id as "companyId", entity, id, seq, raw_page_id as "rawPageId", raw_index as "rawIndex",
      mapping_version as "mappingVersion", orig_id as "origId", source_version as "sourceVersion", sort_key as "sortKey", content_hash as "contentHash", doc`
    const common = {
      instanceId: run.instanceId,
      runId: run.id,
      companyId: run.companyId,
      entity: 'Accounts',
      seq: '1',
      rawPageId: PAGES[1],
    }
    expect(await staged(columns)).toEqual([
      { ...common, ...newRecord(1, { sourceVersion: 'v1' }), mappingVersion: 3 },
      { ...common, ...removal(2), mappingVersion: 0 },
    ])
  })

  it.each([
    ['the later page without versions', null, null, true],
    ['the later page with the same version', 'v2', 'v2', true],
    ['the earlier page with a newer version', 'v2', 'v1', false],
    ['the later page where the earlier has no version', null, 'v1', true],
    ['the later page where it has no version itself', 'v1', null, true],
  ])('of two versions of a record that of %s is kept', async (_which, first, second, isReplaced) => {
    await stage(1, [newRecord(1, { sourceVersion: first })])
    await stage(2, [newRecord(1, { sourceVersion: second, doc: '{"a":2}' })])
    expect(await staged('seq, doc, raw_page_id as "rawPageId"')).toEqual([
      isReplaced ? { seq: '2', doc: '{"a":2}', rawPageId: PAGES[2] } : { seq: '1', doc: newRecord(1).doc, rawPageId: PAGES[1] },
    ])
  })

  it('what a later page shows as published is no longer staged, unless the staged version is newer', async () => {
    await stage(1, [
      newRecord(1),
      newRecord(2, { sourceVersion: 'v2' }),
      newRecord(3, { sourceVersion: 'v2' }),
      newRecord(4, { sourceVersion: 'v2' }),
      newRecord(5),
    ])
    await stage(1, [newRecord(1)], 'Transactions')
    await stage(1, [newRecord(1)], 'Accounts', other)
    const shown = [null, 'v1', 'v2', 'v3'].map((sourceVersion, at) => ({ id: idOf(at + 1), sourceVersion }))
    await unstageRecords(database, run, 'Accounts', shown)
    expect(await staged('entity, id')).toEqual([
      { entity: 'Accounts', id: idOf(2) },
      { entity: 'Accounts', id: idOf(5) },
      { entity: 'Transactions', id: idOf(1) },
    ])
    expect(await staged('id', other)).toEqual([{ id: idOf(1) }])
  })

  it('staged records are counted, listed by page and dropped, of one run', async () => {
    await stage(0, [newRecord(1), newRecord(2)])
    await stage(1, [newRecord(1)], 'Transactions')
    await stage(2, [removal(3)])
    await stage(1, [newRecord(9)], 'Accounts', other)
    expect([await countStaged(database, run), await countStaged(database, other)]).toEqual([4, 1])
    expect((await listStagedPages(database, run)).toSorted()).toEqual([PAGES[0], PAGES[1]].toSorted())
    await dropStaged(database, run, 'Accounts', [1, 9].map(idOf))
    expect(await staged('entity, id')).toEqual([
      { entity: 'Accounts', id: idOf(2) },
      { entity: 'Accounts', id: idOf(3) },
      { entity: 'Transactions', id: idOf(1) },
    ])
    expect([await countStaged(database, run), await countStaged(database, other)]).toEqual([3, 1])
  })

  it('new accounts are those that were never published, in the order of their ids at the source', async () => {
    await addVersion(database, books, { id: idOf(2) })
    await addVersion(database, books, { id: idOf(5), validTo: AT })
    await stage(1, [newRecord(1, { origId: 'z' }), newRecord(2), removal(3), newRecord(5, { origId: 'a' })])
    await stage(2, [newRecord(4)], 'Transactions')
    expect(await listNewAccounts(database, books, run.id)).toEqual([
      { id: idOf(5), origId: 'a', rawPageId: PAGES[1], rawIndex: 5 },
      { id: idOf(1), origId: 'z', rawPageId: PAGES[1], rawIndex: 1 },
    ])
  })

  it('accounts that others have replaced end, with the transactions of those named', async () => {
    const source = { rawPageId: PAGES[1], rawIndex: 6, mappingVersion: 2 }
    for (const n of [1, 2]) await addVersion(database, books, { id: idOf(n), ...source })
    await addVersion(database, books, { id: idOf(3), deleted: true })
    for (const [n, account] of [
      [4, 'orig 1'],
      [5, 'orig 2'],
    ] as const)
      await addVersion(database, books, { id: idOf(n), entity: 'Transactions', doc: { accountOrigId: account }, ...source })
    await stage(2, [newRecord(2)])
    const end = (accounts: number[], movementsOf: string[]) =>
      stageEnded(database, books, run.id, { accounts: accounts.map(idOf), movementsOf })
    await end([], [])
    expect(await staged('id')).toEqual([{ id: idOf(2) }])
    await end([1, 2, 3], [])
    await end([], ['orig 2'])
    const columns =
      'entity, id, seq, doc, orig_id as "origId", company_id as "companyId", raw_page_id as "rawPageId", raw_index as "rawIndex", mapping_version as "mappingVersion"'
    const ended = { seq: '0', doc: null, companyId: books.companyId, ...source }
    expect(await staged(columns)).toEqual([
      { entity: 'Accounts', id: idOf(1), origId: 'orig 1', ...ended },
      // What the run has staged stays.
      expect.objectContaining({ id: idOf(2), seq: '2', doc: newRecord(2).doc }),
      { entity: 'Transactions', id: idOf(5), origId: 'orig 5', ...ended },
    ])
  })

  const publish = (at = AT) =>
    inTransaction(database, (db) => publishStaged(db, books, { id: run.id, connectionId: books.connectionId }, at))

  it('staged records are published with their predecessors closed, and removals as deleted versions', async () => {
    const doc = '{"origId":"orig 2","isDeleted":false}'
    await addVersion(database, books, { id: idOf(1) })
    await addVersion(database, books, { id: idOf(2), doc, contentHash: HASH, sourceVersion: 'v4', sortKey: 'key' })
    await addVersion(database, books, { id: idOf(3), deleted: true })
    await addVersion(database, books, { id: idOf(5), sourceVersion: 'v5' })
    await addVersion(database, books, { id: idOf(6) })
    await stage(1, [
      newRecord(1, { sourceVersion: 'v1' }),
      removal(2, { origId: 'last' }),
      removal(3),
      removal(5, { sourceVersion: 'v9' }),
      removal(8),
    ])
    await stage(2, [newRecord(1), newRecord(7)], 'Transactions')
    await stage(1, [newRecord(6)], 'Accounts', other)
    expect(await publish()).toBe(5)
    const columns = `entity, id, valid_to as "to", deleted, doc, orig_id as "origId", source_version as "sourceVersion", run_id as "runId", connection_id as "connectionId",
      company_id as "companyId", raw_page_id as "rawPageId", mapping_version as "mappingVersion", sort_key as "sortKey", content_hash as "contentHash", raw_index as "rawIndex"`
    const opened = (await versionsOf(database, books, `${columns}, valid_from = '${AT.toISOString()}' as "isNew"`)).filter(
      ({ isNew }) => isNew,
    )
    const common = { to: null, isNew: true, runId: run.id, connectionId: books.connectionId, companyId: books.companyId, contentHash: HASH }
    expect(opened).toEqual([
      {
        ...{ ...common, entity: 'Accounts', id: idOf(1), deleted: false, doc: newRecord(1).doc, origId: 'orig 1', sourceVersion: 'v1' },
        ...{ rawPageId: PAGES[1], mappingVersion: 3, sortKey: 'sort 1', rawIndex: 1 },
      },
      {
        ...{ ...common, entity: 'Accounts', id: idOf(2), deleted: true, doc: '{"origId":"orig 2","isDeleted":true}', origId: 'last' },
        ...{ sourceVersion: 'v4', rawPageId: PAGES[1], mappingVersion: 0, sortKey: 'key', rawIndex: 2 },
      },
      expect.objectContaining({ id: idOf(5), deleted: true, sourceVersion: 'v9' }),
      expect.objectContaining({ entity: 'Transactions', id: idOf(1), deleted: false, rawPageId: PAGES[2] }),
      expect.objectContaining({ entity: 'Transactions', id: idOf(7), deleted: false, rawPageId: PAGES[2] }),
    ])
    const closed = (await versionsOf(database, books, 'id, valid_to as "to"')).filter(({ to }) => to !== null)
    expect(closed).toEqual([1, 2, 5].map((n) => ({ id: idOf(n), to: AT })))
    expect(await versionsOf(database, books, 'id')).toHaveLength(10)
  })

  it('a run without staged records publishes nothing', async () => {
    await stage(1, [newRecord(6)], 'Accounts', other)
    expect(await publish()).toBe(0)
    expect(await versionsOf(database, books, 'id')).toEqual([])
  })

  // Whatever the shape, the statements are those of the same batches.
  if (!isDistributed)
    it('a million records are published by statements of at most twenty thousand: pages together, or a page in parts', async () => {
      const pages = [19_999, 1, 1, 20_001]
      for (const [seq, count] of pages.entries())
        await database.query(
          `insert into staged_records (instance_id, run_id, company_id, entity, id, seq, orig_id, doc, content_hash)
         select $1, $2, $3, 'Transactions', gen_random_uuid(), $4, n::text, '{}', '\\x00' from generate_series(1, $5::int) n`,
          [run.instanceId, run.id, run.companyId, seq, count],
        )
      const inserted: number[] = []
      const changed = await inTransaction(database, async (db) => {
        const counting = watched(db, (text, rowCount) => {
          if (/^\s*insert into record_versions/.test(text)) inserted.push(rowCount)
        })
        return await publishStaged(counting, books, { id: run.id, connectionId: books.connectionId }, AT)
      })
      expect([changed, inserted.slice(0, 2), inserted.length]).toEqual([40_002, [20_000, 1], 4])
      // The parts of a page are about equal.
      for (const part of inserted.slice(2)) expect(part).toBeGreaterThan(9_000)
    })
})
