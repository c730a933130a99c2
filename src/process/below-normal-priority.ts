import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/**
 * Lowers the priority of this process and of the threads that it starts later: where the processors are busy, processes
 * of the same machine that answer requests go first. Otherwise it costs nothing.
 */
export function lowerPriority(): void {
  // NOTE on Linux each thread has a priority of its own. Source: https://man7.org/linux/man-pages/man2/setpriority.2.html (Notes)
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
}
