import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockRun, openRun } from '../../src/store/connections/sync-runs.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { openRowCounter, type RowCounter } from '../growth/rows-read.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const ENDED = 5_000

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))

let counter: RowCounter
beforeEach(() => {
  counter = openRowCounter(harness.url)
})
afterEach(async () => await counter.close())

/** Runs of other connections of the instance that begin and end, as PostgreSQL keeps them beside an open transaction. */
async function endRuns(): Promise<void> {
  const { instanceId, companyId } = harness
  await counter.database.query('alter table sync_runs drop constraint sync_runs_instance_id_connection_id_fkey')
  await counter.database.query(
    `insert into sync_runs (instance_id, id, connection_id, reason, state, fence, company_id)
     select $1, gen_random_uuid(), gen_random_uuid(), 'schedule', 'running', 1, $2 from generate_series(1, ${ENDED})`,
    [instanceId, companyId],
  )
  await counter.database.query(`update sync_runs set state = 'unchanged', ended_at = clock_timestamp() where instance_id = $1`, [
    instanceId,
  ])
}

it(`after ${ENDED} runs beside an open transaction, with the statistics of then, a run is locked without reading those`, async () => {
  const connectionId = await harness.connect(books)
  await counter.openSnapshot()
  await endRuns()
  const { instanceId, companyId } = harness
  const opening = { instanceId, companyId, connectionId, id: randomUUID(), reason: 'schedule', isAwaited: false } as const
  const run = await openRun(counter.database, { ...opening, counts: { ...NO_COUNTS } })
  await counter.database.query('analyze sync_runs')
  const lock = async () => expect(await inTransaction(counter.database, (db) => lockRun(db, run))).toBe(true)
  expect(await counter.countEntries('sync_runs', lock)).toBeLessThan(20)
})
