import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { closeUsageDays, readUsage } from '../../src/store/access/usage.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))
let id = ''
beforeAll(async () => {
  id = await harness.connect(books)
  await addRuns({ published: 3, failed: 2 }, 5)
  await addRuns({ published: 4 }, 1)
  await addRuns({ unchanged: 1 }, 0)
})

/** Runs that began at noon UTC a number of days ago. */
async function addRuns(states: Record<string, number>, daysAgo: number): Promise<void> {
  for (const [state, count] of Object.entries(states)) {
    for (let n = 0; n < count; n += 1) {
      await harness.deps.database.query(
        `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, started_at)
         values ($1, $2, $3, $6, 'schedule', $4, 1, ((statement_timestamp() at time zone 'UTC')::date - $5::int + time '00:00') at time zone 'UTC')`,
        [harness.instanceId, randomUUID(), id, state, daysAgo, harness.companyId],
      )
    }
  }
}

const counts = async (days: number) =>
  (await readUsage(harness.deps.database, harness.instanceId, days)).runs.map(({ state, count }) => [state, count])
const ALL = [
  ['failed', 2],
  ['published', 3],
  ['published', 4],
  ['unchanged', 1],
]

it('a month of usage is the same before and after its days are closed, and closed days are not counted again', async () => {
  expect(await counts(30)).toEqual(ALL)
  await closeUsageDays(harness.deps.database)
  await closeUsageDays(harness.deps.database)
  expect(await counts(30)).toEqual(ALL)
  await harness.deps.database.query(`delete from sync_runs where state = 'failed'`)
  expect(await counts(30), 'the fifth day ago is closed').toEqual(ALL)
  await harness.deps.database.query(`delete from sync_runs where state = 'unchanged'`)
  expect(await counts(30), 'today is not').toEqual(ALL.slice(0, 3))
  expect(await counts(5)).toEqual([['published', 4]])
  const other = await readUsage(harness.deps.database, await addInstance(harness.deps.database), 30)
  expect(other.runs).toEqual([])
})

it('a day with an unfinished run is left open', async () => {
  await addRuns({ running: 1 }, 7)
  await harness.deps.database.query('delete from usage_days')
  await closeUsageDays(harness.deps.database)
  await harness.deps.database.query(`update sync_runs set state = 'abandoned' where state = 'running'`)
  expect((await counts(30))[0]).toEqual(['abandoned', 1])
  await closeUsageDays(harness.deps.database)
  expect((await counts(30))[0]).toEqual(['abandoned', 1])
})
