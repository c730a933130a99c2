import { idPrefix, UNKNOWN_ID } from './page-staging.ts'

/**
 * What complete listings showed, in order, to be compared with what is living in the same order: a million records on either side take a
 * few megabytes.
 */
export class MissingDetector {
  readonly #seen: BigUint64Array
  #at = 0

  /** `pages`: eight bytes for each record that a page showed. */
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

  /** Whether a record came by without an id: then nothing can be called missing. */
  get hasUnknown(): boolean {
    return this.#seen[0] === UNKNOWN_ID.readBigUInt64BE()
  }

  /** Which of these ids were not shown. The ids ascend, over all calls together. */
  listMissing(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const wanted = idPrefix(id).readBigUInt64BE()
      for (let seen = this.#seen[this.#at]; seen !== undefined && seen < wanted; seen = this.#seen[this.#at]) this.#at += 1
      return this.#seen[this.#at] !== wanted
    })
  }
}
