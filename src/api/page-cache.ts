import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { PageShelf } from './page-shelf.ts'

const compress = promisify(gzip)
const GZIP_LEVEL = 5

/** The bytes of one page as read at one version of a publication. */
export interface CachedPage {
  version: string
  /** Quoted, as the header wants it. */
  etag: string
  plain: Buffer
  /** Null until somebody has asked for it. */
  gzipped: Buffer | null
  total: number
}

export interface PageCacheOptions {
  /** Asks the database for the versions of many publications at once; keys without one are left out. */
  findVersions(keys: string[]): Promise<Map<string, string>>
  maxBytes: number
}

/** What a page is read as when the cache has none. */
export interface FreshPage {
  version: string
  body: Buffer
  total: number
}

/** A request that waits for what is published now. */
interface Asker {
  resolve(version: string | null): void
  reject(error: unknown): void
}

/**
 * Finished pages, kept in this process and never served without asking the database for the version first. There is one question on the
 * way at a time: requests that arrive meanwhile share the next one. Each question starts after the requests that it answers, so no page
 * is ever stale.
 */
export class PageCache {
  readonly #options: PageCacheOptions
  readonly #shelf: PageShelf
  readonly #fills = new Map<string, Promise<CachedPage | null>>()
  readonly #compressions = new WeakMap<CachedPage, Promise<Buffer>>()
  #waiting = new Map<string, Asker[]>()
  #isAsking = false

  constructor(options: PageCacheOptions) {
    this.#options = options
    this.#shelf = new PageShelf(options.maxBytes)
  }

  /**
   * The page, from the cache when it is still what is published, else by `read`. Null when nothing is published under the key. `pageKey`
   * tells all pages of all publications apart.
   */
  async get(publicationKey: string, pageKey: string, read: () => Promise<FreshPage | null>): Promise<CachedPage | null> {
    const version = await this.#check(publicationKey)
    if (version === null) return null
    const cached = this.#shelf.take(pageKey)
    if (cached?.version === version) return cached
    const fillKey = `${pageKey}#${version}`
    const filling = this.#fills.get(fillKey) ?? this.#fill(pageKey, read).finally(() => this.#fills.delete(fillKey))
    this.#fills.set(fillKey, filling)
    return await filling
  }

  /** The page's bytes compressed: made for the first who asks, kept for the others. */
  async gzip(pageKey: string, page: CachedPage): Promise<Buffer> {
    const known = page.gzipped ?? this.#compressions.get(page)
    if (known) return await known
    const compression = compress(page.plain, { level: GZIP_LEVEL }).then((gzipped) => {
      page.gzipped = gzipped
      this.#shelf.weighAgain(pageKey, page)
      return gzipped
    })
    this.#compressions.set(page, compression)
    return await compression
  }

  async #fill(pageKey: string, read: () => Promise<FreshPage | null>): Promise<CachedPage | null> {
    const fresh = await read()
    if (!fresh) return null
    const etag = `"${fresh.version}-${Buffer.from(pageKey).toString('base64url').slice(-8)}"`
    const page: CachedPage = { version: fresh.version, etag, plain: fresh.body, gzipped: null, total: fresh.total }
    this.#shelf.put(pageKey, page)
    return page
  }

  #check(key: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const askers = this.#waiting.get(key)
      if (askers) askers.push({ resolve, reject })
      else this.#waiting.set(key, [{ resolve, reject }])
      if (this.#isAsking) return
      this.#isAsking = true
      this.#askSoon()
    })
  }

  /** After what else has come in by now, so that it shares the question. */
  #askSoon(): void {
    setImmediate(() => void this.#ask())
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = new Map()
    try {
      const versions = await this.#options.findVersions([...asked.keys()])
      for (const [key, askers] of asked) for (const asker of askers) asker.resolve(versions.get(key) ?? null)
    } catch (error) {
      for (const askers of asked.values()) for (const asker of askers) asker.reject(error)
    }
    this.#isAsking = this.#waiting.size > 0
    if (this.#isAsking) this.#askSoon()
  }
}
