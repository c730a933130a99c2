/** Longer addresses are filters that hardly anybody sends twice. */
const MAX_URL_LENGTH = 1_000
const MAX_URLS = 5_000

/**
 * What addresses were understood as. Reading and checking a query takes longer than all the rest of a read out of the cache, and says the
 * same for the same address each time. When there are too many, the one known longest is forgotten.
 */
export class UrlCache<Meaning> {
  readonly #values = new Map<string, Meaning>()

  get(url: string): Meaning | undefined {
    return this.#values.get(url)
  }

  delete(url: string): void {
    this.#values.delete(url)
  }

  set(url: string, meaning: Meaning): void {
    if (url.length > MAX_URL_LENGTH) return
    this.#values.set(url, meaning)
    if (this.#values.size <= MAX_URLS) return
    const [oldest] = this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
  }
}
