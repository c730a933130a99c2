import { quantile } from '../statistics.ts'

/** Latency of one question at one size, in milliseconds. */
export interface Latency {
  p50Ms: number
  p99Ms: number
  samples: number
}

/** Asks until there are enough samples, or the time is over; never fewer than three. */
export async function timeQuestion(ask: (nth: number) => Promise<void>, most: { samples: number; ms: number }): Promise<Latency> {
  await ask(0)
  const times: number[] = []
  const startedMs = performance.now()
  while (times.length < 3 || (times.length < most.samples && performance.now() - startedMs < most.ms)) {
    const beganMs = performance.now()
    await ask(times.length + 1)
    times.push(performance.now() - beganMs)
  }
  return toLatency(times)
}

export function toLatency(times: readonly number[]): Latency {
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), samples: times.length }
}
