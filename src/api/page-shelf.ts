import type { CachedPage } from './page-cache.ts'

/** Costs of an entry besides its bytes. */
const OVERHEAD_BYTES = 500

/** Pages by key, at most so many bytes of them: the ones that nobody has taken for longest go first. */
export class PageShelf {
  readonly #maxBytes: number
  readonly #entries = new Map<string, { page: CachedPage; bytes: number }>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  take(key: string): CachedPage | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    // Most recently taken last, for the eviction.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.page
  }

  /** Keeps a page unless a newer one stands there, which a slower reader must not replace, or it would fill a quarter of the shelf. */
  put(key: string, page: CachedPage): void {
    const bytes = bytesOf(page)
    const old = this.#entries.get(key)
    if (old && BigInt(old.page.version) > BigInt(page.version)) return
    this.#drop(key)
    if (bytes > this.#maxBytes / 4) return
    this.#entries.set(key, { page, bytes })
    this.#bytes += bytes
    this.#makeRoom()
  }

  /** The page has grown since it was put there. */
  weighAgain(key: string, page: CachedPage): void {
    const entry = this.#entries.get(key)
    if (entry?.page !== page) return
    this.#bytes += bytesOf(page) - entry.bytes
    entry.bytes = bytesOf(page)
    this.#makeRoom()
  }

  #makeRoom(): void {
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#drop(key)
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
