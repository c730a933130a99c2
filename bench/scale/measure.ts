import { quantile } from '../statistics.ts'

/** Latency of one question at one size, in milliseconds. */
export interface Latency {
  p50Ms: number
  p99Ms: number
  samples: number
}

/**
 * Asks the same question at every size in turns, until there are enough samples or the time is over: what slows the machine
 * down slows all sizes. Never fewer than three rounds.
 */
export async function timeInTurns(
  asks: readonly ((nth: number) => Promise<void>)[],
  most: { samples: number; ms: number },
): Promise<Latency[]> {
  const times = asks.map((): number[] => [])
  for (const ask of asks) await ask(0)
  const startedMs = performance.now()
  for (let round = 1; round <= 3 || (round <= most.samples && performance.now() - startedMs < most.ms); round++) {
    for (const [size, ask] of asks.entries()) {
      const beganMs = performance.now()
      await ask(round)
      times[size]?.push(performance.now() - beganMs)
    }
  }
  return times.map(toLatency)
}

export function toLatency(times: readonly number[]): Latency {
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), samples: times.length }
}
