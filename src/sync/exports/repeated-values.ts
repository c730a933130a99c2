import { type Printed, readValue } from './documents.ts'

/** Number of slots; a power of two, because the lowest bits of a hash select the slot. */
const SLOTS = 256
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * Direct-mapped cache of one column's values: equal bytes give the same object, because most columns have few different
 * values. A slot keeps only the last value of its hash.
 * Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
export class RepeatedValues<T> {
  readonly #toValue: (text: string) => T
  readonly #known: (Known<T> | undefined)[] = []

  constructor(toValue: (text: string) => T) {
    this.#toValue = toValue
  }

  read(bytes: Buffer, from: number, to: number, printed: Printed): T {
    let hash = FNV_OFFSET
    for (let index = from; index < to; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), FNV_PRIME)
    const slot = (hash ^ (hash >>> 16)) & (SLOTS - 1)
    const known = this.#known[slot]
    if (known && isSame(known, bytes, from, to)) return known.value
    const value = this.#toValue(readValue(bytes, from, to, printed))
    this.#known[slot] = { bytes, from, to, value }
    return value
  }
}

interface Known<T> {
  bytes: Buffer
  from: number
  to: number
  value: T
}

function isSame<T>(known: Known<T>, bytes: Buffer, from: number, to: number): boolean {
  if (known.to - known.from !== to - from) return false
  for (let index = from, other = known.from; index < to; index++, other++) if (bytes[index] !== known.bytes[other]) return false
  return true
}
