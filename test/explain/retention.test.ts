import { beforeAll, expect, it } from 'vitest'
import { applyRetention } from '../../src/sync/connection/retention.ts'
import { openForTests } from '../harness/for-tests.ts'
import { dropSpans } from '../retention/spans.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))
let id = ''
beforeAll(async () => {
  // Those in partitions: test/retention/page-spans.test.ts.
  await dropSpans(harness.deps.database)
  books.accounts = [
    { id: '1', name: 'One' },
    { id: '2', name: 'Two' },
  ]
  books.pageSize = 1
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
})

const KEPT = { links: null, timeline: null, sourceFiles: null, receipts: null, versions: null, runs: null }

/** Deletes old raw pages; returns how many. */
async function tidyRawPages(months: number): Promise<number> {
  let deleted = 0
  const onDeleted = (of: string, count: number): void => {
    if (of === 'rawPages') deleted += count
  }
  await applyRetention(harness.deps.database, { ...KEPT, rawPages: months }, { onDeleted, isStopping: () => false })
  return deleted
}

async function pages(): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ id: string }>('select id from raw_pages order by fetched_at, page')
  return rows.map((row) => row.id)
}

it('keeps an old page while a current record came from it, and deletes it once none does', async () => {
  const { database } = harness.deps
  const [first = '', second = ''] = await pages()
  await database.query(`update raw_pages set fetched_at = fetched_at - interval '25 months'`)
  expect(await tidyRawPages(24)).toBe(0)
  books.accounts = [
    { id: '1', name: 'One, renamed' },
    { id: '2', name: 'Two' },
  ]
  await harness.sync(id)
  expect(await tidyRawPages(26), 'it is younger than that').toBe(0)
  expect(await tidyRawPages(24), 'it was looked at this month').toBe(0)
  await database.query(`update raw_pages set reviewed_at = reviewed_at - interval '1 month'`)
  expect(await tidyRawPages(27), 'the period is longer now').toBe(0)
  await database.query(`update raw_pages set reviewed_at = reviewed_at - interval '1 month'`)
  expect(await tidyRawPages(24)).toBe(1)
  const left = await pages()
  expect(left).not.toContain(first)
  expect(left).toContain(second)
})

it('keeps an old page with a record that was set aside', async () => {
  const { database } = harness.deps
  books.accounts = [
    { id: '1', name: 'One, renamed' },
    { id: '2', name: 7 },
  ]
  await harness.sync(id)
  await database.query(`update raw_pages set fetched_at = fetched_at - interval '25 months'`)
  expect(await tidyRawPages(24)).toBe(0)
})

it('a refresh works as before if the page of an unchanged answer was deleted', async () => {
  const { database } = harness.deps
  books.accounts = [
    { id: '1', name: 'One, renamed' },
    { id: '2', name: 'Two' },
  ]
  await harness.sync(id)
  await database.query('delete from raw_pages')
  await harness.sync(id)
  const { rows } = await database.query<{ state: string }>('select state from sync_runs order by started_at desc limit 1')
  expect(rows[0]?.state).toBe('unchanged')
})
