import { idPrefix, UNKNOWN_ID } from './page-staging.ts'

/**
 * Missing detector: ids seen in complete listings, sorted, for a merge comparison with the active ones: a million
 * records on either side take a few megabytes.
 */
export class MissingDetector {
  readonly #seen: BigUint64Array
  #at = 0

  /** `pages`: eight bytes per record seen on a page. */
  constructor(pages: readonly Uint8Array[]) {
    this.#seen = new BigUint64Array(pages.reduce((sum, page) => sum + page.length / 8, 0))
    let count = 0
    for (const page of pages) {
      const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength)
      for (let at = 0; at < bytes.length; at += 8) {
        this.#seen[count] = bytes.readBigUInt64BE(at)
        count += 1
      }
    }
    this.#seen.sort()
  }

  /** Whether a record without an id was seen: then none can be called missing. */
  get hasUnknown(): boolean {
    return this.#seen[0] === UNKNOWN_ID.readBigUInt64BE()
  }

  /** The unseen ones of these ids. The ids ascend, over all calls together. */
  listMissing(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const wanted = idPrefix(id).readBigUInt64BE()
      for (let seen = this.#seen[this.#at]; seen !== undefined && seen < wanted; seen = this.#seen[this.#at]) this.#at += 1
      return this.#seen[this.#at] !== wanted
    })
  }
}
