/** Longer addresses are filters that hardly anybody sends twice. */
const LONGEST_URL = 1_000
const MOST_KNOWN = 5_000

/**
 * What addresses were understood as. Reading and checking a query takes longer than all the rest of a read out of the cache, and says the
 * same for the same address each time. When there are too many, the one known longest is forgotten.
 */
export class KnownAddresses<Meaning> {
  readonly #meanings = new Map<string, Meaning>()

  find(url: string): Meaning | undefined {
    return this.#meanings.get(url)
  }

  drop(url: string): void {
    this.#meanings.delete(url)
  }

  keep(url: string, meaning: Meaning): void {
    if (url.length > LONGEST_URL) return
    this.#meanings.set(url, meaning)
    if (this.#meanings.size <= MOST_KNOWN) return
    const [oldest] = this.#meanings.keys()
    if (oldest !== undefined) this.#meanings.delete(oldest)
  }
}
