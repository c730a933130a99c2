import type { RestSigns } from './activity.ts'

export interface RepeatPace {
  everyMs: number
  /** Interval while the process rests. */
  restMs: number
  /** Whether a process ends although this is not stopped. */
  isBackground?: boolean
}

/**
 * Calls `run` at its interval, until stopped. Timers of one process fire together, at whole multiples of their interval,
 * so that they wake it once. At the end of a rest, `run` is called at once and returns to its usual interval.
 */
export function repeat({ everyMs, restMs, isBackground = false }: RepeatPace, run: () => void, signs?: RestSigns): { stop(): void } {
  let timer: NodeJS.Timeout
  let isLong = false
  const plan = (): void => {
    isLong = signs?.isResting() ?? false
    const interval = isLong ? restMs : everyMs
    const now = performance.now()
    const untilNext = interval - (now % interval)
    // A timer may fire shortly before its time, and a first one comes no sooner than half an interval.
    timer = setTimeout(fire, untilNext < interval / 2 ? untilNext + interval : untilNext)
    if (isBackground) timer.unref()
  }
  const fire = (): void => {
    run()
    plan()
  }
  const endRest = (): void => {
    if (!isLong) return
    clearTimeout(timer)
    fire()
  }
  const forget = restMs > everyMs ? signs?.onWork(endRest) : undefined
  plan()
  return {
    stop: () => {
      clearTimeout(timer)
      forget?.()
    },
  }
}
