/** Longer URLs are filters that are rarely repeated. */
const MAX_URL_LENGTH = 1_000
const MAX_URLS = 5_000

/**
 * URL cache: the parsed meaning of URLs. Parsing and validating a query takes longer than the rest of a cached read,
 * with the same result for the same URL. The oldest entry is evicted first.
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
