/** A repeatable source of whole numbers: the same seed, the same numbers. */
export interface Random {
  /** From 0 up to, not including, `limit`. */
  below(limit: number): number
}

/** The mulberry32 generator. Source: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    below: (limit) => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
    },
  }
}
