import { CRASH_POINTS, type CrashHook, type CrashPoint } from '../../src/model/crash-points.ts'

/** Crash hook that kills the process, as by SIGKILL, at one point; null: at none. */
export function crashPoint(point: CrashPoint | null): CrashHook {
  return async (reached) => {
    if (reached === point) process.kill(process.pid, 'SIGKILL')
  }
}

/** Crash point in a process's argument; empty or absent: none. Throws for a name that no engine has. */
export function toCrashPoint(name: string | undefined): CrashPoint | null {
  if (!name) return null
  const point = CRASH_POINTS.find((each) => each === name)
  if (point === undefined) throw new RangeError(`there is no crash point ${name}`)
  return point
}
