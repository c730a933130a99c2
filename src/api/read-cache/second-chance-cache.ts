import type { CachedPage } from './cached-page.ts'

/** Overhead of an entry, apart from its bytes. */
const OVERHEAD_BYTES = 500

interface Entry {
  page: CachedPage
  bytes: number
  /** Used since it was added or last spared. */
  isReferenced: boolean
}

/**
 * Second-chance (CLOCK) cache: pages by key, limited by bytes. The oldest is evicted first, but one that was used in
 * the meantime is spared once and then counts as new.
 */
export class SecondChanceCache {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: string): CachedPage | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    entry.isReferenced = true
    return entry.page
  }

  /**
   * Stores a page unless a newer one is present, which a slower reader must not replace, or it would exceed a quarter
   * of the cache; returns whether it did.
   */
  set(key: string, page: CachedPage): boolean {
    const bytes = bytesOf(page)
    const old = this.#entries.get(key)
    if (old && BigInt(old.page.version) > BigInt(page.version)) return false
    this.#drop(key)
    if (bytes > this.#maxBytes / 4) return false
    this.#entries.set(key, { page, bytes, isReferenced: false })
    this.#bytes += bytes
    this.#evict()
    return true
  }

  /** Adjusts the size of a page that has grown since it was added. */
  updateSize(key: string, page: CachedPage): void {
    const entry = this.#entries.get(key)
    if (entry?.page !== page) return
    this.#bytes += bytesOf(page) - entry.bytes
    entry.bytes = bytesOf(page)
    this.#evict()
  }

  #evict(): void {
    // NOTE a spared entry comes up again at the end, no longer referenced, so the loop terminates.
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      if (entry.isReferenced) {
        entry.isReferenced = false
        this.#entries.delete(key)
        this.#entries.set(key, entry)
      } else {
        this.#drop(key)
      }
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

function bytesOf(page: CachedPage): number {
  return page.plain.length + (page.gzipped?.length ?? 0) + OVERHEAD_BYTES
}
