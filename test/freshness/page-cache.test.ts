import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CachedPage } from '../../src/api/read-cache/cached-page.ts'
import { memoryReleaser } from '../../src/api/read-cache/node-internals.ts'
import { type LoadedPage, PageCache, type PageCacheOptions, retainPage } from '../../src/api/read-cache/page-cache.ts'
import { ReadLease } from '../../src/api/read-cache/read-lease.ts'
import { VersionBatcher } from '../../src/api/read-cache/version-batcher.ts'

const releaseMemory = memoryReleaser({ warn: (_fields, message) => expect.fail(message) })

/** Content published under the key `a`. */
let published: string | null
let questions: number
let pages: PageCache
/** Versions and lease of these caches. */
let kept: Pick<PageCacheOptions, 'versions' | 'lease'>
/** A cache that stores nothing. */
let passing: PageCache

beforeEach(() => {
  published = '1'
  questions = 0
  const checks = new VersionBatcher(async (keys) => {
    questions += 1
    return new Map(keys.flatMap((key) => (published === null ? [] : [[key, published] as const])))
  })
  const listChanges = () => Promise.reject(new Error('unexpected query without a lease'))
  const lease = new ReadLease({ leaseMs: 0, listChanges, elapsedMs: () => 0, now: () => new Date(0) })
  kept = { versions: checks, lease }
  pages = new PageCache({ maxBytes: 1_000_000, versions: checks, lease })
  passing = new PageCache({ maxBytes: 0, versions: checks, lease })
})

const page = (version: string, text = `text ${version}`): LoadedPage => ({ version, body: Buffer.from(text), total: 1 })
/** Reads the published content when it is called. */
const reading = async (): Promise<LoadedPage | null> => (published === null ? null : page(published))
const keys = (pageKey: string) => ({ instanceId: 'tenant', publicationKey: 'a', pageKey })

const refusing = async (): Promise<LoadedPage> => {
  throw new Error('the page was loaded although it is cached')
}

async function get(read: () => Promise<LoadedPage | null>, key = 'a'): Promise<string | null> {
  return (await pages.get(keys(key), read))?.plain.toString() ?? null
}

/** A read that the test completes. */
function slowRead() {
  let finish = (_page: LoadedPage) => {}
  const read = () => new Promise<LoadedPage>((resolve) => (finish = resolve))
  return { read, finish: (fresh: LoadedPage) => finish(fresh) }
}

it('one instance leaves room to load a page of another', async () => {
  const started: string[] = []
  const load = (instanceId: string, pageKey: string) =>
    void pages.get({ instanceId, publicationKey: pageKey, pageKey }, () => {
      started.push(pageKey)
      return new Promise<LoadedPage>(() => {})
    })
  for (const each of ['1', '2', '3', '4', '5', '6', '7']) load('loud', each)
  load('quiet', 'q')
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['1', '2', '3', '4', '5', 'q'])
})

describe('the memory of a page', () => {
  const own = (text: string): LoadedPage => ({ version: '1', body: Buffer.from(new TextEncoder().encode(text).buffer), total: 1 })

  it('that is not cached is released with the last response that shares it, and not before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = () => promise.then(() => own('text'))
    const asked = [1, 2, 3].map(async () => {
      const shared = await passing.get(keys('a'), read)
      return shared ? { shared, release: retainPage(shared, releaseMemory) } : expect.fail('nothing was read')
    })
    resolve()
    for (const { shared, release } of await Promise.all(asked)) {
      expect(shared.plain.toString()).toBe('text')
      release()
    }
    expect((await asked[0])?.shared.plain).toHaveLength(0)
  })

  it('that is cached stays', async () => {
    const kept = (await pages.get(keys('a'), async () => own('text'))) ?? expect.fail('nothing was read')
    retainPage(kept, releaseMemory)()
    expect(await get(refusing)).toBe('text')
  })

  it('that it does not own is left alone', async () => {
    const room = Buffer.from(new TextEncoder().encode('text of somebody else').buffer)
    const read = async () => ({ version: '1', body: room.subarray(0, 4), total: 1 })
    retainPage((await passing.get(keys('a'), read)) ?? expect.fail('nothing was read'), releaseMemory)()
    expect(room.toString()).toBe('text of somebody else')
  })
})

describe('a page', () => {
  it('is loaded with its version on the first read', async () => {
    expect(await get(reading)).toBe('text 1')
    expect(questions).toBe(0)
  })

  it('is loaded once per publication', async () => {
    await get(reading)
    expect(await get(refusing)).toBe('text 1')
    expect(questions).toBe(1)
  })

  it('is loaded again when the publication has changed', async () => {
    await get(reading)
    published = '2'
    expect(await get(reading)).toBe('text 2')
    expect(await get(refusing)).toBe('text 2')
  })

  it('is loaded once for all concurrent first readers', async () => {
    let reads = 0
    const counted = async () => {
      reads += 1
      return await reading()
    }
    const { read, finish } = slowRead()
    const got = [get(read), get(counted), get(counted), get(counted)]
    expect(await Promise.all(got.slice(1))).toEqual(['text 1', 'text 1', 'text 1'])
    finish(page('1'))
    expect(await got[0]).toBe('text 1')
    expect(reads).toBe(1)
  })

  it('is not shared with readers that came after it had changed', async () => {
    const { read, finish } = slowRead()
    const early = get(read)
    published = '2'
    const late = get(reading)
    finish(page('1'))
    expect([await early, await late]).toEqual(['text 1', 'text 2'])
  })

  it('that could not be loaded is loaded again for the next reader', async () => {
    const broken = get(() => Promise.reject(new Error('the read failed')))
    const meanwhile = get(reading)
    await expect(broken).rejects.toThrow('the read failed')
    expect(await meanwhile).toBe('text 1')
  })

  it('that was loaded slowly never replaces a newer one', async () => {
    const { read, finish } = slowRead()
    published = '9'
    const slow = get(read)
    published = '10'
    expect(await get(reading)).toBe('text 10')
    finish(page('9'))
    expect(await slow).toBe('text 9')
    expect(await get(refusing)).toBe('text 10')
  })

  it('is removed when nothing is published any more, and never returned when something else is', async () => {
    await get(reading)
    published = null
    expect(await get(refusing)).toBeNull()
    published = '2'
    expect(await get(reading)).toBe('text 2')
    expect(await get(refusing)).toBe('text 2')
  })

  it('is not cached if there was nothing to load', async () => {
    published = null
    expect(await get(reading)).toBeNull()
    published = '1'
    expect(await get(reading)).toBe('text 1')
  })

  it('has an ETag that changes with the publication, and differs from that of another page', async () => {
    const tagOf = async (key: string) => (await pages.get(keys(key), reading))?.etag
    const first = await tagOf('a')
    expect(first).toMatch(/^"[\w-]+"$/)
    expect(await tagOf('a')).toBe(first)
    expect(await tagOf('another page')).not.toBe(first)
    published = '2'
    expect(await tagOf('a')).not.toBe(first)
  })
})

describe('a page under a read lease', () => {
  /** Cache whose lease is renewed as soon as it is asked for, and lasts for the test. */
  function leased(): PageCache {
    const checks = new VersionBatcher(async (asked) => {
      questions += 1
      return new Map(asked.flatMap((key) => (published === null ? [] : [[key, published] as const])))
    })
    const listChanges = async () => ({ server: 'one', changes: [], askAgainWithinMs: 5_000 })
    const lease = new ReadLease({ leaseMs: 200, listChanges, elapsedMs: () => 0, now: () => new Date(0) })
    return new PageCache({ maxBytes: 1_000_000, versions: checks, lease })
  }

  it('is found without a query once it was loaded, as are other pages of its publication', async () => {
    pages = leased()
    expect(pages.find('a', 'a')).toBeUndefined()
    await new Promise((resolve) => setImmediate(resolve))
    await get(reading)
    expect(pages.find('a', 'a')?.plain.toString()).toBe('text 1')
    expect(pages.find('a', 'a?page=2')).toBeUndefined()
    await get(reading, 'a?page=2')
    expect([pages.find('a', 'a?page=2')?.version, questions]).toEqual(['1', 0])
  })

  it('is found after a query has told that it is still the published one', async () => {
    pages = leased()
    await get(reading)
    pages.find('a', 'a')
    await new Promise((resolve) => setImmediate(resolve))
    expect(pages.find('a', 'a'), 'loaded before the lease').toBeUndefined()
    await get(refusing)
    expect([pages.find('a', 'a')?.version, questions]).toEqual(['1', 1])
  })

  it('is not found while it is older than what is known to be published', async () => {
    pages = leased()
    pages.find('a', 'a')
    await new Promise((resolve) => setImmediate(resolve))
    await get(reading)
    published = '2'
    await get(reading, 'a?page=2')
    expect([pages.find('a', 'a'), pages.find('a', 'a?page=2')?.version]).toEqual([undefined, '2'])
  })
})

it('a page that the cache does not keep is loaded again, without asking for its version', async () => {
  const reads = [await passing.get(keys('a'), reading), await passing.get(keys('a'), reading)]
  expect([reads.map((read) => read?.refCount), questions]).toEqual([[0, 0], 0])
})

it('a changed page is loaded once for all who ask for it meanwhile', async () => {
  await get(reading)
  published = '2'
  const { read, finish } = slowRead()
  const got = [get(read), get(refusing), get(refusing)]
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  finish(page('2'))
  expect(await Promise.all(got)).toEqual(Array(3).fill('text 2'))
})

describe('compression', () => {
  it('makes a text of up to 14,000 bytes, and bytes of more', async () => {
    const noise = randomBytes(15_000)
    const bodyOf = async (length: number) => {
      const body = noise.subarray(0, length)
      const kept = (await pages.get(keys(String(length)), async () => ({ version: '1', body, total: 1 }))) ?? expect.fail('no page')
      return await pages.gzip(String(length), kept)
    }
    // What cannot be compressed grows by a fixed number of bytes.
    const added = (await bodyOf(13_900)).length - 13_900
    const [fits, exceeds] = [await bodyOf(14_000 - added), await bodyOf(14_001 - added)]
    expect([typeof fits, fits.length, Buffer.isBuffer(exceeds), exceeds.length]).toEqual(['string', 14_000, true, 14_001])
  })

  it('counts as size of the page', async () => {
    const body = randomBytes(2_000)
    const small = async (pageKey: string) =>
      (await pages.get(keys(pageKey), async () => ({ version: '1', body, total: 1 }))) ?? expect.fail()
    pages = new PageCache({ ...kept, maxBytes: 10_000 })
    const four = ['a', 'b', 'c', 'd']
    for (const key of four) await pages.gzip(key, await small(key))
    expect((await Promise.all(four.map((key) => pages.get(keys(key), async () => null)))).map((found) => found !== null)).toEqual([
      ...[false, false, true, true],
    ])
  })

  it.each([
    ['small', 'y'.repeat(5_000)],
    ['large', randomBytes(30_000).toString('hex')],
  ])('of a page that becomes %s happens once, for concurrent and later readers', async (_size, text) => {
    const kept: CachedPage | null = await pages.get(keys('a'), async () => page('1', text))
    if (!kept) throw new Error('there is no page')
    const [one, other] = await Promise.all([pages.gzip('a', kept), pages.gzip('a', kept)])
    expect(one).toBe(other)
    expect(await pages.gzip('a', kept)).toBe(one)
    expect(gunzipSync(typeof one === 'string' ? Buffer.from(one, 'latin1') : one).toString()).toBe(text)
  })
})
