import { availableParallelism, loadavg } from 'node:os'

/** How many processes want each processor, 1 at least: what takes long for that reason is not slow. */
export function busyness(): number {
  return Math.max(1, (loadavg()[0] ?? 1) / availableParallelism())
}
