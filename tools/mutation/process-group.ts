import type { ChildProcess } from 'node:child_process'
import { hasCode } from '../../src/model/error-code.ts'

/** How long a process has for its own end, in milliseconds. */
const END_TIMEOUT_MS = 10_000

/** Kills a process that was started with `detached`, and everything that it started; nothing if none of it runs any more. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Asks such a process to end, and kills its group when it has not ended by itself after `timeoutMs`. */
export function endGroup(child: ChildProcess, timeoutMs = END_TIMEOUT_MS): void {
  const timer = setTimeout(() => killGroup(child), timeoutMs)
  child.once('exit', () => clearTimeout(timer))
  child.kill('SIGTERM')
}
