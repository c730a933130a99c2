import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { pageMover } from '../../src/sync/pages/move-pages.ts'
import { createPageObjects } from '../../src/sync/pages/page-objects.ts'
import { preparePage } from '../../src/sync/runs/raw-page-store.ts'
import { isS3Missing, S3_PROGRAM, serveS3 } from '../harness/app/s3-server.ts'
import { openForTests } from '../harness/for-tests.ts'
import { replay } from '../replay/replays.ts'
import { type ErasedHarness, openErasedHarness, PAGES } from './erased-harness.ts'
import { type Fault, type FaultyStorage, openFaultyStorage } from './faulty-storage.ts'

type Name = keyof ErasedHarness['members']

/** What is erased, how, and which connections are gone then. */
const ERASURES = [
  { what: 'an instance', how: 'eraseInstance', gone: ['books', 'ledger', 'neighbour'] },
  { what: 'a company', how: 'eraseCompany', gone: ['books', 'ledger'] },
  { what: 'a disconnected connection', how: 'eraseConnection', gone: ['books'] },
  { what: 'a connection that its owner withdrew', how: 'eraseWithdrawn', gone: ['books'] },
] as const satisfies { what: string; how: keyof ErasedHarness; gone: Name[] }[]
const FAULTS: Fault[] = ['lost', 'late', 'doubled', 'refused', 'forgotten', 'away', 'misrouted']
const WAITS = { done: false, inMs: 30_000, isFailure: false, reason: 'objects of raw pages are being removed' }

let erased: ErasedHarness
afterEach(async () => await erased.close())

/** Objects in a bucket by connection, of those that have any. */
function countByName(keys: readonly string[]): Partial<Record<Name | 'unknown', number>> {
  const nameOf = (key: string) =>
    (Object.keys(erased.members) as Name[]).find((name) => key.includes(`/${erased.members[name].id}/`)) ?? 'unknown'
  return Object.fromEntries([...Map.groupBy(keys, nameOf)].map(([name, of]) => [name, of.length]))
}

const ALL: Record<Name, number> = { books: PAGES, ledger: PAGES, neighbour: PAGES, other: PAGES }
function without(gone: readonly Name[]): Partial<Record<Name, number>> {
  return Object.fromEntries((Object.keys(ALL) as Name[]).filter((name) => !gone.includes(name)).map((name) => [name, PAGES]))
}

/** Whether every page of a connection can be read again. */
async function isWhole(name: Name): Promise<boolean> {
  const { id, instanceId } = erased.members[name]
  const { counts } = await replay({ ...erased.harness, instanceId }, id, { isDryRun: true })
  return counts.records === 25 && counts.changed === 0 && counts.unreadablePages === 0
}

/** Uploads a page of `books` that no transaction stores, as a process does that is killed. */
async function uploadUnclaimed(): Promise<void> {
  const { deps, instanceId, companyId } = erased.harness
  const key = { instanceId, companyId, connectionId: erased.members.books.id, pull: 'accounts', page: 99 }
  await (await preparePage(deps, key, { list: Buffer.from('a later answer') })).stored
}

/** Tests of the erasures with one bucket. */
function testErasures(keys: () => Promise<string[]>): void {
  it.each(ERASURES)('has no object of $what after its erasure, and every other one', { timeout: 120_000 }, async ({ how, gone }) => {
    expect(countByName(await keys())).toEqual(ALL)
    await erased[how]()
    expect([countByName(await keys()), await erased.unclaimed()]).toEqual([ALL, gone.length * PAGES])
    expect(await erased.tidy()).toBe(gone.length * PAGES)
    expect([countByName(await keys()), await erased.unclaimed()]).toEqual([without(gone), 0])
    for (const name of Object.keys(without(gone)) as Name[]) expect([name, await isWhole(name)]).toEqual([name, true])
  })

  it('has an unclaimed upload of an erased instance for an hour at most, and the receipt is signed after that', async () => {
    await uploadUnclaimed()
    const id = await erased.requestErasure()
    await erased.runErasure(id)
    expect(await erased.tidy()).toBe(3 * PAGES)
    expect([countByName(await keys()), await erased.runErasure(id)]).toEqual([{ books: 1, other: PAGES }, WAITS])
    expect(await erased.tidyLater()).toBe(1)
    expect([countByName(await keys()), await erased.runErasure(id)]).toEqual([{ other: PAGES }, { done: true }])
    expect((await erased.erasure(id)).stated?.objectsLeft).toBe(0)
  })
}

describe('a bucket in this process', () => {
  let storage: FaultyStorage
  beforeEach(async () => {
    storage = await openFaultyStorage()
    erased = await openErasedHarness(storage.open())
  })
  afterEach(async () => await storage.close())
  const keys = async () => [...storage.objects.keys()]
  testErasures(keys)

  it.each(FAULTS)('that is always %s keeps an instance without a receipt, and forgets no object', async (fault) => {
    const id = await erased.requestErasure()
    storage.always = fault
    expect(await erased.runErasure(id)).toEqual(WAITS)
    expect([await erased.tidy(), await erased.unclaimed()], 'known until they are seen to be gone').toEqual([0, 3 * PAGES])
    expect([await erased.runErasure(id), (await erased.erasure(id)).receipt]).toEqual([WAITS, null])
    storage.always = null
    expect(await erased.tidyLater()).toBe(3 * PAGES)
    expect([countByName(await keys()), await erased.unclaimed()]).toEqual([{ other: PAGES }, 0])
    expect(await erased.runErasure(id)).toEqual({ done: true })
    const { stated, deleted } = await erased.erasure(id)
    expect([stated?.objectsLeft, deleted.raw_pages]).toEqual([0, 3 * PAGES])
    expect(stated?.statement.en[0]).toContain('with all stored files and answers of sources')
  })

  it.each(ERASURES.slice(1))('that is away during the erasure of $what forgets no object', async ({ how, gone }) => {
    storage.always = 'away'
    await erased[how]()
    expect([await erased.tidy(), await erased.unclaimed()]).toEqual([0, gone.length * PAGES])
    storage.always = null
    expect(await erased.tidyLater()).toBe(gone.length * PAGES)
    expect([countByName(await keys()), await erased.unclaimed()]).toEqual([without(gone), 0])
  })

  it('that fails once in each way forgets no object either', async () => {
    await erased.eraseInstance()
    storage.faults = [...FAULTS]
    await erased.tidy()
    expect(storage.faults).toEqual([])
    await erased.tidyLater()
    expect([countByName(await keys()), await erased.unclaimed()]).toEqual([{ other: PAGES }, 0])
  })
})

describe('the erasure of an instance', () => {
  let storage: FaultyStorage
  beforeEach(async () => {
    storage = await openFaultyStorage()
    erased = await openErasedHarness(storage.open())
  })
  afterEach(async () => await storage.close())
  const query = async (text: string) => (await erased.harness.deps.database.query(text)).rows
  const keys = () => [...storage.objects.keys()]

  it('whose bucket is away for a day is completed, states how many objects are left, and they go later', async () => {
    const id = await erased.requestErasure()
    storage.always = 'away'
    await query(`update instance_erasures set requested_at = requested_at - interval '24.9 hours'`)
    expect(await erased.runErasure(id)).toEqual(WAITS)
    await query(`update instance_erasures set requested_at = requested_at - interval '0.1 hours'`)
    expect(await erased.runErasure(id)).toEqual({ done: true })
    const { stated } = await erased.erasure(id)
    expect(stated?.objectsLeft).toBe(3 * PAGES)
    expect(stated?.statement.en.join()).not.toContain('files and answers of sources')
    expect(stated?.statement.en[2]).toContain(`${3 * PAGES}\u00a0encrypted objects with answers of sources may be left`)
    storage.always = null
    expect(await erased.tidyLater()).toBe(3 * PAGES)
    expect([countByName(keys()), await erased.unclaimed()]).toEqual([{ other: PAGES }, 0])
  })

  it('keeps it suspended while its objects are being removed', async () => {
    await erased.eraseInstance()
    const { instanceId } = erased.harness
    expect(await query('select instance_id as of from instance_suspensions')).toEqual([{ of: instanceId }])
    expect((await query('select id from instances')).map(({ id }) => id)).toContain(instanceId)
  })

  it('does not wait for objects of another instance', async () => {
    await query(`insert into unclaimed_objects select '${erased.members.other.instanceId}/x/y', true, now() + interval '1 day'`)
    const id = await erased.requestErasure()
    await erased.runErasure(id)
    await erased.tidy()
    expect([await erased.runErasure(id), await erased.unclaimed()]).toEqual([{ done: true }, 1])
  })

  it('finds the object of a page that is being moved meanwhile', async () => {
    const { deps } = erased.harness
    deps.pageObjects = storage.open(false)
    await pageMover({ ...deps, pageObjects: deps.pageObjects }, () => false)()
    await erased.tidyLater()
    expect([keys(), await erased.unclaimed()]).toEqual([[], 0])
    let isErased = false
    const crashPoint = async () => {
      if (!isErased) {
        isErased = true
        await erased.eraseInstance()
      }
    }
    await pageMover({ ...deps, pageObjects: storage.open(), crashPoint }, () => false)()
    expect([isErased, Object.keys(countByName(keys()))]).toEqual([true, expect.arrayContaining(['other'])])
    expect(keys().length).toBe(PAGES + (await erased.unclaimed()))
    await erased.tidyLater()
    expect([countByName(keys()), await erased.unclaimed()]).toEqual([{ other: PAGES }, 0])
  })
})

const isSkipped = isS3Missing('objects of erased pages are not removed from')
describe.skipIf(isSkipped)(`a bucket in S3${isSkipped ? ` (SKIPPED: no ${S3_PROGRAM})` : ''}`, () => {
  const server = openForTests(serveS3)
  const egress = openForTests(() => createEgress({ allowPrivate: true }))
  let bucket = 0
  beforeEach(async () => {
    bucket += 1
    const named = { region: 'us-east-1', bucket: `pages-${bucket}`, prefix: 'ours/', accessKeyId: 'AK', secretAccessKey: 'sk' }
    await fetch(`${server.address}/${named.bucket}`, { method: 'PUT' })
    erased = await openErasedHarness(createPageObjects(egress, { ...named, endpoint: server.address, isDestination: true }))
  })
  testErasures(async () => {
    const listing = await (await fetch(`${server.address}/pages-${bucket}?list-type=2`)).text()
    return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
  })
})
