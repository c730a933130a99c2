import { createHash } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Numbers in [0, 1), the same row for the same parts. */
export function dice(...parts: (string | number)[]): () => number {
  let state = digest(parts).readUInt32LE(0)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** An opaque id of letters and digits, the same for the same parts. */
export function toOpaqueId(length: number, ...parts: (string | number)[]): string {
  let id = ''
  for (let block = 0; id.length < length; block++) {
    for (const byte of digest([...parts, block])) id += ALPHABET[byte % ALPHABET.length]
  }
  return id.slice(0, length)
}

export function pick<T>(roll: () => number, list: readonly T[]): T {
  const chosen = list[Math.floor(roll() * list.length)]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}

/** A whole number from `low` to `high`, both included. */
export function between(roll: () => number, low: number, high: number): number {
  return low + Math.floor(roll() * (high - low + 1))
}

function digest(parts: (string | number)[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest()
}
