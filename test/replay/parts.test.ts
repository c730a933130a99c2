import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { readReplayReport } from '../../src/store/records/replay-reports.ts'
import { handleReplayJob } from '../../src/sync/replay/replay.ts'
import { runsOf } from '../harness/app/runs.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ChangingSource } from './changing-source.ts'
import { replay, requestReplay, workOnce, written } from './replays.ts'

const books = new ChangingSource('books')
let harness: SyncHarness
let id: string
let warnings: unknown[][]
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows

beforeEach(async () => {
  Object.assign(books, { changes: {}, version: 1, pageSize: 10 })
  books.accounts = Array.from({ length: 30 }, (_, n) => ({ id: String(1_000 + n), name: `Account ${n}` }))
  harness = await openSyncHarness([books])
  harness.deps.readLeaseMs = 0
  warnings = []
  harness.deps.log.warn = (...line: unknown[]) => void warnings.push(line)
  harness.deps.log.error = () => undefined
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
})
afterEach(async () => await harness.close())

const inCapitals = { name: (account: { name: string }) => account.name.toUpperCase() }
const pages = async () => (await query('select id from raw_pages order by fetched_at, id')).map((row) => String(row.id))
const stopAfter = (times: number) => {
  let left = times
  harness.deps.crashPoint = async (reached) => {
    if (reached !== 'before-replayed-page-commit') return
    left -= 1
    if (left < 0) throw new Error('the process has ended')
  }
}

describe('a part of a replay', () => {
  it.each([
    ['has ended', `update connections set status = ${Status.Disconnected}`],
    ['has never published', 'update connections set published_at = null'],
  ])('whose connection %s is skipped, and opens no run', async (_what, change) => {
    const before = (await runsOf(harness, id, 10)).length
    const requested = await requestReplay(harness)
    await query(change)
    await workOnce(harness, id)
    const { connections, counts } = await readReplayReport(harness.deps.database, harness.instanceId, requested)
    expect([connections, counts.pages]).toMatchObject([{ skipped: 1, done: 0, waiting: 0, failed: 0 }, 0])
    expect((await runsOf(harness, id, 10)).length).toBe(before)
  })

  it('reports its progress page by page', async () => {
    await requestReplay(harness)
    const advanced: number[] = []
    const signal = { isStopping: () => false, advance: (position: number) => void advanced.push(position) }
    await handleReplayJob(harness.deps, { instanceId: harness.instanceId, payload: { connectionId: id }, attempts: 1 }, signal)
    expect(advanced).toEqual([1, 2, 3])
  })

  it('that stops leaves the other pages to the next, also where all were fetched at one instant', async () => {
    await query('update raw_pages set fetched_at = (select min(fetched_at) from raw_pages)')
    books.release(inCapitals)
    const requested = await requestReplay(harness)
    for (const after of [1, 1, 5]) {
      stopAfter(after)
      await workOnce(harness, id)
    }
    const report = await readReplayReport(harness.deps.database, harness.instanceId, requested)
    expect(report).toMatchObject({ connections: { done: 1 }, counts: { pages: 3, records: 30, changed: 30 } })
  })

  it('publishes with the version of the mapping and the page of each record, as one run', async () => {
    books.release(inCapitals)
    await replay(harness, id)
    const rows = await query(
      `select v.mapping_version as mapping, v.raw_page_id as page, count(*)::int as records from record_versions v where valid_to is null group by 1, 2`,
    )
    expect(rows.sort((a, b) => String(a.page).localeCompare(String(b.page)))).toEqual(
      (await pages()).sort().map((page) => ({ mapping: 2, page, records: 10 })),
    )
    expect(await runsOf(harness, id, 1)).toMatchObject([
      { reason: 'replay', isAwaited: false, state: 'published', counts: { pages: 3, records: 30, changed: 30, setAside: 0 } },
    ])
  })

  it('of a dry run counts the same, and writes nothing', async () => {
    books.release(inCapitals)
    const before = [await written(harness), await runsOf(harness, id, 10)]
    const report = await replay(harness, id, { isDryRun: true })
    expect(report.counts).toMatchObject({ pages: 3, records: 30, changed: 30, added: 0, setAside: 0, withoutPage: 0, unreadablePages: 0 })
    expect(report.changes).toMatchObject([{ entity: 'Accounts', field: 'name', count: 30 }])
    expect([await written(harness), await runsOf(harness, id, 10)]).toEqual(before)
  })
})

describe('a page that cannot be read', () => {
  it.each([
    ['because it does not open', (page: string) => query('update raw_pages set sealed = $2 where id = $1', [page, Buffer.alloc(200)]), 1],
    [
      'because the source has no such list any more',
      (page: string) => query(`update raw_pages set pull = 'former' where id = $1`, [page]),
      0,
    ],
  ])('%s is counted, and the others are replayed', async (_what, spoil, told) => {
    const [, page = ''] = await pages()
    await spoil(page)
    books.release(inCapitals)
    expect((await replay(harness, id)).counts).toMatchObject({ pages: 3, unreadablePages: 1, records: 20, changed: 20 })
    expect(warnings).toEqual(told === 0 ? [] : [[{ connectionId: id, rawPageId: page }, expect.stringMatching(/\w/)]])
  })
})
