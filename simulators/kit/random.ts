import { createHash } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

type Part = string | number

/** Deterministic source of integers: the same seed yields the same sequence. */
export interface Random {
  /** From 0 to `limit`, exclusive. */
  below(limit: number): number
}

export function createRandom(seed: number): Random {
  const next = mulberry32(seed)
  return { below: (limit) => next() % limit }
}

/** Deterministic `Math.random`: numbers in [0, 1), the same sequence for the same parts. */
export function seededRandom(...parts: Part[]): () => number {
  const next = mulberry32(hashNumber(...parts))
  return () => next() / 4_294_967_296
}

export function pick<T>(random: () => number, list: readonly T[]): T {
  return at(list, Math.floor(random() * list.length))
}

/** An integer from `low` to `high`, inclusive. */
export function between(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

/** A number from 0 to 2^32 - 1, deterministic in the parts. */
export function hashNumber(...parts: Part[]): number {
  return digest(parts).readUInt32LE(0)
}

/** Hexadecimal digits, at most 64, deterministic in the parts. */
export function hashHex(length: number, ...parts: Part[]): string {
  return digest(parts).toString('hex').slice(0, length)
}

/** Letters and digits, deterministic in the parts. */
export function hashId(length: number, ...parts: Part[]): string {
  let id = ''
  for (let block = 0; id.length < length; block++) {
    for (const byte of digest([...parts, block])) id += ALPHABET[byte % ALPHABET.length]
  }
  return id.slice(0, length)
}

export function hashPick<T>(list: readonly T[], ...parts: Part[]): T {
  return at(list, hashNumber(...parts) % list.length)
}

/** The mulberry32 generator: from 0 to 2^32 - 1. Source: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

function at<T>(list: readonly T[], index: number): T {
  const chosen = list[index]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}

function digest(parts: readonly Part[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest()
}
