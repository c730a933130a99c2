import { randomUUID } from 'node:crypto'
import { appendFile, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCompany } from '../../src/store/connections/companies.ts'
import { listDue } from './due.ts'
import { countImports, type Stage, setStage, statement, UPLOADS } from './stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await setStage()
})
afterEach(async () => await stage.close())

const FOLDER = { kind: 'folder', path: 'inbox' } as const

describe('a watched folder', () => {
  it('gives a company its accounts: the file is imported, published by a sync, and archived', async () => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', 'chequing.ofx'], statement('chequing.ofx'))
    expect(await stage.look(feed)).toEqual({ done: true })
    expect(await stage.files(feed)).toMatchObject([{ name: 'chequing.ofx', state: 'imported', companyId: stage.house.companyId }])
    expect([await stage.list('inbox'), await stage.list('inbox', 'archive')]).toEqual([['archive'], ['chequing.ofx']])
    const [job] = await stage.query<{ payload: { connectionId: string } }>(
      `select payload from jobs where instance_id = $1 and kind = 'sync'`,
    )
    expect(await stage.house.sync(job?.payload.connectionId ?? '', { reason: 'file' })).toEqual({ done: true })
    const accounts = await stage.query(`select id from record_versions where instance_id = $1 and entity = 'Accounts'`)
    expect(accounts).toHaveLength(2)
    const [connection] = await stage.query(
      `select status, service_id as service, entity_id as entity from connections where instance_id = $1`,
    )
    expect(connection).toEqual({ status: 19, service: UPLOADS, entity: 'files' })
  })

  it('archives the same content a second time without importing it again, whatever its name', async () => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', 'a.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', 'b.ofx'], statement('chequing.ofx'))
    await stage.look(feed)
    expect((await stage.files(feed)).map(({ state }) => state).sort()).toEqual(['duplicate', 'imported'])
    expect(await countImports(stage)).toBe(1)
    expect(await stage.list('inbox', 'archive')).toEqual(['a.ofx', 'b.ofx'])
  })

  it('imports another content that comes under the name, size and time of an earlier file', async () => {
    const feed = await stage.addFeed(FOLDER)
    const bytes = statement('chequing.ofx')
    const other = Buffer.from(bytes.toString('latin1').replace('-80.15', '-80.16'), 'latin1')
    for (const content of [bytes, other]) {
      await stage.put(['inbox', 'daily.ofx'], content)
      await utimes(stage.path('inbox', 'daily.ofx'), 1_700_000_000, 1_700_000_000)
      await stage.look(feed)
    }
    expect(await countImports(stage)).toBe(2)
    expect(await stage.list('inbox', 'archive')).toEqual(['daily-2.ofx', 'daily.ofx'])
  })

  it('leaves a file alone until it has stopped growing', async () => {
    const feed = await stage.addFeed(FOLDER)
    const bytes = statement('chequing.ofx')
    const half = Math.floor(bytes.length / 2)
    await stage.put(['inbox', 'slow.ofx'], bytes.subarray(0, half))
    expect(await stage.look(feed, 10)).toMatchObject({ done: false, inMs: 10_000, isFailure: false })
    await appendFile(stage.path('inbox', 'slow.ofx'), bytes.subarray(half))
    // Seen long ago, but it has grown since.
    await stage.query(`update feed_arrivals set seen_at = seen_at - interval '1 hour' where instance_id = $1`)
    expect(await stage.look(feed, 10)).toMatchObject({ done: false })
    expect([await stage.files(feed), await stage.list('inbox')]).toEqual([[], ['slow.ofx']])
    await stage.query(`update feed_arrivals set seen_at = seen_at - interval '11 seconds' where instance_id = $1`)
    expect(await stage.look(feed, 10)).toEqual({ done: true })
    expect(await stage.files(feed)).toMatchObject([{ state: 'imported' }])
  })

  it.each(['.hidden.ofx', 'big.ofx.part', 'big.filepart', 'x.tmp'])('does not touch %s, which is not finished', async (name) => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', name], statement('chequing.ofx'))
    expect(await stage.look(feed)).toEqual({ done: true })
    expect(await stage.list('inbox')).toEqual([name])
  })

  it('puts a broken file into quarantine with the reason beside it, and the connection’s timeline and subscribers hear of it', async () => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', '1 good.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', '2 cut 00417700224417.ofx'], statement('chequing.ofx').subarray(0, 300))
    await stage.look(feed)
    expect(await stage.list('inbox', 'quarantine')).toEqual(['2 cut 00417700224417.ofx', '2 cut 00417700224417.ofx.reason.txt'])
    const reason = await readFile(stage.path('inbox', 'quarantine', '2 cut 00417700224417.ofx.reason.txt'), 'utf8')
    expect(reason).toContain('download it again')
    expect(reason).toContain('téléchargez-le de nouveau')
    const timeline = await stage.query<{ detail: string }>(`select detail from connection_timeline where instance_id = $1 order by at, id`)
    expect(timeline.at(-1)?.detail).toMatch(/^Error: the file "2 cut ••••4417.ofx" was refused: .*cut/)
    const [event] = await stage.query<{ body: string }>(
      `select to_jsonb(e)::text as body from events e where instance_id = $1 and kind = 'Error'`,
    )
    expect(event?.body).toContain('FileRefused')
    expect(JSON.stringify([timeline, event, await stage.files(feed)])).not.toContain('00417700224417')
  })

  it('refuses a file of more than 25 MB without reading it', async () => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', 'huge.ofx'], Buffer.alloc(25 * 1024 * 1024 + 1))
    await stage.look(feed)
    expect(await stage.files(feed)).toMatchObject([{ state: 'quarantined', reason: expect.stringContaining('25 MB') }])
    expect(await stage.look(feed)).toEqual({ done: true })
    expect(await stage.files(feed)).toHaveLength(1)
  })

  it('never follows a link out of the folder', async () => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['elsewhere', 'secret.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', 'keep.txt.part'], '')
    await symlink(stage.path('elsewhere', 'secret.ofx'), stage.path('inbox', 'link.ofx'))
    await stage.look(feed)
    expect(await stage.files(feed)).toEqual([])
    await symlink('/etc', stage.path('outside'))
    const outside = await stage.addFeed({ kind: 'folder', path: 'outside' })
    await stage.look(outside)
    expect(await stage.problem(outside)).toMatch(/outside/)
  })

  it('takes the oldest file first', async () => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', 'a-new.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', 'z-old.qfx'], statement('card.qfx'))
    await utimes(stage.path('inbox', 'z-old.qfx'), 1_600_000_000, 1_600_000_000)
    await stage.look(feed)
    const files = await stage.query<{ name: string }>('select name from source_files where instance_id = $1 order by received_at')
    expect(files.map(({ name }) => name)).toEqual(['z-old.qfx', 'a-new.ofx'])
  })
})

describe('a folder for each company', () => {
  it('gives each company its own files, and names folders that are no company’s', async () => {
    const { deps, instanceId, companyId } = stage.house
    const other = randomUUID()
    const details = { name: 'Épicerie du Coin', industry: '', fullAddress: '', country: 'CA', city: '', companyContactNumber: '' }
    await createCompany(deps.database, instanceId, other, details)
    const feed = await stage.addFeed(FOLDER, { companyId: null })
    await stage.put(['inbox', companyId, 'a.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', other, 'b.qfx'], statement('card.qfx'))
    await stage.put(['inbox', randomUUID(), 'c.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', 'misc', 'd.ofx'], statement('chequing.ofx'))
    await stage.look(feed)
    const files = await stage.files(feed)
    expect(new Map(files.map((file) => [file.companyId, file.name]))).toEqual(
      new Map([
        [companyId, 'a.ofx'],
        [other, 'b.qfx'],
      ]),
    )
    expect(await stage.problem(feed)).toMatch(/^2 folders are not named/)
    expect(await stage.list('inbox', 'misc')).toEqual(['d.ofx'])
    expect(await stage.list('inbox', companyId, 'archive')).toEqual(['a.ofx'])
  })
})

describe('killed in the middle', () => {
  it.each(['before-feed-commit', 'after-feed-commit-before-move'])('%s, nothing is lost and nothing doubled', async (place) => {
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', 'good.ofx'], statement('chequing.ofx'))
    await stage.put(['inbox', 'bad.ofx'], 'not a statement')
    const { deps } = stage.house
    for (let kills = 0; kills < 2; kills += 1) {
      deps.crashPoint = async (name) => {
        if (name === place) throw new Error('killed')
      }
      await expect(stage.look(feed)).rejects.toThrow('killed')
      delete deps.crashPoint
      if (place === 'before-feed-commit') break
    }
    await stage.look(feed)
    await stage.look(feed)
    expect(await countImports(stage)).toBe(1)
    expect((await stage.files(feed)).map(({ state }) => state).sort()).toEqual(['imported', 'quarantined'])
    expect([await stage.list('inbox', 'archive'), await stage.list('inbox', 'quarantine'), await stage.list('inbox')]).toEqual([
      ['good.ofx'],
      ['bad.ofx', 'bad.ofx.reason.txt'],
      ['archive', 'quarantine'],
    ])
  })
})

describe('the schedule', () => {
  it('queues one look at each feed that is due, and none at paused ones', async () => {
    const feed = await stage.addFeed(FOLDER)
    const paused = await stage.addFeed({ kind: 'folder', path: 'other' })
    await stage.query('update file_feeds set is_paused = true where instance_id = $1 and id = $2', [paused])
    expect(await listDue(stage)).toEqual([feed])
    expect(await listDue(stage)).toEqual([])
    await stage.query(`update file_feeds set next_at = next_at - interval '16 minutes' where instance_id = $1`)
    expect(await listDue(stage)).toEqual([feed])
  })

  it('is brought forward by what happens in a folder, archive and unfinished files aside', async () => {
    const { hintFolders } = await import('../../src/store/sources/file-feeds.ts')
    const feed = await stage.addFeed({ kind: 'folder', path: 'caisse/releves' })
    await listDue(stage)
    const { deps, instanceId } = stage.house
    await hintFolders(deps.database, instanceId, 'caisse/other/a.ofx')
    expect(await listDue(stage)).toEqual([])
    await hintFolders(deps.database, randomUUID(), 'caisse/releves/a.ofx')
    expect(await listDue(stage)).toEqual([])
    await hintFolders(deps.database, instanceId, 'caisse/releves/a.ofx')
    expect(await listDue(stage)).toEqual([feed])
  })

  it('hears of a new file from the file system', async () => {
    const { watchFeeds } = await import('../../src/sync/file-feeds/file-feed-schedule.ts')
    const feed = await stage.addFeed(FOLDER)
    await stage.put(['inbox', 'x.part'], '')
    await listDue(stage)
    const watcher = watchFeeds(stage.house.deps, stage.dir)
    try {
      await writeFile(stage.path('inbox', 'new.ofx'), statement('chequing.ofx'))
      await expect.poll(() => listDue(stage), { timeout: 5_000 }).toEqual([feed])
    } finally {
      await watcher.close()
    }
  })
})
