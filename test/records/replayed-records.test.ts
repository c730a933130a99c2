import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import {
  countWithoutPage,
  listPagesToReplay,
  listQuarantinedOfPage,
  listReplayTargets,
  releaseReplayed,
} from '../../src/store/records/replay-records.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { AT, addBooks, addRun, addVersion, type Books, idOf, minutesAfter, SHAPES, storeForTests } from './record-store.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let owner: { instanceId: string; companyId: string; id: string }
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    owner = { ...books, id: books.connectionId }
  })

  const page = async (n: number, fetchedAt: Date, of = books): Promise<string> => {
    // Pages of several tests have ids of their own.
    const id = randomUUID().replace(/^.{8}/, `0000000${n}`)
    await database.query(
      `insert into raw_pages (instance_id, id, connection_id, company_id, pull, page, fetched_at, content_hash, sealed) values ($1, $2, $3, $4, 'a', $5, $6, '', '')`,
      [of.instanceId, id, of.connectionId, of.companyId, n, fetchedAt],
    )
    return id
  }
  const setAside = async (origId: string, rawPageId: string, { runId } = books, entity = 'Accounts') =>
    await database.query(
      `insert into quarantined_records (instance_id, connection_id, company_id, entity, orig_id, reason, raw_page_id, raw_index, run_id) values ($1, $2, $3, $4, $5, '', $6, 0, $7)`,
      [books.instanceId, books.connectionId, books.companyId, entity, origId, rawPageId, runId],
    )
  const runWith = async (state: string, reason: string) => ({
    ...books,
    runId: await addRun(database, books, { id: randomUUID(), state, reason }),
  })

  it('the pages of what is published or was set aside by published runs are replayed, oldest first', async () => {
    const [late, early, deleted, old, kept, pending, replayed] = await Promise.all(
      [7, 2, 3, 4, 5, 6, 8].map((minute, n) => page(n + 1, minutesAfter(minute))),
    )
    if (!late || !early || !deleted || !old || !kept || !pending || !replayed) throw new Error('a page is missing')
    await page(9, minutesAfter(1))
    await addVersion(database, books, { id: idOf(1), rawPageId: late })
    await addVersion(database, books, { id: idOf(2), rawPageId: early })
    await addVersion(database, books, { id: idOf(3), rawPageId: deleted, deleted: true })
    await addVersion(database, books, { id: idOf(4), rawPageId: old, validTo: AT })
    await addVersion(database, books, { id: idOf(5), rawPageId: randomUUID() })
    await addVersion(database, books, { id: idOf(6), rawPageId: null })
    await setAside('a', kept, await runWith('unchanged', 'schedule'))
    await setAside('b', pending, await runWith('failed', 'schedule'))
    await setAside('c', replayed, await runWith('failed', 'replay'))
    await setAside('d', kept)
    expect(await listPagesToReplay(database, books.instanceId, books.connectionId)).toEqual([
      { id: early, fetchedAt: minutesAfter(2) },
      { id: kept, fetchedAt: minutesAfter(5) },
      { id: late, fetchedAt: minutesAfter(7) },
      { id: replayed, fetchedAt: minutesAfter(8) },
    ])
    expect(await countWithoutPage(database, books.instanceId, books.connectionId)).toBe(2)
    expect(await countWithoutPage(database, books.instanceId, randomUUID())).toBe(0)
    const settled = await listQuarantinedOfPage(database, owner, kept)
    expect(settled.toSorted((a, b) => (a.origId < b.origId ? -1 : 1))).toEqual([
      { entity: 'Accounts', origId: 'a' },
      { entity: 'Accounts', origId: 'd' },
    ])
    expect(await listQuarantinedOfPage(database, owner, pending)).toEqual([])
    expect(await listQuarantinedOfPage(database, { ...owner, instanceId: randomUUID() }, kept)).toEqual([])
  })

  it('what is published now is compared with the replayed records', async () => {
    const pageId = randomUUID()
    await addVersion(database, books, { id: idOf(1), validTo: AT })
    await addVersion(database, books, { id: idOf(1), validFrom: AT, rawPageId: pageId, doc: { a: 1 } })
    await addVersion(database, { ...books, connectionId: idOf(9) }, { id: idOf(2), deleted: true })
    await addVersion(database, books, { id: idOf(3) })
    const found = await listReplayTargets(database, books, 'Accounts', [1, 2].map(idOf))
    const contentHash = Buffer.alloc(16, 1)
    expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: idOf(1), connectionId: books.connectionId, deleted: false, doc: '{"a":1}', contentHash, rawPageId: pageId },
      { id: idOf(2), connectionId: idOf(9), deleted: true, doc: '{"origId":"orig 2"}', contentHash, rawPageId: null },
    ])
    expect(await listReplayTargets(database, books, 'Transactions', [1, 2].map(idOf))).toEqual([])
  })

  it('what a run has staged is no longer set aside by another run', async () => {
    const [run, pageId] = [await runWith('running', 'replay'), randomUUID()]
    for (const origId of ['staged', 'removed', 'absent']) await setAside(origId, pageId)
    await setAside('staged', pageId, books, 'Transactions')
    await setAside('own', pageId, run)
    for (const [n, origId, doc] of [
      [1, 'staged', '{}'],
      [2, 'removed', null],
      [3, 'own', '{}'],
    ])
      await database.query(
        `insert into staged_records (instance_id, run_id, company_id, entity, id, seq, orig_id, doc) values ($1, $2, $3, 'Accounts', $4, 1, $5, $6)`,
        [books.instanceId, run.runId, books.companyId, idOf(Number(n)), origId, doc],
      )
    await inTransaction(database, (db) =>
      releaseReplayed(db, {
        ...{ ...run, id: run.runId, reason: 'replay', isAwaited: false, state: 'running', pull: 0, page: 0, cursor: null, cursors: {} },
        ...{ counts: NO_COUNTS, unmapped: [], startedAt: AT, endedAt: null, errorKind: null, error: null, fence: '1' },
      }),
    )
    const { rows } = await database.query('select entity, orig_id as id from quarantined_records where connection_id = $1 order by 1, 2', [
      books.connectionId,
    ])
    expect(rows).toEqual([
      { entity: 'Accounts', id: 'absent' },
      { entity: 'Accounts', id: 'own' },
      { entity: 'Accounts', id: 'removed' },
      { entity: 'Transactions', id: 'staged' },
    ])
  })
})
