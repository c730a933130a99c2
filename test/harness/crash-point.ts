import { CRASH_POINTS, type CrashHook, type CrashPoint } from '../../src/model/crash-points.ts'

/** Crash hook that kills the process with SIGKILL at one point; null for none. */
export function crashPoint(point: CrashPoint | null): CrashHook {
  return async (reached) => {
    if (reached === point) process.kill(process.pid, 'SIGKILL')
  }
}

/** Parses the crash point of a process argument; empty or absent means none. Throws for an unknown name. */
export function toCrashPoint(name: string | undefined): CrashPoint | null {
  if (!name) return null
  const point = CRASH_POINTS.find((each) => each === name)
  if (point === undefined) throw new RangeError(`unknown crash point ${name}`)
  return point
}
