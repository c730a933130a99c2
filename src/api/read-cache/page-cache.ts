import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { FairSemaphore } from '../../model/semaphore.ts'
import type { Body, CachedPage } from './cached-page.ts'
import type { MemoryReleaser } from './node-internals.ts'
import type { ReadLease } from './read-lease.ts'
import { SecondChanceCache } from './second-chance-cache.ts'
import type { VersionBatcher } from './version-batcher.ts'

const compress = promisify(gzip)
const GZIP_LEVEL = 5
/**
 * A text body up to this size goes to the socket in one piece with its headers; bytes go separately, which takes a
 * twentieth of a read's time.
 */
const TEXT_BYTES = 14_000
/**
 * Page loads under way at once: a few warm connections load more pages than many that compete for the CPU, and the rest
 * of the pool stays free. One instance leaves a permit to the others.
 */
const READS = { permits: 6, most: 5 }

export interface PageCacheOptions {
  versions: VersionBatcher
  lease: ReadLease
  maxBytes: number
}

interface PageKeys {
  instanceId: string
  publicationKey: string
  pageKey: string
}

/** Page loaded on a cache miss. */
export interface LoadedPage {
  version: string
  /** In memory that it does not share. */
  body: Buffer
  total: number
}

/**
 * Page cache: finished pages of this process, served only while they are the published version: known by the read
 * lease, otherwise by a version query that began after the request. No page is ever stale.
 */
export class PageCache {
  readonly #versions: VersionBatcher
  readonly #lease: ReadLease
  readonly #cached: SecondChanceCache
  readonly #reads = new FairSemaphore(READS)
  readonly #fills = new Map<string, Promise<CachedPage | null>>()
  readonly #compressions = new WeakMap<CachedPage, Promise<Body>>()

  constructor({ versions, lease, maxBytes }: PageCacheOptions) {
    this.#versions = versions
    this.#lease = lease
    this.#cached = new SecondChanceCache(maxBytes)
  }

  /** The page, if known without a query to be the published version. Keys as with `get`. */
  find(publicationKey: string, pageKey: string): CachedPage | undefined {
    const version = this.#lease.find(publicationKey)
    if (version === undefined) return undefined
    const cached = this.#cached.get(pageKey)
    return cached?.version === version ? cached : undefined
  }

  /**
   * The page from the cache if it is still the published version, otherwise loaded by `read`. Null when nothing is
   * published under the key. `pageKey` is unique over all pages of all publications. Loads of `instanceId` wait for each
   * other, and take turns with those of other instances.
   */
  async get({ instanceId, publicationKey, pageKey }: PageKeys, read: () => Promise<LoadedPage | null>): Promise<CachedPage | null> {
    const fill = (fillKey: string) => this.#fillOnce(fillKey, { instanceId, publicationKey, pageKey }, read)
    const isNew = !this.#fills.has(pageKey) && !this.#cached.get(pageKey)
    if (isNew) return await fill(pageKey)
    const ticket = this.#lease.ticket()
    const version = await this.#versions.load(publicationKey)
    if (version === null) return null
    this.#lease.remember(ticket, publicationKey, version)
    const cached = this.#cached.get(pageKey)
    if (cached?.version === version) return cached
    // NOTE not shared with a load that began before the version query: that one may return the version published then.
    return await fill(`${pageKey}#${version}`)
  }

  /** Compressed bytes of the page: made for the first request, cached for the others. */
  async gzip(pageKey: string, page: CachedPage): Promise<Body> {
    const known = page.gzipped ?? this.#compressions.get(page)
    if (known) return await known
    const compression = compress(page.plain, { level: GZIP_LEVEL }).then((bytes) => {
      const gzipped = bytes.length <= TEXT_BYTES ? bytes.toString('latin1') : bytes
      page.gzipped = gzipped
      this.#cached.updateSize(pageKey, page)
      return gzipped
    })
    this.#compressions.set(page, compression)
    return await compression
  }

  #fillOnce(fillKey: string, keys: PageKeys, read: () => Promise<LoadedPage | null>): Promise<CachedPage | null> {
    const underWay = this.#fills.get(fillKey)
    if (underWay) return underWay
    const filling = this.#fill(keys, read).finally(() => this.#fills.delete(fillKey))
    this.#fills.set(fillKey, filling)
    return filling
  }

  async #fill({ instanceId, publicationKey, pageKey }: PageKeys, read: () => Promise<LoadedPage | null>): Promise<CachedPage | null> {
    const fresh = await this.#reads.run(instanceId, async () => {
      const ticket = this.#lease.ticket()
      const page = await read()
      if (page) this.#lease.remember(ticket, publicationKey, page.version)
      return page
    })
    if (!fresh) return null
    const etag = `"${fresh.version}-${Buffer.from(pageKey).toString('base64url').slice(-8)}"`
    const page: CachedPage = { version: fresh.version, etag, plain: fresh.body, gzipped: null, total: fresh.total, refCount: 0 }
    if (this.#cached.set(pageKey, page)) page.refCount = null
    return page
  }
}

/**
 * Reference counting: retains the bytes of a page for one response; returns the release function. The last release
 * frees an uncached page's memory: left to the garbage collector, such pages cost a third of a read's time. NOTE call
 * it as soon as `get` has returned the page, so that all sharers retain it before one releases.
 */
export function retainPage(page: CachedPage, releaseMemory: MemoryReleaser): () => void {
  if (page.refCount !== null) page.refCount += 1
  return () => {
    if (page.refCount === null) return
    page.refCount -= 1
    if (page.refCount === 0 && page.plain.buffer.byteLength === page.plain.byteLength) releaseMemory(page.plain)
  }
}
