import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Clause } from '../../../src/store/db/list-selection.ts'
import {
  claimDueFeeds,
  createFeed,
  deleteFeed,
  type FeedSource,
  findFeed,
  findFeedSecret,
  findSettled,
  hasDueFeeds,
  hintFolders,
  listFeeds,
  listSettled,
  type NewFeed,
  noteArrival,
  noteChecked,
  pruneArrivals,
  replaceFeed,
  settleFile,
} from '../../../src/store/sources/file-feeds.ts'
import { listSettledPaths } from '../../../src/store/sources/settled-files.ts'
import { findNextFile, storeFile } from '../../../src/store/sources/source-files.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { listColumn, setColumns, storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  await test.database.query('truncate file_feeds cascade')
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId, companyId } = tenants)
})

const folder = (path: string): FeedSource => ({ kind: 'folder', path })
const newFeed = (more: Partial<NewFeed> = {}): NewFeed => ({
  ...{ name: 'Inbox', companyId, source: folder('in'), everyMinutes: 15, isPaused: false, ...more },
})

async function store(more: Partial<NewFeed> = {}, secret: Uint8Array | null = null, of = instanceId) {
  const key = { instanceId: of, id: randomUUID() }
  await createFeed(test.database, key, newFeed(more), secret)
  return key
}

const foreign = (key: { id: string }) => ({ ...key, instanceId: otherId })
const where = (property: string, value: string | null): Clause[][] => [[{ property, operator: '=', value }]]
const page = { filter: [], limit: 10, offset: 0 }

describe('a file feed', () => {
  it('is stored with its source, and found in its instance only', async () => {
    const { database } = test
    const source: FeedSource = {
      ...{
        kind: 'sftp',
        host: 'sftp.example',
        port: 22,
        user: 'u',
        path: '/out',
        hostKey: 'SHA256:x',
        authentication: 'key',
        afterwards: 'move',
      },
    }
    const key = await store({ source }, Buffer.from('sealed'))
    const found = { ...key, ...newFeed({ source }), checkedAt: null, problem: null, createdAt: expect.any(Date) }
    expect([await findFeed(database, key), await findFeedSecret(database, key)]).toEqual([found, Buffer.from('sealed')])
    expect([await findFeed(database, foreign(key)), await findFeedSecret(database, foreign(key))]).toEqual([null, null])
    expect(await findFeedSecret(database, await store())).toBe(null)
  })

  it('is replaced and due at once; its secret stays, is replaced or is removed', async () => {
    const { database } = test
    const key = await store({}, Buffer.from('first'))
    await noteChecked(database, key, 'no such folder')
    await setColumns(database, 'file_feeds', key, { next_at: `now() + interval '1 hour'` })
    const next = newFeed({ name: 'Other', companyId: null, source: folder('out'), everyMinutes: 5, isPaused: true })
    expect([await replaceFeed(database, foreign(key), next, null), await replaceFeed(database, key, next, undefined)]).toEqual([
      false,
      true,
    ])
    expect(await findFeed(database, key)).toMatchObject({ ...next, problem: null })
    expect(await findFeedSecret(database, key)).toEqual(Buffer.from('first'))
    expect(await listColumn(database, 'file_feeds', 'next_at <= clock_timestamp()', instanceId)).toEqual([true])
    for (const secret of [Buffer.from('second'), null]) {
      await replaceFeed(database, key, next, secret)
      expect(await findFeedSecret(database, key)).toEqual(secret)
    }
  })

  it('is deleted once, in its instance', async () => {
    const { database } = test
    const key = await store()
    expect([await deleteFeed(database, foreign(key)), await deleteFeed(database, key), await deleteFeed(database, key)]).toEqual([
      ...[false, true, false],
    ])
  })

  it('is one of a list with filters and pages', async () => {
    const { database } = test
    const [one, two, three] = [await store(), await store({ name: 'Second', companyId: null }), await store({ isPaused: true })]
    await store({ companyId: tenants.otherCompanyId }, null, otherId)
    await noteChecked(database, one, 'late')
    await noteChecked(database, foreign(two), 'x')
    const list = async (more: Partial<Parameters<typeof listFeeds>[2]> = {}) => {
      const { feeds, total } = await listFeeds(database, instanceId, { ...page, ...more })
      return [feeds.map(({ id }) => id), total]
    }
    expect([await list(), await list({ limit: 1, offset: 1 }), await list({ offset: 9 })]).toEqual([
      [[one.id, two.id, three.id], 3],
      [[two.id], 3],
      [[], 0],
    ])
    expect([
      await list({ filter: where('name', 'Second') }),
      await list({ filter: where('companyId', null) }),
      await list({ filter: where('isPaused', 'true') }),
    ]).toEqual([
      [[two.id], 1],
      [[two.id], 1],
      [[three.id], 1],
    ])
    expect([await list({ filter: where('id', one.id) }), await list({ filter: where('checkedOn', null) })]).toEqual([
      [[one.id], 1],
      [[two.id, three.id], 2],
    ])
    const { feeds } = await listFeeds(database, instanceId, { ...page, filter: where('id', one.id) })
    expect(feeds).toEqual([{ ...one, ...newFeed(), checkedAt: expect.any(Date), problem: 'late', createdAt: expect.any(Date) }])
    await noteChecked(database, one, null)
    expect((await findFeed(database, one))?.problem).toBe(null)
  })

  it('that is due is claimed once, the longest due first, and comes again after its minutes', async () => {
    const { database } = test
    expect([await hasDueFeeds(database), await claimDueFeeds(database, 5)]).toEqual([false, []])
    const [late, later, paused, waiting] = [await store(), await store(), await store({ isPaused: true }), await store()]
    for (const [key, next] of [
      [late, `now() - interval '2 hours'`],
      [later, `now() - interval '1 hour'`],
      [paused, `now() - interval '1 hour'`],
      [waiting, `now() + interval '1 hour'`],
    ] as const)
      await setColumns(database, 'file_feeds', key, { next_at: next })
    expect([await hasDueFeeds(database), await claimDueFeeds(database, 1), await claimDueFeeds(database, 5)]).toEqual([
      true,
      [late],
      [later],
    ])
    expect([await hasDueFeeds(database), await claimDueFeeds(database, 5)]).toEqual([false, []])
    const minutes = await listColumn(database, 'file_feeds', `round(extract(epoch from next_at - now()) / 60)::int`, instanceId)
    expect(minutes).toEqual([-60, 15, 15, 60])
  })

  it.each<[string, string, boolean]>([
    ['in', 'in', true],
    ['in/sub/a.csv', 'in', true],
    ['in', 'in/sub', false],
    ['inbox', 'in', false],
  ])('of a folder is due after a change of %s: %s → %s', async (changed, path, isExpected) => {
    const { database } = test
    const keys = [await store({ source: folder(path) }), await store({ source: folder(path), isPaused: true })]
    await store({ source: folder(path), companyId: null }, null, otherId)
    const sftp: FeedSource = {
      kind: 'sftp',
      host: 'h',
      port: 22,
      user: 'u',
      path,
      hostKey: 'k',
      authentication: 'key',
      afterwards: 'leave',
    }
    await store({ source: sftp })
    await database.query(`update file_feeds set next_at = now() + interval '1 hour'`)
    await hintFolders(database, instanceId, changed)
    expect(await claimDueFeeds(database, 5)).toEqual(isExpected ? [keys[0]] : [])
  })
})

describe('a file of a feed', () => {
  const mark = (more: { size?: number; modifiedMs?: number; pathHash?: Uint8Array } = {}) => ({
    pathHash: Buffer.from('p'),
    size: 10,
    modifiedMs: 1_000,
    ...more,
  })

  it('has been as it is since its size or time changed last', async () => {
    const { database } = test
    const key = await store()
    expect(await noteArrival(database, key, mark())).toBeLessThan(5)
    const age = () => database.query(`update feed_arrivals set seen_at = now() - interval '100 seconds'`)
    for (const [changed, isNew] of [
      [mark(), false],
      [mark({ size: 11 }), true],
      [mark({ size: 11, modifiedMs: 1_001 }), true],
      [mark({ size: 11, modifiedMs: 1_001, pathHash: Buffer.from('q') }), true],
    ] as const) {
      await age()
      const seconds = await noteArrival(database, key, changed)
      expect(seconds < 50, JSON.stringify(changed)).toBe(isNew)
    }
    await pruneArrivals(database, foreign(key), [])
    expect(await listColumn(database, 'feed_arrivals', 'path_hash', instanceId)).toHaveLength(2)
    await pruneArrivals(database, key, [Buffer.from('q')])
    expect(await listColumn(database, 'feed_arrivals', 'path_hash', instanceId)).toEqual([Buffer.from('q')])
  })

  it('is settled, and known again by its path, size and time; the newest outcome counts', async () => {
    const { database } = test
    const key = await store()
    const file = (more: Partial<Parameters<typeof settleFile>[3]> = {}) => ({
      ...{
        id: randomUUID(),
        name: 'a.csv',
        companyId,
        connectionId: null,
        state: 'quarantined' as const,
        reason: 'bad',
        contentHash: null,
        ...more,
      },
    })
    expect(await findSettled(database, key, mark())).toBe(null)
    const [first, second, third] = [
      file(),
      file({ state: 'imported', reason: null, contentHash: randomBytes(32), connectionId: randomUUID() }),
      file({ name: 'b.csv' }),
    ]
    await settleFile(database, key, mark(), first)
    expect(await findSettled(database, key, mark())).toEqual({ state: 'quarantined', contentHash: null })
    await settleFile(database, key, mark(), second)
    await settleFile(database, key, mark({ size: 2_000_000_000_000 }), third)
    expect(await findSettled(database, key, mark())).toEqual({ state: 'imported', contentHash: second.contentHash })
    for (const other of [mark({ size: 11 }), mark({ modifiedMs: 1_001 }), mark({ pathHash: Buffer.from('q') })])
      expect(await findSettled(database, key, other)).toBe(null)
    expect(await findSettled(database, foreign(key), mark())).toBe(null)
    const marks = [mark(), mark({ size: 2_000_000_000_000 }), mark({ pathHash: Buffer.from('q') })]
    expect(await listSettledPaths(database, key, marks)).toEqual(new Set([Buffer.from(mark().pathHash).toString('hex')]))
    for (const other of [mark({ size: 11 }), mark({ modifiedMs: 1_001 }), mark({ pathHash: Buffer.from('q') })])
      expect(await listSettledPaths(database, key, [other])).toEqual(new Set())
    for (const foreigner of [foreign(key), { ...key, id: randomUUID() }])
      expect(await listSettledPaths(database, foreigner, marks)).toEqual(new Set())
    const shown = ({ contentHash: _, ...kept }: ReturnType<typeof file>, size = 10) => ({ ...kept, size, settledAt: expect.any(Date) })
    expect(await listSettled(database, key, page)).toEqual({
      files: [shown(third, 2_000_000_000_000), shown(second), shown(first)],
      total: 3,
    })
    const ids = async (more: Partial<Parameters<typeof listSettled>[2]>) => {
      const { files, total } = await listSettled(database, key, { ...page, ...more })
      return [files.map(({ id }) => id), total]
    }
    expect([await ids({ limit: 1, offset: 1 }), await ids({ offset: 5 }), await ids({ filter: where('state', 'imported') })]).toEqual([
      [[second.id], 3],
      [[], 0],
      [[second.id], 1],
    ])
    for (const [property, value, expected] of [
      ['id', first.id, [first.id]],
      ['name', 'b.csv', [third.id]],
      ['companyId', companyId, [third.id, second.id, first.id]],
      ['sessionId', second.connectionId ?? '', [second.id]],
      ['settledOn', null, []],
    ] as const)
      expect((await ids({ filter: where(property, value) }))[0], property).toEqual(expected)
    expect(await listSettled(database, foreign(key), page)).toEqual({ files: [], total: 0 })
  })
})

describe('an uploaded file', () => {
  it('is stored once for its bytes, and read in the order of arrival until it has been read', async () => {
    const { database } = test
    const [connection, neighbour] = [await storeConnection(database, tenants), await storeConnection(database, tenants)]
    const newFile = (text: string) => ({
      id: randomUUID(),
      name: `${text}.csv`,
      contentHash: Buffer.from(text),
      sealed: Buffer.from(`sealed ${text}`),
    })
    const [one, two] = [newFile('one'), newFile('two')]
    expect([await storeFile(database, connection, one), await storeFile(database, connection, two)]).toEqual([true, true])
    expect([
      await storeFile(database, connection, { ...one, id: randomUUID() }),
      await storeFile(database, neighbour, { ...one, id: randomUUID() }),
    ]).toEqual([false, true])
    const next = (after: string | null, of = instanceId) => findNextFile(database, { ...connection, instanceId: of }, after)
    const shown = ({ contentHash: _, ...file }: typeof one) => file
    expect([await next(null), await next(one.id), await next(two.id), await next(null, otherId)]).toEqual([
      shown(one),
      shown(two),
      null,
      null,
    ])
    await setColumns(database, 'source_files', { instanceId, id: one.id }, { sealed: 'null' })
    expect(await next(null)).toEqual(shown(two))
    expect(await storeFile(database, connection, { ...one, id: randomUUID() })).toBe(false)
  })
})
