import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { runsOf } from '../harness/app/runs.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

let books: ScriptedSource
let harness: SyncHarness
let id: string

beforeEach(async () => {
  books = new ScriptedSource('books')
  books.accounts = Array.from({ length: 25 }, (_, i) => ({ id: String(1_000 + i), name: `Account ${i}` }))
  books.pageSize = 10
  harness = await openSyncHarness([books])
  id = await harness.connect(books)
})
afterEach(() => harness.close())

/** What PostgreSQL itself does with unlogged tables when it recovers from a crash. */
async function crash(): Promise<void> {
  await harness.deps.database.query('truncate staged_records, staged_runs')
}

/** Runs once, before the third page is requested: two are staged. */
function beforeThirdPage(work: () => Promise<void>): void {
  let isOver = false
  books.beforeFetch = async () => {
    if (books.fetches.at(-1) !== 10 || isOver) return
    isOver = true
    await work()
  }
}

async function published(): Promise<number> {
  const { rows } = await harness.deps.database.query<{ count: number }>(
    'select count(*)::int as count from record_versions where valid_to is null and not deleted',
  )
  return rows[0]?.count ?? 0
}

describe('when PostgreSQL crashes during a run', () => {
  it('its worker, which meets a recovered database, reads everything again and publishes it completely', async () => {
    beforeThirdPage(crash)
    expect(await harness.sync(id, { reason: 'first' })).toEqual({ done: true })
    expect(await published()).toBe(25)
    expect(books.fetches).toEqual([null, 10, 20, null, 10, 20])
    expect((await runsOf(harness, id, 9)).map(({ state }) => state)).toEqual(['published', 'abandoned'])
  })

  it('another worker reads everything again, too, and tells those who wait for it', async () => {
    await harness.sync(id, { reason: 'first' })
    books.faults = [null, null, new SourceError('unavailable', 'away')]
    expect(await harness.sync(id, { isAwaited: true })).toMatchObject({ done: false })
    await crash()
    books.fetches = []
    const events = async () => (await harness.deps.database.query(`select id from events where kind = 'NormalizedData'`)).rows.length
    const before = await events()
    expect(await harness.sync(id)).toEqual({ done: true })
    expect([books.fetches, await published()]).toEqual([[null, 10, 20], 25])
    expect((await events()) - before).toBe(1)
  })

  it('nothing claims that its staging exists once staged records are lost', async () => {
    const { rows } = await harness.deps.database.query<{ name: string }>(
      `select relname as name from pg_class where relpersistence = 'u' and relkind = 'r' order by 1`,
    )
    // Recent changes are known to be lost by their epoch, which is lost with them.
    expect(rows.map(({ name }) => name)).toEqual(['recent_changes', 'recent_changes_epoch', 'staged_records', 'staged_runs'])
  })
})
