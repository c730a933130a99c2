import { setImmediate } from 'node:timers/promises'
import { idPrefix, UNKNOWN_ID } from './page-staging.ts'

/** Numbers read, sorted or merged without a pause: a few milliseconds of work. */
const SORTED_AT_ONCE = 16_384
/** Ids compared without a pause. */
const COMPARED_AT_ONCE = 2_000

/**
 * Missing detector: ids seen in complete listings, sorted, for a merge comparison with the active ones: a million
 * records on either side take a few megabytes.
 */
export class MissingDetector {
  readonly #seen: BigUint64Array
  #at = 0

  private constructor(seen: BigUint64Array) {
    this.#seen = seen
  }

  /** `pages`: eight bytes per record seen on a page. Yields to other work between slices. */
  static async open(pages: readonly Uint8Array[]): Promise<MissingDetector> {
    const seen = new BigUint64Array(pages.reduce((sum, page) => sum + page.length / 8, 0))
    let count = 0
    for (const page of pages) {
      const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength)
      for (let at = 0; at < bytes.length; at += 8) {
        if (count % SORTED_AT_ONCE === 0) await setImmediate()
        seen[count] = bytes.readBigUInt64BE(at)
        count += 1
      }
    }
    return new MissingDetector(await sortInSlices(seen))
  }

  /** Whether a record without an id was seen: then none can be called missing. */
  get hasUnknown(): boolean {
    return this.#seen[0] === UNKNOWN_ID.readBigUInt64BE()
  }

  /** The unseen ones of these ids. The ids ascend, over all calls together. Yields to other work between slices. */
  async listMissing(ids: readonly string[]): Promise<string[]> {
    const missing: string[] = []
    for (const [nth, id] of ids.entries()) {
      if (nth % COMPARED_AT_ONCE === 0) await setImmediate()
      if (this.#isMissing(id)) missing.push(id)
    }
    return missing
  }

  #isMissing(id: string): boolean {
    const wanted = idPrefix(id).readBigUInt64BE()
    for (let seen = this.#seen[this.#at]; seen !== undefined && seen < wanted; seen = this.#seen[this.#at]) this.#at += 1
    return this.#seen[this.#at] !== wanted
  }
}

/** Merge sort: slices are sorted by themselves, then merged two by two. */
async function sortInSlices(numbers: BigUint64Array<ArrayBuffer>): Promise<BigUint64Array> {
  for (let at = 0; at < numbers.length; at += SORTED_AT_ONCE) {
    numbers.subarray(at, at + SORTED_AT_ONCE).sort()
    await setImmediate()
  }
  let [from, to] = [numbers, new BigUint64Array(numbers.length)]
  for (let width = SORTED_AT_ONCE; width < from.length; width *= 2) {
    for (let at = 0; at < from.length; at += 2 * width) await mergeInto(to, from, at, width)
    ;[from, to] = [to, from]
  }
  return from
}

/** Merges `from[at, at + width)` with the slice behind it. */
async function mergeInto(to: BigUint64Array, from: BigUint64Array, at: number, width: number): Promise<void> {
  const [middle, end] = [Math.min(at + width, from.length), Math.min(at + 2 * width, from.length)]
  let [left, right] = [at, middle]
  for (let next = at; next < end; next += 1) {
    if (next % SORTED_AT_ONCE === 0) await setImmediate()
    const [a, b] = [left < middle ? from[left] : undefined, right < end ? from[right] : undefined]
    const takesLeft = b === undefined || (a !== undefined && a <= b)
    to[next] = (takesLeft ? a : b) ?? 0n
    if (takesLeft) left += 1
    else right += 1
  }
}
