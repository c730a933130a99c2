import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { hasCode } from '../../model/error-code.ts'

const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL
/** Tries for the priority of a session, of which the kernel changes one in 100 ms for all processes together. */
const GROUP_TRIES = 20
const AGAIN_MS = 150

/**
 * Lowers the priority of this process and of the threads that it starts later: where the processors are busy, processes
 * of the same machine that answer requests go first. Otherwise it costs nothing.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return
  // NOTE on Linux each thread has a priority of its own. Source: https://man7.org/linux/man-pages/man2/setpriority.2.html (Notes)
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), PRIORITY)
  lowerSession(process.pid)
}

/**
 * The same for another process of this user, with one thread. A process that has ended, or belongs to another user, is
 * left alone.
 */
export function lowerPriorityOf(pid: number): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(pid, PRIORITY)
    lowerSession(pid)
  } catch {
    // It makes answers faster while the processors are busy; whatever it was for works without.
  }
}

/**
 * NOTE a priority counts within the session only, where the scheduler groups processes by session: the session that a
 * process has to itself gets it as well. Source: https://man7.org/linux/man-pages/man7/sched.7.html (The autogroup feature)
 */
function lowerSession(pid: number): void {
  const group = `/proc/${pid}/autogroup`
  if (!existsSync(group)) return
  setGroupPriority(() => {
    if (leadsSession(pid)) writeFileSync(group, String(PRIORITY))
  })
}

/** Writes, again while the kernel is busy with others. A priority that cannot be set is not worth a failed start. */
export function setGroupPriority(write: () => void, tries = GROUP_TRIES, againMs = AGAIN_MS): void {
  try {
    write()
  } catch (error) {
    if (hasCode(error, 'EAGAIN') && tries > 1) setTimeout(() => setGroupPriority(write, tries - 1, againMs), againMs).unref()
  }
}

/** Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function leadsSession(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(session) === pid
}
