import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ReadLease } from './read-lease.ts'
import { SecondChanceCache } from './second-chance-cache.ts'
import { Semaphore } from './semaphore.ts'
import type { VersionBatcher } from './version-batcher.ts'

const compress = promisify(gzip)
const GZIP_LEVEL = 5
/** With its headers, such a body goes to the socket in one piece when it is a text; bytes go apart from them, which takes a twentieth of a read's time. */
const TEXT_BYTES = 14_000
/** Pages read at once: a few warm connections read more of them than many that take the processor from each other, and the pool is left to others. */
const READS_AT_ONCE = 5

/** Bytes, or a text with a byte in each character (`latin1`). */
export type Body = Buffer | string

/** The bytes of one page as read at one version of a publication. */
export interface CachedPage {
  version: string
  /** Quoted, as the header wants it. */
  etag: string
  plain: Buffer
  /** Null until somebody has asked for it. */
  gzipped: Body | null
  total: number
  /** Answers under way with a page that nobody keeps; null for one of the shelf. */
  refCount: number | null
}

export interface PageCacheOptions {
  versions: VersionBatcher
  lease: ReadLease
  maxBytes: number
}

/** What a page is read as when the cache has none. */
export interface LoadedPage {
  version: string
  /** In memory of its own. */
  body: Buffer
  total: number
}

/**
 * Finished pages, kept in this process and served only while they are what is published: as the lease knows, else as the database says to a
 * question asked after the request came. No page is ever stale.
 */
export class PageCache {
  readonly #versions: VersionBatcher
  readonly #lease: ReadLease
  readonly #cached: SecondChanceCache
  readonly #reads = new Semaphore(READS_AT_ONCE)
  readonly #fills = new Map<string, Promise<CachedPage | null>>()
  readonly #compressions = new WeakMap<CachedPage, Promise<Body>>()

  constructor({ versions, lease, maxBytes }: PageCacheOptions) {
    this.#versions = versions
    this.#lease = lease
    this.#cached = new SecondChanceCache(maxBytes)
  }

  /** The page when it is known without asking to be what is published. Keys as with `get`. */
  find(publicationKey: string, pageKey: string): CachedPage | undefined {
    const version = this.#lease.find(publicationKey)
    if (version === undefined) return undefined
    const cached = this.#cached.get(pageKey)
    return cached?.version === version ? cached : undefined
  }

  /**
   * The page, from the cache when it is still what is published, else by `read`. Null when nothing is published under the key. `pageKey`
   * tells all pages of all publications apart.
   */
  async get(publicationKey: string, pageKey: string, read: () => Promise<LoadedPage | null>): Promise<CachedPage | null> {
    const isNew = !this.#fills.has(pageKey) && !this.#cached.get(pageKey)
    if (isNew) return await this.#fillOnce(pageKey, publicationKey, pageKey, read)
    const ticket = this.#lease.ticket()
    const version = await this.#versions.load(publicationKey)
    if (version === null) return null
    this.#lease.remember(ticket, publicationKey, version)
    const cached = this.#cached.get(pageKey)
    if (cached?.version === version) return cached
    // NOTE not shared with a read that began before the question: that one may give what was published then.
    return await this.#fillOnce(`${pageKey}#${version}`, publicationKey, pageKey, read)
  }

  /** The page's bytes compressed: made for the first who asks, kept for the others. */
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

  #fillOnce(fillKey: string, publicationKey: string, pageKey: string, read: () => Promise<LoadedPage | null>): Promise<CachedPage | null> {
    const underWay = this.#fills.get(fillKey)
    if (underWay) return underWay
    const filling = this.#fill(publicationKey, pageKey, read).finally(() => this.#fills.delete(fillKey))
    this.#fills.set(fillKey, filling)
    return filling
  }

  async #fill(publicationKey: string, pageKey: string, read: () => Promise<LoadedPage | null>): Promise<CachedPage | null> {
    const fresh = await this.#reads.run(async () => {
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
 * Holds the bytes of a page for one answer; gives what lets go of them. With the last, a page that the shelf does not keep gives its memory
 * back: left to the garbage collector, such pages cost a read a third of its time. NOTE to be called as soon as `get` has given the page, so
 * that all who share it hold it before one lets go.
 */
export function retainPage(page: CachedPage, releaseMemory: (bytes: Buffer) => void): () => void {
  if (page.refCount !== null) page.refCount += 1
  return () => {
    if (page.refCount === null) return
    page.refCount -= 1
    if (page.refCount === 0 && page.plain.buffer.byteLength === page.plain.byteLength) releaseMemory(page.plain)
  }
}
