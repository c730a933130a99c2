import { createHash, randomUUID } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { findFeed, type SettledBefore } from '../../src/store/sources/file-feeds.ts'
import { readCredentials } from '../../src/sync/credentials/credentials.ts'
import { openFolder } from '../../src/sync/file-feeds/file-feed-folder.ts'
import { type FeedFile, takeFile } from '../../src/sync/file-feeds/file-feed-import.ts'
import type { Inbox } from '../../src/sync/file-feeds/file-feed-inbox.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { openFeedHarness, statement, UPLOADS, writeTooLarge } from './harness.ts'

const harness = openForTests(openFeedHarness)
const NOW = new Date('2026-03-05T06:07:08Z')
const GOOD = statement('chequing.ofx')
const IN_PART = Buffer.from(statement('loan.bai2').toString().replace('16,475,1000,Z', '16,475,1001,Z'))
const BAD = Buffer.from('not a statement')
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let companyId: string
let folder: string
let feedId: string
let warnings: unknown[][]
beforeEach(async () => {
  const { deps, instanceId } = harness.syncHarness
  companyId = await addCompany(deps.database, instanceId)
  folder = randomUUID()
  feedId = await harness.addFeed({ kind: 'folder', path: folder }, { companyId })
  warnings = []
  deps.log.warn = (...line: unknown[]) => void warnings.push(line)
  deps.now = () => NOW
})

interface Options {
  before?: SettledBefore | null
  stays?: boolean
  /** What the folder answers other than it would. */
  change?: Partial<Inbox>
}
/** Takes the file as a poll does that has found it unchanged. */
async function take(name: string, { before = null, stays = false, change = {} }: Options = {}) {
  const { deps, instanceId } = harness.syncHarness
  const inbox = await openFolder(harness.dir, instanceId, folder)
  const feed = await findFeed(deps.database, { instanceId, id: feedId })
  const file = await inbox.look('', name)
  if (!feed || !file) throw new Error('there is a feed with this file')
  const mark = { pathHash: Buffer.from(name), size: file.size, modifiedMs: file.modifiedMs }
  const found: FeedFile = { feed, folder: '', companyId, file, mark, before }
  return await takeFile(deps, { ...inbox, ...change }, found, stays)
}
async function putAndTake(name: string, bytes: Uint8Array, options: Options = {}) {
  await harness.put([folder, name], bytes)
  return await take(name, options)
}

async function putTooLarge(name: string): Promise<void> {
  await harness.put([folder, name], '')
  await writeTooLarge(harness.path(folder, name))
}

const settled = () =>
  harness.query(
    `select name, convert_from(path_hash, 'utf8') as path, size::int, encode(content_hash, 'hex') as hash, company_id as company,
       connection_id as connection, state, reason from feed_files where instance_id = $1 and feed_id = $2 order by settled_at`,
    [feedId],
  )
const connections = () => harness.query<{ id: string }>('select * from connections where instance_id = $1 and company_id = $2', [companyId])
const timeline = () =>
  harness.query<{ code: string; parts: object }>(
    `select t.from_status as "from", t.to_status as "to", t.detail_code as code, t.detail, t.detail_parts as parts from connection_timeline t
     join connections c on c.instance_id = t.instance_id and c.id = t.connection_id
     where t.instance_id = $1 and c.company_id = $2 order by t.at, t.id`,
    [companyId],
  )
const stored = () =>
  harness.query(
    `select f.name, encode(f.content_hash, 'hex') as hash from source_files f join connections c on c.instance_id = f.instance_id and c.id = f.connection_id
     where f.instance_id = $1 and c.company_id = $2 order by f.received_at`,
    [companyId],
  )
const jobs = async (connectionId: string) =>
  (
    await harness.query<{ payload: object }>(
      `select payload from jobs where instance_id = $1 and kind = 'sync' and payload->>'connectionId' = $2`,
      [connectionId],
    )
  ).map(({ payload }) => payload)
const events = () =>
  harness.query<{ connection: string; key: string; body: string }>(
    `select session_id as connection, dedupe_key as key, body from events where instance_id = $1 and company_id = $2 and kind = 'Error'`,
    [companyId],
  )
const place = async () => ({
  inbox: (await harness.list(folder)).filter((name) => !['archive', 'quarantine'].includes(name)),
  archive: await harness.list(folder, 'archive'),
  quarantine: await harness.list(folder, 'quarantine'),
})
const beside = (where: string, name: string) => readFile(harness.path(folder, where, `${name}.reason.txt`), 'utf8')

describe('the first file of a company', () => {
  it('makes its connection for files, which is authorized by the feed and read at once', async () => {
    expect(await putAndTake('00417700224417.ofx', GOOD)).toBe('done')
    const [row, ...others] = await connections()
    expect(others).toEqual([])
    expect(row).toMatchObject({
      ...{ company_id: companyId, service_id: UPLOADS, connector_key: 'bank-files', category: 'Banking', status: Status.Authorized },
      ...{ email: '', entity_id: 'files', reference: null, application_id: null, source_keys_id: null, credentials_generation: 1 },
      credentials_refresh_at: null,
    })
    const name = '••••4417.ofx'
    const size = GOOD.length
    const connection = row?.id ?? ''
    expect(await settled()).toEqual([
      { name, path: '00417700224417.ofx', size, hash: hashOf(GOOD), company: companyId, connection, state: 'imported', reason: null },
    ])
    expect(await stored()).toEqual([{ name, hash: hashOf(GOOD) }])
    expect(await timeline()).toMatchObject([
      { from: null, to: Status.Authorization },
      { from: Status.Authorization, to: Status.Authorized, code: 'byFeed', parts: { name: 'Caisse' } },
    ])
    expect((await timeline()).at(-1)).toMatchObject({ detail: 'by the feed "Caisse"' })
    expect(await jobs(connection)).toEqual([{ connectionId: connection, reason: 'feed', isAwaited: true }])
    const { deps, instanceId } = harness.syncHarness
    expect((await readCredentials(deps.database, deps, { instanceId, id: connection })).generation).toBe(1)
    const [file] = await harness.query<{ id: string; sealed: Uint8Array }>(
      'select id, sealed from source_files where instance_id = $1 and connection_id = $2',
      [connection],
    )
    const context = { instanceId, table: 'source_files', rowId: file?.id ?? '', column: 'sealed' }
    expect(hashOf(await deps.sealer.openLarge(context, file?.sealed ?? Buffer.alloc(0)))).toBe(hashOf(GOOD))
    expect([await place(), await events(), warnings]).toEqual([{ inbox: [], archive: ['00417700224417.ofx'], quarantine: [] }, [], []])
  })

  it('that is refused makes no connection and tells no subscriber', async () => {
    expect(await putAndTake('bad.ofx', BAD)).toBe('done')
    const reason = expect.stringMatching(/\w/)
    expect(await settled()).toEqual([
      {
        ...{ name: 'bad.ofx', path: 'bad.ofx', size: BAD.length, hash: hashOf(BAD), company: companyId, connection: null },
        ...{ state: 'quarantined', reason },
      },
    ])
    const [row] = await harness.query<{ id: string; reason: string }>(
      'select id, reason from feed_files where instance_id = $1 and feed_id = $2',
      [feedId],
    )
    expect(warnings).toEqual([[{ feedId, fileId: row?.id }, 'a statement file was refused and is in quarantine']])
    expect([await connections(), await events(), await stored()]).toEqual([[], [], []])
    expect(await place()).toEqual({ inbox: [], archive: [], quarantine: ['bad.ofx', 'bad.ofx.reason.txt'] })
    const text = await beside('quarantine', 'bad.ofx')
    expect([text.includes(row?.reason ?? '?'), text.includes(`bad.ofx was not taken (${NOW.toISOString()})`)]).toEqual([true, true])
    const audited = await harness.query(`select entry from audit_entries where instance_id = $1 and entry like '%malware-found%'`)
    expect(audited, 'only malware is in the audit log').toEqual([])
  })
})

describe('a further file', () => {
  let connection: string
  beforeEach(async () => {
    await putAndTake('first.ofx', GOOD)
    connection = (await connections())[0]?.id ?? ''
    await harness.query('delete from jobs where instance_id = $1')
  })

  it('joins the connection, which is not authorized again', async () => {
    await putAndTake('second.qfx', statement('card.qfx'))
    expect(await connections()).toMatchObject([{ id: connection, credentials_generation: 1, entity_id: 'files' }])
    expect((await timeline()).filter(({ code }) => code === 'byFeed')).toHaveLength(1)
    expect(await jobs(connection)).toEqual([{ connectionId: connection, reason: 'feed', isAwaited: true }])
    expect((await settled()).at(-1)).toMatchObject({ name: 'second.qfx', connection, state: 'imported' })
    expect((await stored()).length).toBe(2)
  })

  it('of the same content is a duplicate: nothing is stored and nothing is read', async () => {
    await putAndTake('again.ofx', GOOD)
    expect((await settled()).at(-1)).toMatchObject({ name: 'again.ofx', connection, state: 'duplicate', reason: null, hash: hashOf(GOOD) })
    expect([await stored(), await jobs(connection)]).toEqual([[{ name: 'first.ofx', hash: hashOf(GOOD) }], []])
    expect((await place()).archive).toEqual(['again.ofx', 'first.ofx'])
  })

  it('that is refused is noted on the connection and told to subscribers', async () => {
    await putAndTake('00417700224417 cut.ofx', BAD)
    const [row] = await harness.query<{ id: string; reason: string }>(
      `select id, reason from feed_files where instance_id = $1 and feed_id = $2 and state = 'quarantined'`,
      [feedId],
    )
    expect((await settled()).at(-1)).toMatchObject({ name: '••••4417 cut.ofx', connection })
    expect((await timeline()).at(-1)).toMatchObject({
      ...{ from: Status.Authorized, to: Status.Authorized, code: 'fileRefused' },
      parts: { name: '••••4417 cut.ofx', en: row?.reason, fr: expect.stringMatching(/\w/) },
    })
    const [event, ...others] = await events()
    expect([event?.connection, event?.key, others]).toEqual([connection, `Error/${connection}/file/${row?.id}`, []])
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      Data: { ServiceName: 'Bank files', Code: 'FileRefused', Message: 'A statement file was refused', IssuedAs: 'Scheduled' },
    })
    expect([await jobs(connection), (await stored()).length]).toEqual([[], 1])
  })

  it('of which a part is left out says so beside it and on the timeline, once', async () => {
    await putAndTake('part.bai2', IN_PART)
    const [, row] = await harness.query<{ reason: string }>(
      'select reason from feed_files where instance_id = $1 and feed_id = $2 order by settled_at',
      [feedId],
    )
    const expected = { from: Status.Authorized, to: Status.Authorized, code: 'fileInPart', parts: { name: 'part.bai2', en: row?.reason } }
    expect((await timeline()).filter(({ code }) => code === 'fileInPart')).toMatchObject([expected])
    const text = await beside('archive', 'part.bai2')
    expect([text.includes(row?.reason ?? '?'), text.includes(`taken, except for what follows (${NOW.toISOString()})`)]).toEqual([
      true,
      true,
    ])
    await putAndTake('copy.bai2', IN_PART)
    expect((await settled()).at(-1)).toMatchObject({ name: 'copy.bai2', state: 'duplicate', reason: row?.reason })
    expect((await timeline()).filter(({ code }) => code === 'fileInPart')).toMatchObject([expected])
    expect((await place()).archive).toEqual(['copy.bai2', 'copy.bai2.reason.txt', 'first.ofx', 'part.bai2', 'part.bai2.reason.txt'])
  })
})

describe('a file that has changed since it was found', () => {
  it.each([
    ['is longer', { size: 1, modifiedMs: 0 }],
    ['is shorter', { size: -1, modifiedMs: 0 }],
    ['was written again', { size: 0, modifiedMs: 1 }],
  ])('because it %s waits, and nothing is done', async (_what, more) => {
    await harness.put([folder, 'a.ofx'], GOOD)
    const { size, mtimeMs } = await stat(harness.path(folder, 'a.ofx'))
    const now = { name: 'a.ofx', size: size + more.size, modifiedMs: Math.floor(mtimeMs) + more.modifiedMs }
    expect(await take('a.ofx', { change: { look: async () => now } })).toBe('waits')
    expect([await settled(), await connections(), (await place()).inbox]).toEqual([[], [], ['a.ofx']])
  })

  it('because it is gone waits, and nothing is done', async () => {
    expect(await putAndTake('a.ofx', GOOD, { change: { look: async () => null } })).toBe('waits')
    expect([await settled(), await connections()]).toEqual([[], []])
  })
})

describe('a file of the largest size', () => {
  const MAX = 25 * 1024 * 1024
  const readSizes: unknown[] = []
  const reading = (bytes: Uint8Array | null): Partial<Inbox> => ({
    read: async (...request) => {
      readSizes.push(request)
      return bytes
    },
  })
  beforeEach(() => void readSizes.splice(0))

  it('is read; one byte more is refused unread, and settled without its content', async () => {
    await putTooLarge('larger.ofx')
    await take('larger.ofx', { change: reading(GOOD) })
    expect([readSizes, await settled()]).toEqual([
      [],
      [expect.objectContaining({ size: MAX + 1, hash: null, state: 'quarantined', reason: expect.stringContaining('25 MB') })],
    ])
    await harness.put([folder, 'largest.ofx'], Buffer.alloc(MAX))
    await take('largest.ofx', { change: reading(Buffer.alloc(MAX)) })
    expect(readSizes).toEqual([['', 'largest.ofx', MAX]])
    expect((await settled()).at(-1)).toMatchObject({ name: 'largest.ofx', reason: expect.stringContaining('none of the formats') })
  })

  it.each([
    ['longer', Buffer.alloc(MAX + 1)],
    ['gone', null],
  ])('that is %s by the time it is read is refused', async (_what, bytes) => {
    await putAndTake('a.ofx', GOOD, { change: reading(bytes) })
    expect(await settled()).toMatchObject([{ state: 'quarantined', reason: expect.stringContaining('25 MB') }])
  })
})

describe('a file that an earlier poll has settled', () => {
  it.each([
    ['an imported one', GOOD, 'imported', { inbox: [], archive: ['a.ofx'], quarantine: [] }],
    ['a refused one', BAD, 'quarantined', { inbox: [], archive: [], quarantine: ['a.ofx', 'a.ofx.reason.txt'] }],
  ] as const)('and did not move is only moved: %s', async (_what, bytes, state, places) => {
    const contentHash = createHash('sha256').update(bytes).digest()
    expect(await putAndTake('a.ofx', bytes, { before: { state, contentHash } })).toBe('done')
    expect([await settled(), await connections(), await place()]).toEqual([[], [], places])
  })

  it('and is too large to have its content compared is only moved', async () => {
    await putTooLarge('a.ofx')
    await take('a.ofx', { before: { state: 'quarantined', contentHash: null } })
    expect([await settled(), (await place()).quarantine]).toEqual([[], ['a.ofx', 'a.ofx.reason.txt']])
  })

  it.each([
    ['other content', createHash('sha256').update('other').digest()],
    ['a size that was too large', null],
  ])('with %s is taken anew', async (_what, contentHash) => {
    await putAndTake('a.ofx', GOOD, { before: { state: 'quarantined', contentHash } })
    expect(await settled()).toMatchObject([{ name: 'a.ofx', state: 'imported' }])
  })
})

describe('a file that has to stay', () => {
  it.each([
    ['good.ofx', GOOD, 'imported'],
    ['part.bai2', IN_PART, 'imported'],
    ['bad.ofx', BAD, 'quarantined'],
  ])('is neither moved nor explained beside it: %s', async (name, bytes, state) => {
    expect(await putAndTake(name, bytes, { stays: true })).toBe('done')
    expect(await settled()).toMatchObject([{ name, state }])
    expect(await place()).toEqual({ inbox: [name], archive: [], quarantine: [] })
  })
})

describe('a deployment without a source of files', () => {
  it('takes none', async () => {
    const { deps, instanceId } = harness.syncHarness
    const without = await openSyncHarness([])
    try {
      const feed = await findFeed(deps.database, { instanceId, id: feedId })
      if (!feed) throw new Error('there is a feed')
      const inbox = await openFolder(harness.dir, instanceId, folder)
      const file = { name: 'a.ofx', size: 1, modifiedMs: 1 }
      const found: FeedFile = { feed, folder: '', companyId, file, mark: { pathHash: Buffer.from('a'), ...file }, before: null }
      await expect(takeFile(without.deps, inbox, found, false)).rejects.toThrow('there is no service that takes files')
    } finally {
      await without.close()
    }
  })
})
