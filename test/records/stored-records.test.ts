import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { FIRST_ID } from '../../src/model/values/first-id.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { deleteFirstRecords, deleteRecordSets, writeFirstRecords } from '../../src/store/records/first-records.ts'
import {
  eraseRecords,
  listCurrentAccounts,
  listCurrentHashes,
  listUndeletedIds,
  publishDeletions,
} from '../../src/store/records/records.ts'
import { type StagedRecord, toColumns } from '../../src/store/records/staged-records.ts'
import {
  AT,
  addBooks,
  addVersion,
  type Books,
  HASH,
  idOf,
  minutesAfter,
  newRecord,
  SHAPES,
  storeForTests,
  versionsOf,
} from './record-store.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database, { publishedAt: null })
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  describe('records of a first sync', () => {
    const pageId = randomUUID()
    const write = (records: StagedRecord[], entity: 'Accounts' | 'Transactions' = 'Accounts') =>
      inTransaction(database, (db) => writeFirstRecords(db, { ...books, entity, rawPageId: pageId, mappingVersion: 3 }, toColumns(records)))

    it('are written as they will be published, with where they came from', async () => {
      await write([newRecord(1, { sourceVersion: 'v1' }), newRecord(2)])
      await write([])
      const { instanceId, companyId, serviceId, connectionId, runId } = books
      const columns = `instance_id as "instanceId", company_id as "companyId", service_id as "serviceId", connection_id as "connectionId", run_id as "runId",
        entity, id, valid_from::text as "validFrom", valid_to as "validTo", orig_id as "origId", deleted, doc, content_hash as "contentHash",
        source_version as "sourceVersion", sort_key as "sortKey", raw_page_id as "rawPageId", raw_index as "rawIndex", mapping_version as "mappingVersion"`
      expect(await versionsOf(database, books, columns)).toEqual(
        [newRecord(1, { sourceVersion: 'v1' }), newRecord(2)].map((each) => ({
          ...{ ...each, instanceId, companyId, serviceId, connectionId, runId, entity: 'Accounts', validFrom: '-infinity', validTo: null },
          ...{ deleted: false, rawPageId: pageId, mappingVersion: 3 },
        })),
      )
    })

    it('keep texts with line breaks and without characters', async () => {
      await write([newRecord(1, { origId: '', sortKey: '' })])
      await write([newRecord(2, { origId: 'a\nb\u000b\u000cc', sortKey: '\r' }), newRecord(3, { origId: '', sortKey: '\n\u000e' })])
      expect(await versionsOf(database, books, 'orig_id as "origId", sort_key as "sortKey"')).toEqual([
        { origId: '', sortKey: '' },
        { origId: 'a\nb\u000b\u000cc', sortKey: '\r' },
        { origId: '', sortKey: '\n\u000e' },
      ])
    })

    it.each([
      ['the later one without versions', null, null, true],
      ['the later one with the same version', 'v2', 'v2', true],
      ['the later one with a newer version', 'v2', 'v3', true],
      ['the earlier one with a newer version', 'v2', 'v1', false],
      ['the later one where the earlier has no version', null, 'v1', true],
      ['the later one where it has no version itself', 'v1', null, true],
    ])('that a later page repeats: %s is kept', async (_which, first, second, isReplaced) => {
      await write([newRecord(1, { sourceVersion: first })])
      await write([newRecord(2), newRecord(1, { sourceVersion: second, doc: '{"a":2}', origId: 'later', sortKey: 'later', rawIndex: 9 })])
      expect(await versionsOf(database, books, 'doc, orig_id as "origId", raw_index as "rawIndex"')).toEqual([
        isReplaced ? { doc: '{"a":2}', origId: 'later', rawIndex: 9 } : { doc: newRecord(1).doc, origId: 'orig 1', rawIndex: 1 },
        { doc: newRecord(2).doc, origId: 'orig 2', rawIndex: 2 },
      ])
    })

    it('that cannot be stored are refused, not taken for a repetition', async () => {
      await expect(write([newRecord(1, { doc: null })])).rejects.toMatchObject({ code: '23502' })
    })

    it('are written for a run that is known, all or none', async () => {
      if (!isDistributed) return
      const lost = { ...books, runId: randomUUID() }
      const written = inTransaction(database, (db) =>
        writeFirstRecords(db, { ...lost, entity: 'Accounts', rawPageId: pageId, mappingVersion: 3 }, toColumns([newRecord(1)])),
      )
      await expect(written).rejects.toThrow('not all written')
    })

    it('that a later page removes are deleted, of their kind only', async () => {
      await write([newRecord(1), newRecord(2)])
      await write([newRecord(1)], 'Transactions')
      await addVersion(database, neighbour, { id: idOf(1) })
      await deleteFirstRecords(database, books, 'Accounts', [idOf(1)])
      expect(await versionsOf(database, books, 'entity, id')).toEqual([
        { entity: 'Accounts', id: idOf(2) },
        { entity: 'Transactions', id: idOf(1) },
      ])
      expect(await versionsOf(database, neighbour, 'id')).toEqual([{ id: idOf(1) }])
    })

    it('begin without what an earlier connection has left there, and leave that of others', async () => {
      const left = { ...books, connectionId: randomUUID() }
      await addVersion(database, left, { id: idOf(1) })
      await addVersion(database, left, { id: idOf(2), validTo: AT })
      await addVersion(database, left, { id: idOf(3), entity: 'Transactions' })
      await addVersion(database, neighbour, { id: idOf(4) })
      const elsewhere = { ...left, serviceId: randomUUID() }
      await addVersion(database, elsewhere, { id: idOf(5) })
      const coverage = async () =>
        (await database.query('select service_id as id from record_coverage where company_id = $1', [books.companyId])).rows
      for (const { instanceId, companyId, serviceId } of [books, elsewhere])
        await database.query(
          `insert into record_coverage (instance_id, company_id, service_id, entity, counted_until, total, filled) values ($1, $2, $3, 'Accounts', now(), 1, '{}')`,
          [instanceId, companyId, serviceId],
        )
      await deleteRecordSets(database, books)
      expect(await versionsOf(database, left, 'id')).toEqual([{ id: idOf(5) }])
      expect(await versionsOf(database, neighbour, 'id')).toEqual([{ id: idOf(4) }])
      expect(await coverage()).toEqual([{ id: elsewhere.serviceId }])
    })
  })

  describe('what a connection has published', () => {
    beforeEach(async () => {
      await addVersion(database, books, { id: idOf(1), sourceVersion: 'v1' })
      await addVersion(database, books, { id: idOf(2), validTo: AT })
      await addVersion(database, books, { id: idOf(2), validFrom: AT, deleted: true })
      await addVersion(database, books, {
        id: idOf(3),
        contentHash: HASH,
        doc: { origId: 'shown', accountNumber: '••••1234' },
        rawIndex: 4,
        rawPageId: idOf(77),
      })
      await addVersion(database, books, { id: idOf(4), entity: 'Transactions' })
      await addVersion(database, { ...books, connectionId: randomUUID() }, { id: idOf(5) })
      await addVersion(database, neighbour, { id: idOf(1) })
    })

    it('is compared by hashes: its own present versions, deleted ones too', async () => {
      const found = await listCurrentHashes(database, books, 'Accounts', [1, 2, 3, 4, 5, 6].map(idOf), books.connectionId)
      expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: idOf(1), contentHash: Buffer.alloc(16, 1), sourceVersion: 'v1', deleted: false },
        { id: idOf(2), contentHash: Buffer.alloc(16, 1), sourceVersion: null, deleted: true },
        { id: idOf(3), contentHash: HASH, sourceVersion: null, deleted: false },
      ])
      expect(await listCurrentHashes(database, books, 'Accounts', [idOf(3)], books.connectionId)).toHaveLength(1)
    })

    it.each([
      [FIRST_ID, 9, [1, 3]],
      [FIRST_ID, 1, [1]],
      [idOf(1), 9, [3]],
      [idOf(3), 9, []],
    ])('has active records, in order of ids: after %s up to %d', async (after, limit, expected) => {
      expect(await listUndeletedIds(database, books, 'Accounts', books.connectionId, after, limit)).toEqual(expected.map(idOf))
    })

    it('has accounts, deleted ones too, with the number and id that readers see', async () => {
      const plain = { number: '', rawPageId: null, rawIndex: 0 }
      expect(await listCurrentAccounts(database, books)).toEqual([
        { id: idOf(1), deleted: false, keptOrigId: 'orig 1', ...plain },
        { id: idOf(2), deleted: true, keptOrigId: 'orig 2', ...plain },
        { id: idOf(3), deleted: false, keptOrigId: 'shown', number: '••••1234', rawPageId: idOf(77), rawIndex: 4 },
        { id: idOf(5), deleted: false, keptOrigId: 'orig 5', ...plain },
      ])
    })

    it('ends where a complete listing no longer shows it, once', async () => {
      const [at, run] = [minutesAfter(1), { id: randomUUID(), connectionId: books.connectionId }]
      const doc = '{"accountStatusSystem":"ACTIVE","isDeleted":false}'
      await addVersion(database, books, {
        id: idOf(8),
        doc,
        sourceVersion: 'v8',
        rawIndex: 5,
        rawPageId: idOf(78),
        sortKey: 'k',
        mappingVersion: 2,
      })
      const columns = `id, valid_from::text as "from", valid_to as "to", deleted, doc, run_id as "runId", source_version as "sourceVersion", sort_key as "sortKey",
        raw_page_id as "rawPageId", raw_index as "rawIndex", mapping_version as "mappingVersion", orig_id as "origId"`
      const before = await versionsOf(database, books, columns)
      const publish = (ids: string[]) => inTransaction(database, (db) => publishDeletions(db, books, run, 'Accounts', ids, at))
      await publish([])
      expect(await versionsOf(database, books, columns)).toEqual(before)
      await publish([2, 8].map(idOf))
      const kept = { sourceVersion: 'v8', sortKey: 'k', rawPageId: idOf(78), rawIndex: 5, mappingVersion: 2, origId: 'orig 8', id: idOf(8) }
      const after = (await versionsOf(database, books, columns)).filter(({ id }) => id === idOf(8))
      expect(after).toEqual([
        { ...kept, from: '-infinity', to: at, deleted: false, doc, runId: books.runId },
        {
          ...{ ...kept, from: expect.stringMatching(/^2026-11-20/), to: null, deleted: true, runId: run.id },
          doc: '{"accountStatusSystem":"DELETED","isDeleted":true}',
        },
      ])
      expect((await versionsOf(database, books, columns)).filter(({ id }) => id !== idOf(8))).toEqual(
        before.filter(({ id }) => id !== idOf(8)),
      )
    })

    it('is erased in steps, and nothing of others with it', async () => {
      const erase = (limit: number) => eraseRecords(database, books.instanceId, books.connectionId, limit)
      expect(await erase(2)).toBe(2)
      expect(await versionsOf(database, books, 'id')).toHaveLength(3)
      expect([await erase(9), await erase(9)]).toEqual([3, 0])
      expect(await eraseRecords(database, neighbour.instanceId, books.connectionId, 9)).toBe(0)
      const { rows } = await database.query('select id from record_versions where instance_id = any($1) order by id', [
        [books.instanceId, neighbour.instanceId],
      ])
      expect(rows).toEqual([{ id: idOf(1) }, { id: idOf(5) }])
    })
  })
})
