import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/db/database.ts'
import { enqueueDueFeeds, watchFeeds } from '../../src/sync/file-feeds/file-feed-schedule.ts'
import { type FeedHarness, openFeedHarness } from './harness.ts'

let harness: FeedHarness
beforeEach(async () => {
  harness = await openFeedHarness()
})
afterEach(async () => await harness.close())

const enqueue = () => enqueueDueFeeds(harness.syncHarness.deps.database)
const jobs = () => harness.query<object>(`select kind, key, payload from jobs where instance_id = $1 order by key`)
const makeDue = () => harness.query(`update file_feeds set next_at = clock_timestamp() where instance_id = $1`)
const due = async () =>
  (await harness.query<{ id: string }>('select id from file_feeds where instance_id = $1 and next_at <= clock_timestamp()')).map(
    ({ id }) => id,
  )

describe('feeds that are due', () => {
  it('are polled each by a job of its own, once in their time', async () => {
    expect(await enqueue()).toBe(0)
    const ids = [await harness.addFeed({ kind: 'folder', path: 'one' }), await harness.addFeed({ kind: 'folder', path: 'two' })]
    const paused = await harness.addFeed({ kind: 'folder', path: 'three' })
    await harness.query('update file_feeds set is_paused = true where instance_id = $1 and id = $2', [paused])
    expect([await enqueue(), await enqueue()]).toEqual([2, 0])
    const expected = ids.sort().map((feedId) => ({ kind: 'fileFeed', key: `feed/${feedId}`, payload: { feedId } }))
    expect(await jobs()).toEqual(expected)
    await makeDue()
    expect(await enqueue()).toBe(2)
    expect(await jobs(), 'a poll that waits is not queued twice').toEqual(expected)
  })
})

describe('the watcher of the folders', () => {
  it('brings a poll forward for files that are complete, in the folder of their feed alone', async () => {
    const { deps } = harness.syncHarness
    await harness.addFeed({ kind: 'folder', path: 'quiet' })
    const changed = await harness.addFeed({ kind: 'folder', path: 'changed' })
    for (const folder of ['quiet', 'quiet/archive', 'quiet/quarantine', 'changed']) await mkdir(harness.path(folder), { recursive: true })
    await mkdir(join(harness.dir, 'no-instance', 'quiet'), { recursive: true })
    await enqueue()
    const watcher = watchFeeds(deps.database, deps.log, harness.dir)
    try {
      for (const path of ['quiet/a.ofx.part', 'quiet/.hidden', 'quiet/archive/a.ofx', 'quiet/quarantine/a.ofx'])
        await writeFile(harness.path(path), '')
      await writeFile(join(harness.dir, 'no-instance', 'quiet', 'a.ofx'), '')
      await writeFile(harness.path('changed', 'a.ofx'), '')
      await expect.poll(due, { timeout: 10_000 }).toEqual([changed])
    } finally {
      await watcher.close()
    }
    expect(await due()).toEqual([changed])
  })

  it('makes the folder that is watched, for its owner and group alone', async () => {
    const { deps } = harness.syncHarness
    const dir = join(harness.dir, 'new', 'feeds')
    await watchFeeds(deps.database, deps.log, dir).close()
    expect((await stat(dir)).mode & 0o007).toBe(0)
  })

  it('that cannot reach the database says so, and goes on', async () => {
    const closed = openDatabase(harness.syncHarness.url, { max: 1 })
    await closed.end()
    const lines: unknown[][] = []
    const log = Object.assign(Object.create(harness.syncHarness.deps.log), { warn: (...line: unknown[]) => void lines.push(line) })
    await harness.put(['inbox', 'x.part'], '')
    const watcher = watchFeeds(closed, log, harness.dir)
    try {
      for (const [index, name] of ['a.ofx', 'b.ofx'].entries()) {
        await writeFile(harness.path('inbox', name), '')
        await expect.poll(() => lines.length, { timeout: 10_000 }).toBeGreaterThan(index)
      }
    } finally {
      await watcher.close()
    }
    for (const line of lines) expect(line).toEqual([{ err: expect.any(Error) }, 'file watcher hint lost; the next poll finds the files'])
  })
})
