import type { RestSigns } from './activity.ts'
import { repeat } from './repeat.ts'

/** Periodic task, e.g. to queue due syncs. */
export interface Tick {
  name: string
  everyMs: number
  /** Interval while the process rests, if longer. */
  restMs?: number
  run(): Promise<unknown>
}

/**
 * Ticker: runs each task at its interval, never twice at the same time; a failure is reported and the next run takes
 * place as usual. While `isPaused`, nothing begins. Keeps the process alive until stopped.
 */
export function startTicker(
  ticks: readonly Tick[],
  onError: (error: unknown, name: string) => void,
  isPaused: () => boolean = () => false,
  signs?: RestSigns,
): { stop(): Promise<void> } {
  const inFlight = new Map<string, Promise<unknown>>()
  const timers = ticks.map((tick) => {
    const turn = (): void => {
      if (inFlight.has(tick.name) || isPaused()) return
      const work = tick
        .run()
        .catch((error: unknown) => onError(error, tick.name))
        .finally(() => inFlight.delete(tick.name))
      inFlight.set(tick.name, work)
    }
    turn()
    return repeat({ everyMs: tick.everyMs, restMs: tick.restMs ?? tick.everyMs }, turn, signs)
  })
  return {
    stop: async () => {
      for (const timer of timers) timer.stop()
      await Promise.all(inFlight.values())
    },
  }
}
