import { randomUUID } from 'node:crypto'
import { utimes } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFeed, type FeedSource } from '../../src/store/sources/file-feeds.ts'
import { pollFeed } from '../../src/sync/file-feeds/file-feed.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { type FeedHarness, openFeedHarness, statement, writeTooLarge } from './harness.ts'

const FOLDER = { kind: 'folder', path: 'inbox' } as const
const STILL_ARRIVING = { done: false, inMs: 0, isFailure: false, reason: 'files are still arriving' }

let harness: FeedHarness
let warnings: unknown[][]
beforeEach(async () => {
  harness = await openFeedHarness()
  warnings = []
  harness.syncHarness.deps.log.warn = (...line: unknown[]) => void warnings.push(line)
})
afterEach(async () => await harness.close())

const poll = (id: string, options: { settleS?: number; isStopping?: () => boolean } = {}) =>
  pollFeed(harness.syncHarness.deps, { instanceId: harness.syncHarness.instanceId, id, isStopping: () => false, ...options })
const putAt = async (parts: string[], seconds: number) => {
  await harness.put(parts, '')
  await writeTooLarge(harness.path(...parts))
  await utimes(harness.path(...parts), seconds, seconds)
}
/** Names of the files that are done with, in the order in which they were taken. */
const taken = async () =>
  (await harness.query<{ name: string }>('select name from feed_files where instance_id = $1 order by settled_at')).map(({ name }) => name)
const feedRow = async (id: string) =>
  (
    await harness.query<object>(
      'select problem, checked_at is not null as "isChecked" from file_feeds where instance_id = $1 and id = $2',
      [id],
    )
  )[0]
const arrivals = async () => (await harness.query('select from feed_arrivals where instance_id = $1')).length

describe('a poll', () => {
  it('takes the oldest file first, and of two of the same time the first by name', async () => {
    const feed = await harness.addFeed(FOLDER)
    for (const [name, seconds] of Object.entries({ 'b.ofx': 2_000, 'd.ofx': 1_000, 'a.ofx': 3_000, 'c.ofx': 2_000, 'B.ofx': 2_000 }))
      await putAt(['inbox', name], seconds)
    expect(await poll(feed, { settleS: 0 })).toEqual({ done: true })
    expect(await taken()).toEqual(['d.ofx', 'B.ofx', 'b.ofx', 'c.ofx', 'a.ofx'])
  })

  it('waits ten seconds for a file to stop growing, and is repeated after that time', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'a.ofx'], 'not a statement')
    expect(await poll(feed)).toEqual({ ...STILL_ARRIVING, inMs: 10_000 })
    expect([await taken(), await feedRow(feed)]).toEqual([[], { problem: null, isChecked: true }])
    await harness.query(`update feed_arrivals set seen_at = seen_at - interval '9 seconds' where instance_id = $1`)
    expect(await poll(feed)).toEqual({ ...STILL_ARRIVING, inMs: 10_000 })
    await harness.query(`update feed_arrivals set seen_at = seen_at - interval '2 seconds' where instance_id = $1`)
    expect(await poll(feed)).toEqual({ done: true })
    expect(await taken()).toEqual(['a.ofx'])
  })

  it('takes 200 files, the oldest, and leaves the others to the next', async () => {
    const feed = await harness.addFeed(FOLDER)
    const names = Array.from({ length: 202 }, (_, n) => `${String(n).padStart(3, '0')}.ofx`)
    for (const name of names) await putAt(['inbox', name], 1_000)
    expect(await poll(feed, { settleS: 0 })).toEqual(STILL_ARRIVING)
    expect(await taken()).toEqual(names.slice(0, 200))
    expect(await poll(feed, { settleS: 0 })).toEqual({ done: true })
    expect(await taken()).toEqual(names)
  })

  it('takes no further file once its process stops, and forgets none that has arrived', async () => {
    const feed = await harness.addFeed(FOLDER)
    for (const name of ['a.ofx', 'b.ofx', 'c.ofx']) await putAt(['inbox', name], 1_000)
    await poll(feed, { settleS: 10 })
    let asked = 0
    const isStopping = () => ++asked > 1
    expect(await poll(feed, { settleS: 0, isStopping })).toEqual(STILL_ARRIVING)
    expect([await taken(), await arrivals()]).toEqual([['a.ofx'], 3])
  })

  it('forgets arrivals of files that are gone, of its own feed alone', async () => {
    const feed = await harness.addFeed(FOLDER)
    const other = await harness.addFeed({ kind: 'folder', path: 'other' })
    for (const folder of ['inbox', 'other']) await putAt([folder, 'a.ofx'], 1_000)
    for (const id of [feed, other]) await poll(id)
    expect(await arrivals()).toBe(2)
    await poll(feed, { settleS: 0 })
    expect(await arrivals(), 'the file was there when this poll began').toBe(2)
    await poll(feed)
    const left = await harness.query<{ feed: string }>('select feed_id as feed from feed_arrivals where instance_id = $1')
    expect(left).toEqual([{ feed: other }])
  })

  it.each(['that is paused', 'that does not exist'])('of a feed %s reads nothing', async (which) => {
    const feed = await harness.addFeed(FOLDER)
    await putAt(['inbox', 'a.ofx'], 1_000)
    if (which === 'that is paused') await harness.query('update file_feeds set is_paused = true where instance_id = $1')
    expect(await poll(which === 'that is paused' ? feed : randomUUID(), { settleS: 0 })).toEqual({ done: true })
    expect([await taken(), await harness.list('inbox'), await feedRow(feed)]).toEqual([[], ['a.ofx'], { problem: null, isChecked: false }])
  })
})

describe('a feed that cannot be read', () => {
  const SFTP: FeedSource = {
    kind: 'sftp',
    host: '127.0.0.1',
    port: 1,
    user: 'lender',
    path: '/',
    hostKey: `SHA256:${'A'.repeat(43)}`,
    authentication: 'password',
    afterwards: 'move',
  }

  it.each([
    [
      'a folder where the deployment has none',
      FOLDER,
      () => ({ dir: null, allowPrivate: true }),
      'this deployment has no folder for feeds',
    ],
    ['a folder where feeds are not set up', FOLDER, () => undefined, 'this deployment has no folder for feeds'],
    ['a server without password and key', SFTP, () => ({ dir: null, allowPrivate: true }), 'the feed has no password and no key'],
  ])('%s, says so, waits for its next time, and is read once it can be', async (_what, source, feeds, problem) => {
    const { deps } = harness.syncHarness
    const before = deps.feeds
    const feed = await harness.addFeed(source)
    Object.assign(deps, { feeds: feeds() })
    expect(await poll(feed)).toEqual({ done: true })
    expect(await feedRow(feed)).toEqual({ problem, isChecked: true })
    expect(warnings).toEqual([[{ feedId: feed, problem }, 'file feed unreachable']])
    Object.assign(deps, { feeds: before })
    await harness.query('update file_feeds set source = $2 where instance_id = $1', [JSON.stringify(FOLDER)])
    await poll(feed)
    expect(await feedRow(feed)).toEqual({ problem: null, isChecked: true })
  })

  it('because of a fault of ours is not said to be unreachable', async () => {
    const feed = await harness.addFeed(FOLDER)
    await putAt(['inbox', 'a.ofx'], 1_000)
    harness.syncHarness.deps.crashPoint = async () => {
      throw new Error('a fault')
    }
    await expect(poll(feed, { settleS: 0 })).rejects.toThrow('a fault')
    expect([await feedRow(feed), warnings.some(([, text]) => text === 'file feed unreachable')]).toEqual([
      { problem: null, isChecked: false },
      false,
    ])
  })
})

describe('a feed with a folder for each company', () => {
  it('takes from those of its instance, however their ids are written, and counts the others', async () => {
    const { deps, instanceId } = harness.syncHarness
    const [one, two] = [await addCompany(deps.database, instanceId), await addCompany(deps.database, instanceId)]
    const foreign = await addCompany(deps.database, await addInstance(deps.database))
    const feed = await harness.addFeed(FOLDER, { companyId: null })
    const folders = [one.toUpperCase(), two].sort()
    for (const folder of [...folders, foreign]) await putAt(['inbox', folder, 'same.ofx'], 1_000)
    await putAt(['inbox', 'of-none.ofx'], 1_000)
    await poll(feed, { settleS: 0 })
    expect(await feedRow(feed)).toMatchObject({
      problem: '1 folders are not named by the id of a company; nothing was taken from them',
    })
    const files = await harness.query<{ name: string; company: string }>(
      'select name, company_id as company from feed_files where instance_id = $1 order by settled_at',
    )
    expect(files).toEqual(folders.map((folder) => ({ name: 'same.ofx', company: folder.toLowerCase() })))
    expect(await harness.list('inbox')).toEqual([...folders, foreign, 'of-none.ofx'].sort())
    expect(await harness.list('inbox', one.toUpperCase())).toEqual(['quarantine'])
    expect(await harness.list('inbox', foreign)).toEqual(['same.ofx'])
  })

  it('knows equal files of two companies apart, and of two feeds', async () => {
    const { deps, instanceId, companyId } = harness.syncHarness
    const other = await addCompany(deps.database, instanceId)
    const feed = await harness.addFeed(FOLDER, { companyId: null })
    const twin = { instanceId, id: randomUUID() }
    await createFeed(
      deps.database,
      twin,
      { name: 'Twin', companyId, source: { kind: 'folder', path: `inbox/${companyId}` }, everyMinutes: 15, isPaused: false },
      null,
    )
    for (const company of [companyId, other]) {
      await harness.put(['inbox', company, 'a.ofx'], statement('chequing.ofx'))
      await utimes(harness.path('inbox', company, 'a.ofx'), 1_000, 1_000)
    }
    for (const id of [feed, twin.id]) await poll(id)
    const marks = await harness.query<{ marks: string }>(
      'select count(distinct path_hash)::int as marks from feed_arrivals where instance_id = $1',
    )
    expect(marks).toEqual([{ marks: 3 }])
    await poll(feed, { settleS: 0 })
    expect(await feedRow(feed)).toEqual({ problem: null, isChecked: true })
    const found = await harness.query<{ company: string }>('select company_id as company from source_files where instance_id = $1')
    expect(found.map(({ company }) => company).sort()).toEqual([companyId, other].sort())
  })
})
