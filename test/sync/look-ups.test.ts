import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { eraseConnectionData } from '../../src/store/connections/erasure.ts'
import { abandonReplay, abandonRuns, closeRun, openRun } from '../../src/store/connections/sync-runs.ts'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import { listStoredDocuments } from '../../src/store/owners/owner-connections.ts'
import { listCurrentHashes, listUndeletedIds } from '../../src/store/records/records.ts'
import { listReplayTargets } from '../../src/store/records/replay-records.ts'
import { countStaged, listStagedPages } from '../../src/store/records/staged-records.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const ACCOUNTS = 3_000
const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))

it('a refresh looks up the records of a page only, even while PostgreSQL has no statistics for what the first sync wrote', async () => {
  const { database } = harness.deps
  await database.query('alter table record_versions set (autovacuum_enabled = false)')
  books.accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({ id: String(i), name: `Account ${i}`, balance: `${i}.10` }))
  books.pageSize = 500
  const connectionId = await harness.connect(books)
  await harness.sync(connectionId, { reason: 'first' })
  const scope = harness.scopeOf(books)
  const { rows } = await database.query<{ id: string }>('select id from record_versions order by id limit 200')
  const ids = rows.map(({ id }) => id)
  const looked = async (look: (db: Db) => Promise<unknown[]>) =>
    await inTransaction(database, async (db) => {
      const before = await countRead(db, 'record_versions')
      expect(await look(db)).toHaveLength(200)
      return (await countRead(db, 'record_versions')) - before
    })
  expect(await looked((db) => listCurrentHashes(db, scope, 'Accounts', ids, connectionId))).toBe(200)
  expect(await looked((db) => listReplayTargets(db, scope, 'Accounts', ids))).toBe(200)
  const middle = ids[100] ?? ''
  expect(await looked((db) => listUndeletedIds(db, scope, 'Accounts', connectionId, middle, 200)), 'what a listing is compared with').toBe(
    200,
  )
  expect(await looked((db) => listStoredDocuments(db, { ...scope, connectionId }, 'Accounts', middle, 200)), "the owner's file").toBe(200)
})

it.each([
  ['has never been counted', []],
  ['was counted while nothing was staged', ['delete from staged_records', 'vacuum (truncate false) staged_records', 'vacuum analyze']],
])('a run reads only what it has staged itself, while the table %s', async (_what, before) => {
  const { instanceId, companyId } = harness
  const stageOthers = async () =>
    await harness.deps.database.query(
      `insert into staged_records (instance_id, run_id, entity, orig_id, seq, id)
       select $1, $2, 'Accounts', n::text, n / 500, md5(n::text)::uuid from generate_series(1, 5000) n`,
      [instanceId, randomUUID()],
    )
  await harness.deps.database.query('alter table staged_records set (autovacuum_enabled = false)')
  await stageOthers()
  for (const statement of before) await harness.deps.database.query(statement)
  if (before.length > 0) await stageOthers()
  const connectionId = await harness.connect(books)
  const counts = { ...NO_COUNTS }
  const opening = { instanceId, companyId, id: randomUUID(), connectionId, reason: 'first' as const, isAwaited: false, counts }
  const rowsRead = await inTransaction(harness.deps.database, async (db) => {
    const before = await countRead(db, 'staged_records')
    const run = await openRun(db, opening)
    expect([await countStaged(db, run), await listStagedPages(db, run)]).toEqual([0, []])
    await closeRun(db, run, { state: 'unchanged' })
    const owner = { instanceId, companyId, id: connectionId }
    await abandonRuns(db, owner)
    await abandonReplay(db, owner)
    await eraseConnectionData(db, instanceId, connectionId)
    return (await countRead(db, 'staged_records')) - before
  })
  expect(rowsRead).toBe(0)
})

/** Rows of a table that this session has read since it last reported statistics. */
async function countRead(db: Db, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables where relname = $1`,
    [table],
  )
  return rows[0]?.count ?? 0
}
