import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StorageRefused } from '../../src/object-storage/s3-object.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { explainRecord } from '../../src/sync/explain/explain.ts'
import { pageMover } from '../../src/sync/pages/move-pages.ts'
import { removeUnclaimedObjects } from '../../src/sync/pages/remove-objects.ts'
import { openPage, preparePage, storePage } from '../../src/sync/runs/raw-page-store.ts'
import { findService } from '../../src/sync/sources/catalogue.ts'
import { SILENT } from '../harness/app/sync-deps.ts'
import { replay } from '../replay/replays.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import type { ScriptedSource } from '../sync/scripted-source.ts'
import { type Fault, type FaultyStorage, openFaultyStorage } from './faulty-storage.ts'
import { manyAccounts } from './many-accounts.ts'

const FAULTS: Fault[] = ['lost', 'late', 'doubled', 'refused', 'forgotten']
const PAGES = 3

let books: ScriptedSource
let harness: SyncHarness
let storage: FaultyStorage
let id = ''

beforeEach(async () => {
  storage = await openFaultyStorage()
  books = manyAccounts()
  harness = await openSyncHarness([books])
  Object.assign(harness.deps, { readLeaseMs: 0, log: SILENT })
  id = await harness.connect(books)
})
afterEach(async () => {
  await harness.close()
  await storage.close()
})

function use(isDestination: boolean | null): void {
  if (isDestination === null) delete harness.deps.pageObjects
  else harness.deps.pageObjects = storage.open(isDestination)
}

const sync = async () => await harness.sync(id, { reason: 'first' })
const move = async () => await pageMover({ ...harness.deps, pageObjects: harness.deps.pageObjects ?? storage.open() }, () => false)()
const tidy = async () => await removeUnclaimedObjects({ ...harness.deps, pageObjects: storage.open() }, () => false)

/** As an hour later. */
async function tidyLater(): Promise<number> {
  await harness.deps.database.query(`update unclaimed_objects set due_at = due_at - interval '2 hours'`)
  return await tidy()
}

/** Pages in the database and in the storage, objects, and those that no page has. */
async function places() {
  const { rows } = await harness.deps.database.query<{ database: number; storage: number; keys: string[]; unclaimed: number }>(
    `select count(*) filter (where object_id is null)::int as database, count(object_id)::int as storage,
       coalesce(array_agg('/pages/ours/' || instance_id || '/' || connection_id || '/' || object_id) filter (where object_id is not null), '{}') as keys,
       (select count(*)::int from unclaimed_objects) as unclaimed from raw_pages`,
  )
  const [{ database, storage: inStorage, keys, unclaimed } = { database: 0, storage: 0, keys: [], unclaimed: 0 }] = rows
  const objects = [...storage.objects.keys()]
  return {
    database,
    storage: inStorage,
    lost: keys.filter((key) => !objects.includes(key)).length,
    orphans: objects.length - inStorage,
    unclaimed,
  }
}

const IN_STORAGE = { database: 0, storage: PAGES, lost: 0, orphans: 0, unclaimed: 0 }
const IN_DATABASE = { database: PAGES, storage: 0, lost: 0, orphans: 0, unclaimed: 0 }

async function explained(): Promise<{ gives: string; reason: string | null } | null> {
  const { database, sources } = harness.deps
  const scope = harness.scopeOf(books)
  const service = await findService(database, sources, scope.instanceId, scope.serviceId)
  if (!service) throw new Error('no service')
  const explanation = await explainRecord(database, harness.deps, scope, service, { entity: 'Accounts', recordId: '1003', asOf: null })
  return explanation && { gives: explanation.current.gives, reason: explanation.current.reason }
}

/** Whether every page can be read again, with the published records. */
async function isWhole(): Promise<boolean> {
  const { counts } = await replay(harness, id, { isDryRun: true })
  return counts.records === 25 && counts.changed === 0 && counts.unreadablePages === 0 && (await explained())?.gives === 'same'
}

const storedBytes = async () =>
  (await harness.deps.database.query<{ bytes: string }>('select sum(bytes) as bytes from stored_bytes')).rows[0]?.bytes

describe('raw pages in object storage', () => {
  it('are sealed there, replayed and explained, and count as stored bytes', async () => {
    use(true)
    await sync()
    expect(await places()).toEqual(IN_STORAGE)
    for (const bytes of storage.objects.values()) expect(bytes.includes('Account')).toBe(false)
    expect(await isWhole()).toBe(true)
    const { rows } = await harness.deps.database.query<{ bytes: string; head: number }>(
      'select sum(octet_length(sealed) + object_bytes) as bytes, max(octet_length(sealed)) as head from raw_pages',
    )
    expect([await storedBytes(), rows[0]?.head]).toEqual([rows[0]?.bytes, 97])
  })

  it('go with their connection, at once for every reader, and their objects soon after', async () => {
    use(true)
    await sync()
    await harness.deps.database.query('delete from raw_pages where connection_id = $1', [id])
    expect(await places()).toEqual({ ...IN_DATABASE, database: 0, orphans: PAGES, unclaimed: PAGES })
    expect(await explained()).toEqual({ gives: 'unknown', reason: 'the raw page is no longer kept' })
    expect(await tidy()).toBe(PAGES)
    expect(storage.objects.size).toBe(0)
  })

  it('are moved there, and back, and stay the same', async () => {
    await sync()
    const bytes = await storedBytes()
    expect(await places()).toEqual(IN_DATABASE)
    use(true)
    expect(await move()).toBe(PAGES)
    expect([await places(), await isWhole(), await storedBytes()]).toEqual([IN_STORAGE, true, bytes])
    use(false)
    expect(await isWhole(), 'also while they are still there').toBe(true)
    expect(await move()).toBe(PAGES)
    expect(await places()).toEqual({ ...IN_DATABASE, orphans: PAGES, unclaimed: PAGES })
    expect([await tidy(), await tidyLater(), await places()]).toEqual([0, PAGES, IN_DATABASE])
    use(null)
    expect([await isWhole(), await storedBytes()]).toEqual([true, bytes])
  })

  it('whose upload was given up before they are stored are stored as a whole', async () => {
    use(true)
    await sync()
    const { database } = harness.deps
    const { instanceId, companyId } = harness
    const key = { instanceId, companyId, connectionId: id, pull: 'accounts', page: 99 }
    const page = await preparePage(harness.deps, key, { list: Buffer.from('a later answer') })
    await page.stored
    expect(await tidyLater()).toBe(1)
    await inTransaction(database, (db) => storePage(db, key, page))
    const opened = await openPage(database, harness.deps, { ...key, id: page.id })
    expect([await places(), Buffer.from(opened?.answers.list ?? '').toString()]).toEqual([{ ...IN_STORAGE, database: 1 }, 'a later answer'])
  })

  it.each([
    ['that refuses them, with its reason in the log', new StorageRefused('The storage answered 503.', 503, 'SlowDown'), 'whole'],
    ['that fails by a mistake of ours, which is thrown', new TypeError('a mistake of ours'), 'a mistake of ours'],
  ])('stay in the database for a storage %s', async (_what, fault, outcome) => {
    const warned: object[] = []
    const log = { ...SILENT, warn: (fields: object) => warned.push(fields) }
    const pageObjects = { ...storage.open(), put: () => Promise.reject(fault) }
    const key = { instanceId: harness.instanceId, companyId: harness.companyId, connectionId: id, pull: 'accounts', page: 98 }
    const page = await preparePage({ ...harness.deps, log, pageObjects }, key, { list: Buffer.from('an answer') })
    const stored = await Promise.resolve(page.stored).then(
      (value) => (value?.objectId === null ? 'whole' : 'split'),
      (error: Error) => error.message,
    )
    expect(stored).toBe(outcome)
    expect(warned).toEqual(outcome === 'whole' ? [{ connectionId: id, reason: 'The storage answered 503.' }] : [])
  })

  it('are moved by two processes at once, and no object is left over', async () => {
    await sync()
    use(true)
    const moved = await Promise.all([move(), move()])
    expect(moved[0] + moved[1]).toBe(PAGES)
    await tidyLater()
    expect([await places(), await isWhole()]).toEqual([IN_STORAGE, true])
  })

  it('whose object is lost, or whose bucket is not named, say so', async () => {
    use(true)
    await sync()
    storage.objects.clear()
    expect(await explained()).toEqual({ gives: 'unknown', reason: 'the raw page is missing in object storage' })
    expect((await replay(harness, id, { isDryRun: true })).counts).toMatchObject({ records: 0, unreadablePages: PAGES })
    use(null)
    expect(await explained()).toEqual({ gives: 'unknown', reason: 'the raw page is missing in object storage' })
  })
})

it('a proxy that does not find the storage makes no page missing, and hides no object that is to go', async () => {
  use(true)
  await sync()
  storage.always = 'misrouted'
  expect(await explained()).toEqual({ gives: 'unknown', reason: 'object storage does not answer at present' })
  await harness.deps.database.query('delete from raw_pages')
  expect([await tidy(), (await places()).unclaimed]).toEqual([0, PAGES])
  storage.always = null
  await tidyLater()
  expect([storage.objects.size, (await places()).unclaimed]).toEqual([0, 0])
})

describe.each(FAULTS)('a storage whose answer is %s', (fault) => {
  it('once, loses no page and leaves no object', async () => {
    use(true)
    storage.faults = [fault]
    await sync()
    await tidyLater()
    expect([await places(), await isWhole()]).toEqual([IN_STORAGE, true])
  })

  it('always, keeps no sync waiting: pages stay in the database, and move when it is well', async () => {
    use(true)
    storage.always = fault
    expect(await sync()).toEqual({ done: true })
    expect(await places()).toMatchObject({ database: PAGES, storage: 0, lost: 0 })
    storage.always = null
    expect(await isWhole()).toBe(true)
    expect(await move()).toBe(PAGES)
    await tidyLater()
    expect([await places(), await isWhole()]).toEqual([IN_STORAGE, true])
  })

  it('gives a reader no wrong page, and no deletion for its failure', async () => {
    use(true)
    await sync()
    storage.faults = [fault]
    expect(await isWhole()).toBe(true)
    storage.always = fault
    const told = await explained().catch((error: unknown) => String(error))
    expect(told).not.toMatchObject({ gives: 'different' })
    expect(told).not.toMatchObject({ reason: 'the raw page is no longer kept' })
  })

  it('hides no object that is to go', async () => {
    use(true)
    await sync()
    await harness.deps.database.query('delete from raw_pages')
    storage.always = fault
    await tidy()
    storage.always = null
    await tidyLater()
    expect([storage.objects.size, (await places()).unclaimed]).toEqual([0, 0])
  })
})
