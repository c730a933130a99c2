import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL
/** Exists where the scheduler groups processes by session. */
const AUTOGROUP = '/proc/self/autogroup'

/**
 * Lowers the priority of this process and of the threads that it starts later: where the processors are busy, processes
 * of the same machine that answer requests go first. Otherwise it costs nothing.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return
  // NOTE on Linux each thread has a priority of its own. Source: https://man7.org/linux/man-pages/man2/setpriority.2.html (Notes)
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), PRIORITY)
  // NOTE it counts within the session only, where there are groups: the session that a service has to itself gets it as well.
  // Source: https://man7.org/linux/man-pages/man7/sched.7.html (The autogroup feature)
  if (existsSync(AUTOGROUP) && leadsSession()) setGroupPriority()
}

function setGroupPriority(): void {
  try {
    writeFileSync(AUTOGROUP, String(PRIORITY))
  } catch {
    // The kernel takes one such change in 100 ms from all processes together. It is not worth a failed start.
  }
}

/** Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function leadsSession(): boolean {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(session) === process.pid
}
