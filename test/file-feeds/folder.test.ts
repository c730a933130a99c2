import { randomUUID } from 'node:crypto'
import { appendFile, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findActiveConnection } from '../../src/store/connections/connections.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { listDue } from './due.ts'
import { countImports, type FeedHarness, openFeedHarness, statement, UPLOADS } from './harness.ts'

let harness: FeedHarness
beforeEach(async () => {
  harness = await openFeedHarness()
})
afterEach(async () => await harness.close())

const FOLDER = { kind: 'folder', path: 'inbox' } as const

describe('a watched folder', () => {
  it('delivers a company’s accounts: the file is imported, published by a sync, and archived', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'chequing.ofx'], statement('chequing.ofx'))
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect(await harness.files(feed)).toMatchObject([{ name: 'chequing.ofx', state: 'imported', companyId: harness.syncHarness.companyId }])
    expect([await harness.list('inbox'), await harness.list('inbox', 'archive')]).toEqual([['archive'], ['chequing.ofx']])
    const [job] = await harness.query<{ payload: { connectionId: string } }>(
      `select payload from jobs where instance_id = $1 and kind = 'sync'`,
    )
    expect(await harness.syncHarness.sync(job?.payload.connectionId ?? '', { reason: 'file' })).toEqual({ done: true })
    const accounts = await harness.query(`select id from record_versions where instance_id = $1 and entity = 'Accounts'`)
    expect(accounts).toHaveLength(2)
    const [connection] = await harness.query(
      `select status, service_id as service, entity_id as entity from connections where instance_id = $1`,
    )
    expect(connection).toEqual({ status: 19, service: UPLOADS, entity: 'files' })
    const { deps, instanceId, companyId } = harness.syncHarness
    const found = await findActiveConnection(deps.database, instanceId, companyId, UPLOADS)
    expect(found?.updateScheduledAt, 'files are read when they arrive').toBeNull()
  })

  it('archives the same content again without importing it, whatever its name', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'a.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', 'b.ofx'], statement('chequing.ofx'))
    await harness.poll(feed)
    expect((await harness.files(feed)).map(({ state }) => state).sort()).toEqual(['duplicate', 'imported'])
    expect(await countImports(harness)).toBe(1)
    expect(await harness.list('inbox', 'archive')).toEqual(['a.ofx', 'b.ofx'])
  })

  it('imports new content under the name, size and time of an earlier file', async () => {
    const feed = await harness.addFeed(FOLDER)
    const bytes = statement('chequing.ofx')
    const other = Buffer.from(bytes.toString('latin1').replace('-80.15', '-80.16'), 'latin1')
    for (const content of [bytes, other]) {
      await harness.put(['inbox', 'daily.ofx'], content)
      await utimes(harness.path('inbox', 'daily.ofx'), 1_700_000_000, 1_700_000_000)
      await harness.poll(feed)
    }
    expect(await countImports(harness)).toBe(2)
    expect(await harness.list('inbox', 'archive')).toEqual(['daily-2.ofx', 'daily.ofx'])
  })

  it('ignores a file until it has stopped growing', async () => {
    const feed = await harness.addFeed(FOLDER)
    const bytes = statement('chequing.ofx')
    const half = Math.floor(bytes.length / 2)
    await harness.put(['inbox', 'slow.ofx'], bytes.subarray(0, half))
    expect(await harness.poll(feed, 10)).toMatchObject({ done: false, inMs: 10_000, isFailure: false })
    await appendFile(harness.path('inbox', 'slow.ofx'), bytes.subarray(half))
    // Seen long ago, but it has grown since.
    await harness.query(`update feed_arrivals set seen_at = seen_at - interval '1 hour' where instance_id = $1`)
    expect(await harness.poll(feed, 10)).toMatchObject({ done: false })
    expect([await harness.files(feed), await harness.list('inbox')]).toEqual([[], ['slow.ofx']])
    await harness.query(`update feed_arrivals set seen_at = seen_at - interval '11 seconds' where instance_id = $1`)
    expect(await harness.poll(feed, 10)).toEqual({ done: true })
    expect(await harness.files(feed)).toMatchObject([{ state: 'imported' }])
  })

  it.each(['.hidden.ofx', 'big.ofx.part', 'big.filepart', 'x.tmp'])('does not touch %s, which is not finished', async (name) => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', name], statement('chequing.ofx'))
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect(await harness.list('inbox')).toEqual([name])
  })

  it('moves a broken file to quarantine with the reason beside it, and reports it on the timeline and to subscribers', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', '1 good.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', '2 cut 00417700224417.ofx'], statement('chequing.ofx').subarray(0, 300))
    await harness.poll(feed)
    expect(await harness.list('inbox', 'quarantine')).toEqual(['2 cut 00417700224417.ofx', '2 cut 00417700224417.ofx.reason.txt'])
    const reason = await readFile(harness.path('inbox', 'quarantine', '2 cut 00417700224417.ofx.reason.txt'), 'utf8')
    expect(reason).toContain('download it again')
    expect(reason).toContain('téléchargez-le de nouveau')
    const timeline = await harness.query<{ detail: string }>(
      `select detail from connection_timeline where instance_id = $1 order by at, id`,
    )
    expect(timeline.at(-1)?.detail).toMatch(/^Error: the file "2 cut ••••4417.ofx" was refused: .*cut/)
    const [event] = await harness.query<{ body: string }>(
      `select to_jsonb(e)::text as body from events e where instance_id = $1 and kind = 'Error'`,
    )
    expect(event?.body).toContain('FileRefused')
    expect(JSON.stringify([timeline, event, await harness.files(feed)])).not.toContain('00417700224417')
  })

  it('keeps the good statements of a file, and names the bad one beside it, on the timeline and in its list', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'march.bai2'], statement('loan.bai2').toString().replace('16,475,1000,Z', '16,475,1001,Z'))
    await harness.poll(feed)
    expect(await harness.list('inbox', 'archive')).toEqual(['march.bai2', 'march.bai2.reason.txt'])
    const beside = await readFile(harness.path('inbox', 'archive', 'march.bai2.reason.txt'), 'utf8')
    const named = '••••5123: Line 11: the control total in record 49 is 2436567, but the records above give 2436568.'
    expect([beside.includes(named), beside.includes('a été accepté, sauf ce qui suit')]).toEqual([true, true])
    const timeline = await harness.query<{ detail: string }>(
      `select detail from connection_timeline where instance_id = $1 order by at, id`,
    )
    expect(timeline.at(-1)?.detail).toContain(named)
    expect(await harness.files(feed)).toMatchObject([{ state: 'imported', reason: expect.stringContaining(named) }])
    const [job] = await harness.query<{ payload: { connectionId: string } }>(
      `select payload from jobs where instance_id = $1 and kind = 'sync'`,
    )
    expect(await harness.syncHarness.sync(job?.payload.connectionId ?? '', { reason: 'file' })).toEqual({ done: true })
    expect(await harness.query(`select id from record_versions where instance_id = $1 and entity = 'Accounts'`)).toHaveLength(2)
  })

  it('refuses a file of more than 25 MB without reading it', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'huge.ofx'], Buffer.alloc(25 * 1024 * 1024 + 1))
    await harness.poll(feed)
    expect(await harness.files(feed)).toMatchObject([{ state: 'quarantined', reason: expect.stringContaining('25 MB') }])
    expect(await harness.poll(feed)).toEqual({ done: true })
    expect(await harness.files(feed)).toHaveLength(1)
  })

  it('never follows a link out of the folder', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['elsewhere', 'secret.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', 'keep.txt.part'], '')
    await symlink(harness.path('elsewhere', 'secret.ofx'), harness.path('inbox', 'link.ofx'))
    await harness.poll(feed)
    expect(await harness.files(feed)).toEqual([])
    await symlink('/etc', harness.path('outside'))
    const outside = await harness.addFeed({ kind: 'folder', path: 'outside' })
    await harness.poll(outside)
    expect(await harness.problem(outside)).toMatch(/outside/)
  })

  it('imports the oldest file first', async () => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'a-new.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', 'z-old.qfx'], statement('card.qfx'))
    await utimes(harness.path('inbox', 'z-old.qfx'), 1_600_000_000, 1_600_000_000)
    await harness.poll(feed)
    const files = await harness.query<{ name: string }>('select name from source_files where instance_id = $1 order by received_at')
    expect(files.map(({ name }) => name)).toEqual(['z-old.qfx', 'a-new.ofx'])
  })
})

describe('a folder for each company', () => {
  it('imports each company’s own files, and names folders without a company', async () => {
    const { deps, instanceId, companyId } = harness.syncHarness
    const other = await addCompany(deps.database, instanceId)
    const feed = await harness.addFeed(FOLDER, { companyId: null })
    await harness.put(['inbox', companyId, 'a.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', other, 'b.qfx'], statement('card.qfx'))
    await harness.put(['inbox', randomUUID(), 'c.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', 'misc', 'd.ofx'], statement('chequing.ofx'))
    await harness.poll(feed)
    const files = await harness.files(feed)
    expect(new Map(files.map((file) => [file.companyId, file.name]))).toEqual(
      new Map([
        [companyId, 'a.ofx'],
        [other, 'b.qfx'],
      ]),
    )
    expect(await harness.problem(feed)).toMatch(/^2 folders are not named/)
    expect(await harness.list('inbox', 'misc')).toEqual(['d.ofx'])
    expect(await harness.list('inbox', companyId, 'archive')).toEqual(['a.ofx'])
  })
})

describe('killed midway', () => {
  it.each(['before-feed-commit', 'after-feed-commit-before-move'])('%s, nothing is lost and nothing duplicated', async (place) => {
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'good.ofx'], statement('chequing.ofx'))
    await harness.put(['inbox', 'bad.ofx'], 'not a statement')
    const { deps } = harness.syncHarness
    for (let kills = 0; kills < 2; kills += 1) {
      deps.crashPoint = async (name) => {
        if (name === place) throw new Error('killed')
      }
      await expect(harness.poll(feed)).rejects.toThrow('killed')
      delete deps.crashPoint
      if (place === 'before-feed-commit') break
    }
    await harness.poll(feed)
    await harness.poll(feed)
    expect(await countImports(harness)).toBe(1)
    expect((await harness.files(feed)).map(({ state }) => state).sort()).toEqual(['imported', 'quarantined'])
    expect([await harness.list('inbox', 'archive'), await harness.list('inbox', 'quarantine'), await harness.list('inbox')]).toEqual([
      ['good.ofx'],
      ['bad.ofx', 'bad.ofx.reason.txt'],
      ['archive', 'quarantine'],
    ])
  })
})

describe('the schedule', () => {
  it('queues one poll of each due feed, and none of paused ones', async () => {
    const feed = await harness.addFeed(FOLDER)
    const paused = await harness.addFeed({ kind: 'folder', path: 'other' })
    await harness.query('update file_feeds set is_paused = true where instance_id = $1 and id = $2', [paused])
    expect(await listDue(harness)).toEqual([feed])
    expect(await listDue(harness)).toEqual([])
    await harness.query(`update file_feeds set next_at = next_at - interval '16 minutes' where instance_id = $1`)
    expect(await listDue(harness)).toEqual([feed])
  })

  it('is brought forward by changes in a folder, except archive and unfinished files', async () => {
    const { hintFolders } = await import('../../src/store/sources/file-feeds.ts')
    const feed = await harness.addFeed({ kind: 'folder', path: 'caisse/releves' })
    await listDue(harness)
    const { deps, instanceId } = harness.syncHarness
    await hintFolders(deps.database, instanceId, 'caisse/other/a.ofx')
    expect(await listDue(harness)).toEqual([])
    await hintFolders(deps.database, randomUUID(), 'caisse/releves/a.ofx')
    expect(await listDue(harness)).toEqual([])
    await hintFolders(deps.database, instanceId, 'caisse/releves/a.ofx')
    expect(await listDue(harness)).toEqual([feed])
  })

  it('is notified of a new file by the file system', async () => {
    const { watchFeeds } = await import('../../src/sync/file-feeds/file-feed-schedule.ts')
    const feed = await harness.addFeed(FOLDER)
    await harness.put(['inbox', 'x.part'], '')
    await listDue(harness)
    const watcher = watchFeeds(harness.syncHarness.deps.database, harness.syncHarness.deps.log, harness.dir)
    try {
      await writeFile(harness.path('inbox', 'new.ofx'), statement('chequing.ofx'))
      await expect.poll(() => listDue(harness), { timeout: 5_000 }).toEqual([feed])
    } finally {
      await watcher.close()
    }
  })
})
